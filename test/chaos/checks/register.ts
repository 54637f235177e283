import { ofKind, type ChaosRecord, type RecordOf } from '../history.js';
import { byKey } from './grants.js';
import type { Violation } from './violation.js';

type Accepted = RecordOf<'write'> & { counter: number };

/** (a) The register numbers the writes that it accepts, so their order is its own and no clock's. */
export function checkRegister(history: readonly ChaosRecord[]): Violation[] {
  const accepted = ofKind(history, 'write').filter((write): write is Accepted => write.counter !== null);
  return byKey(accepted).flatMap((ofKey) => {
    const violations: Violation[] = [];
    let newest: Accepted | undefined;
    for (const write of ofKey.toSorted((a, b) => a.counter - b.counter)) {
      if (newest?.counter === write.counter) {
        violations.push(violation(newest, write, `two writes were both number ${write.counter}`));
      } else if (newest !== undefined && BigInt(write.token) < BigInt(newest.token)) {
        violations.push(violation(newest, write, `token ${write.token} was accepted after ${newest.token}`));
      }
      if (newest === undefined || BigInt(write.token) >= BigInt(newest.token)) newest = write;
    }
    return violations;
  });
}

function violation(first: Accepted, second: Accepted, text: string): Violation {
  const [from, to] = [Math.min(first.at, second.at), Math.max(first.at, second.at)];
  return { check: 'a', text: `"${first.key}": ${text}`, from, to, ops: [first.op, second.op] };
}
