import * as fc from 'fast-check';
import { Stage, type Observation } from './stage.js';
import { anyRun, printStep, type Step } from './steps.js';

const STEPS_PER_RUN = 80;
const RUNS_PER_CHECK = 20;
/** Keeps neighbouring seeds from sharing runs. */
const SEED_DISTANCE = 100_003;

/** A server under test, by its port on 127.0.0.1. */
export interface Contestant {
  name: string;
  port: number;
}

export interface DuelOptions {
  /** Same seed, same operations. */
  seed: number;
  /** About how many steps the clients do in all. */
  operations: number;
  /** Told now and then how many are done. */
  onProgress?: (done: number) => void;
}

export interface DuelResult {
  operations: number;
  /** The shortest run found that shows a difference, readable; undefined when there is none. */
  difference: string | undefined;
}

/** Does the same to two servers, step by step, and compares all that their clients get. */
export class Duel {
  private runs = 0;
  private done = 0;

  constructor(
    private readonly left: Contestant,
    private readonly right: Contestant,
  ) {}

  /** Random runs, until enough operations are done or the servers differ. */
  async fight({ seed, operations, onProgress }: DuelOptions): Promise<DuelResult> {
    this.done = 0;
    let difference: string | undefined;
    for (let batch = 0; this.done < operations && difference === undefined; batch++) {
      let searching = true;
      const property = fc.asyncProperty(anyRun(STEPS_PER_RUN), async (run) => {
        const found = await this.run(run);
        if (searching) this.done += run.length;
        if (found === undefined) return;
        searching = false; // what follows is shrinking
        throw new Error(found);
      });
      const checked = await fc.check(property, {
        seed: seed * SEED_DISTANCE + batch,
        numRuns: RUNS_PER_CHECK,
      });
      if (checked.failed)
        difference =
          checked.errorInstance instanceof Error
            ? checked.errorInstance.message
            : String(checked.errorInstance);
      onProgress?.(this.done);
    }
    return { operations: this.done, difference };
  }

  /** One run on both; the text of the first difference. */
  async run(steps: readonly Step[]): Promise<string | undefined> {
    const run = ++this.runs;
    const stages = await Promise.all([Stage.open(this.left.port, run), Stage.open(this.right.port, run)]);
    try {
      for (const [index, step] of steps.entries()) {
        const [left, right] = await Promise.all([stages[0].do(step), stages[1].do(step)]);
        if (JSON.stringify(left) !== JSON.stringify(right))
          return this.describe(steps.slice(0, index + 1), left, right);
      }
      return undefined;
    } finally {
      await Promise.all(stages.map((stage) => stage.close()));
    }
  }

  private describe(steps: readonly Step[], left: Observation, right: Observation): string {
    const lines = [...steps.map((step, index) => `  ${index + 1}. ${printStep(step)}`)];
    left.forEach((seen, client) => {
      const other = right[client] ?? [];
      if (JSON.stringify(seen) === JSON.stringify(other)) return;
      lines.push(`After the last step, client ${client} got from`);
      lines.push(...show(this.left.name, seen), ...show(this.right.name, other));
    });
    return lines.join('\n');
  }
}

function show(name: string, seen: readonly string[]): string[] {
  return [`  ${name}:`, ...(seen.length === 0 ? ['nothing'] : seen).map((line) => `    ${line}`)];
}
