import { deadline } from './deadline.js';
import { unlessOver } from './unless-over.js';

/** Settles like `work`, or resolves to `late` after `ms`; `work` then goes on unheard. No timer is left behind. */
export function within<T, L>(ms: number, work: Promise<T>, late: L): Promise<T | L> {
  return unlessOver<T | L>(work, (resolve) => deadline(ms, () => resolve(late)));
}
