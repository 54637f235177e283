/** Undoes what the demo did, last thing first, once. */
export class CleanUp {
  private readonly steps: (() => Promise<unknown>)[] = [];
  private running: Promise<void> | undefined;

  add(step: () => Promise<unknown>): void {
    this.steps.push(step);
  }

  run(): Promise<void> {
    this.running ??= this.undo();
    return this.running;
  }

  private async undo(): Promise<void> {
    for (let step = this.steps.pop(); step; step = this.steps.pop()) {
      await step().catch((error: unknown) => {
        console.error('While cleaning up:', error);
      });
    }
  }
}
