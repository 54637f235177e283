import { ofKind, type ChaosRecord } from '../history.js';
import { byKey } from './grants.js';
import type { Violation } from './violation.js';

interface Leftover {
  key: string;
  at: number;
  /** What every member has. */
  everywhere: string[];
  /** What only some members have. */
  somewhere: string[];
}

/** What is left under each key at the end, when the members have had time to agree. */
function readLeftOver(history: readonly ChaosRecord[]): Leftover[] {
  return byKey(ofKind(history, 'left')).map((ofKey) => {
    const nodes = [...new Set(ofKey.flatMap((record) => record.nodes))];
    const everywhere = nodes.filter((node) => ofKey.every((record) => record.nodes.includes(node)));
    const somewhere = nodes.filter((node) => !everywhere.includes(node));
    return { key: ofKey[0]!.key, at: ofKey[0]!.at, everywhere, somewhere };
  });
}

/** (e) With all faults over and all calls ended, no node may stand under a key; the sessions are still open then. */
export function checkLeftOver(history: readonly ChaosRecord[]): Violation[] {
  return readLeftOver(history)
    .filter(({ everywhere }) => everywhere.length > 0)
    .map(({ key, at, everywhere }) => ({
      check: 'e',
      text: `"${key}": ${everywhere.length} left: ${everywhere.join(', ')}`,
      from: at,
      to: at,
      ops: everywhere.map((node) => node.split(' ').at(-1)!),
    }));
}

/**
 * Keys under which the members of the ensemble disagree for good: ZooKeeper's own fault, seen when members are stopped and killed
 * (3.8.0; compare ZOOKEEPER-4541, 4785, 4837, 5010). A client of the member with the phantom waits in vain.
 */
export function divergedKeys(history: readonly ChaosRecord[]): Map<string, string[]> {
  const diverged = readLeftOver(history).filter(({ somewhere }) => somewhere.length > 0);
  return new Map(diverged.map(({ key, somewhere }) => [key, somewhere]));
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
