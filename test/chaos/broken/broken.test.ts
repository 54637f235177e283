import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { check } from '../checker.js';
import { ChaosWorld } from '../cluster/chaos-world.js';
import type { CheckName } from '../checks/violation.js';
import { report } from '../report.js';
import { BROKEN_VARIANTS, type BrokenVariant } from './broken-variants.js';
import { SCRIPTED_FAULTS } from './scripted-faults.js';
import { Stage } from './stage.js';

const TEST_MS = 120_000;

describe('A fault on purpose', () => {
  let world: ChaosWorld;

  beforeAll(async () => {
    world = await ChaosWorld.start();
  }, TEST_MS);
  afterAll(() => world[Symbol.asyncDispose](), TEST_MS);

  const play = async (key: string, fault: BrokenVariant, broken?: BrokenVariant): Promise<CheckName[]> => {
    await world.ensemble.settled();
    await using stage = new Stage(world, key, broken);
    await SCRIPTED_FAULTS[fault].play(stage);
    const history = await stage.history();
    const violations = check(history);
    if (broken === undefined && violations.length > 0) throw new Error(report(history, violations, 0));
    return [...new Set(violations.map((violation) => violation.check))];
  };

  it.each(BROKEN_VARIANTS)(
    'should be noticed by the checker when the lock is broken: %s',
    async (variant) => {
      const { violates } = SCRIPTED_FAULTS[variant];
      expect(await play(`broken-${variant}`, variant, variant)).toEqual(expect.arrayContaining(violates));
    },
    TEST_MS,
  );

  it.each(BROKEN_VARIANTS)(
    'should harm nothing when the lock is sound: the fault of %s',
    async (variant) => {
      expect(await play(`sound-${variant}`, variant)).toEqual([]);
    },
    TEST_MS,
  );
});
