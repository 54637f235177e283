import { Attempt, type AttemptEnd } from './attempt.js';
import type { Grant, QueueTicket } from './queue-ticket.js';
import type { SharingLimits } from './handoff-options.js';
import type { SharedNode } from './shared-node.js';

/** One call of this process that waits for a shared node. It is settled exactly once. */
export interface Caller {
  /** With what a node is opened for it. */
  readonly ticket: QueueTicket;
  readonly limits: SharingLimits;
  readonly attempt: Attempt;
  readonly resolve: (grant: Grant) => void;
  readonly reject: (failure: Error) => void;
  /** Where it waits now. */
  node: SharedNode | undefined;
}

/** Those who wait for one shared node, in the order in which they came. */
export class Callers {
  private readonly all = new Set<Caller>();
  private readonly newcomers = new Set<Caller>();

  get size(): number {
    return this.all.size;
  }

  [Symbol.iterator](): IterableIterator<Caller> {
    return this.all.values();
  }

  /** @param isNewcomer it came when others may have been waiting outside already. */
  add(caller: Caller, isNewcomer: boolean): void {
    this.all.add(caller);
    if (isNewcomer) this.newcomers.add(caller);
  }

  /** Those who came before all the others. */
  addFirst(callers: readonly Caller[]): void {
    const others = [...this.all];
    this.all.clear();
    for (const caller of [...callers, ...others]) this.all.add(caller);
  }

  delete(caller: Caller): void {
    this.all.delete(caller);
    this.newcomers.delete(caller);
  }

  isNewcomer(caller: Caller): boolean {
    return this.newcomers.has(caller);
  }

  /** Nobody waited outside when they came. */
  welcome(): void {
    this.newcomers.clear();
  }

  /** How many came before this one. */
  before(caller: Caller): number {
    let count = 0;
    for (const each of this.all) {
      if (each === caller) break;
      count += 1;
    }
    return count;
  }

  takeAll(): Caller[] {
    const all = [...this.all];
    this.all.clear();
    this.newcomers.clear();
    return all;
  }

  /** Takes away the newcomers, and whoever is not one of the first `max`. */
  takeBeyond(max: number): Caller[] {
    const taken = [...this.all].filter((caller, at) => at >= max || this.newcomers.has(caller));
    for (const caller of taken) this.delete(caller);
    return taken;
  }
}

/** The attempt of a shared node: it lasts as long as one of its callers still wants the lock. */
export class SharedAttempt extends Attempt {
  constructor(private readonly callers: Callers) {
    super(false, undefined);
  }

  /** True while one of the callers does not want to wait. */
  override get immediate(): boolean {
    for (const { attempt } of this.callers) if (attempt.immediate) return true;
    return false;
  }

  /** Somebody outside was first: whoever does not want to wait for that leaves, the others go on. */
  override end(end: AttemptEnd): void {
    if (end !== 'busy') super.end(end);
    else for (const { attempt } of [...this.callers]) if (attempt.immediate) attempt.end('busy');
  }
}
