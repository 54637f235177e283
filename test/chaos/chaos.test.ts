import { describe, expect, it } from '@jest/globals';
import { runChaos } from './chaos-run.js';
import { ofKind } from './history.js';
import { KEYS } from './keys.js';
import { report } from './report.js';

const SECONDS = 30;
const SEED = 20_260;

describe('Chaos', () => {
  it(`should violate nothing in ${SECONDS} seconds of faults (B01, B05, B10, B12, B32)`, async () => {
    const { history, violations } = await runChaos({ seconds: SECONDS, seed: SEED });
    if (violations.length > 0) throw new Error(report(history, violations, SEED));
    const kinds = new Set(ofKind(history, 'fault').map(({ fault }) => fault));
    expect(kinds.size).toBeGreaterThanOrEqual(8);
    const final = new Set(ofKind(history, 'invoke').map(({ op, final: last }) => (last === true ? op : '')));
    const amidFaults = ofKind(history, 'granted').filter(({ op }) => !final.has(op));
    expect(new Set(amidFaults.map(({ mode }) => mode))).toEqual(
      new Set(['exclusive', 'read', 'write', 'permit']),
    );
    expect(ofKind(history, 'left')).toHaveLength(KEYS.length * 3); // members
  }, 300_000);
});
