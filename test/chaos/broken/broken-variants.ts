import { foreignNode } from './foreign-node.js';
import { fullTimeout } from './full-timeout.js';
import { keptAliveByReads } from './kept-alive-by-reads.js';
import { releaseTheFirst } from './release-the-first.js';
import { sequenceToken } from './sequence-token.js';
import { sortByName } from './sort-by-name.js';

/** Faults that other lock libraries had. Each patches the library's objects in the process that calls it; the checker has to notice. */
const VARIANTS = {
  'no-owner-check': foreignNode,
  'sort-by-name': sortByName,
  'sequence-token': sequenceToken,
  'release-the-first': releaseTheFirst,
  'kept-alive-by-reads': keptAliveByReads,
  'full-timeout': fullTimeout,
} as const;

export type BrokenVariant = keyof typeof VARIANTS;

export const BROKEN_VARIANTS = Object.keys(VARIANTS) as BrokenVariant[];

export function breakLibrary(variant: BrokenVariant): void {
  VARIANTS[variant]();
}
