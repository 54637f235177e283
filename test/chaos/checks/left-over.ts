import { ofKind, type ChaosRecord } from '../history.js';
import type { Violation } from './violation.js';

/** (e) With all faults over and all calls ended, no node may stand under a key; the sessions are still open then. */
export function checkLeftOver(history: readonly ChaosRecord[]): Violation[] {
  return ofKind(history, 'left')
    .filter(({ nodes }) => nodes.length > 0)
    .map(({ key, nodes, at }) => ({
      check: 'e' as const,
      text: `"${key}": ${nodes.length} left: ${nodes.join(', ')}`,
      from: at,
      to: at,
      ops: nodes.map((node) => node.split(' ').at(-1)!),
    }));
}

/** (x) A client that ended by an error of its own has seen something that no caller should see. */
export function checkCrashes(history: readonly ChaosRecord[]): Violation[] {
  return ofKind(history, 'crashed').map(({ of, message, at }) => ({
    check: 'x' as const,
    text: `${of}: ${message ?? 'no message'}`,
    from: at,
    to: at,
    ops: [],
  }));
}
