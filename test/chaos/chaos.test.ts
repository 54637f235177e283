import { describe, expect, it } from '@jest/globals';
import { runChaos } from './chaos-run.js';
import { ofKind } from './history.js';
import { report } from './report.js';

const SECONDS = 30;
const SEED = 20_260;

describe('Chaos', () => {
  it(`should violate nothing in ${SECONDS} seconds of faults (B01, B05, B10, B12, B32)`, async () => {
    const { history, violations } = await runChaos({ seconds: SECONDS, seed: SEED });
    if (violations.length > 0) throw new Error(report(history, violations, SEED));
    const kinds = new Set(ofKind(history, 'fault').map(({ fault }) => fault));
    expect(kinds.size).toBeGreaterThanOrEqual(8);
    expect(ofKind(history, 'granted').length).toBeGreaterThan(0);
    expect(ofKind(history, 'left')).toHaveLength(4 * 3); // keys, members
  }, 300_000);
});
