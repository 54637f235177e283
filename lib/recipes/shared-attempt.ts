import { Attempt, type AttemptEnd } from './attempt.js';
import type { Grant, QueueTicket } from './queue-ticket.js';
import type { SharedNode, SharingLimits } from './shared-node.js';

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

/** The attempt of a shared node: it lasts as long as one of its callers still wants the lock. */
export class SharedAttempt extends Attempt {
  constructor(private readonly callers: ReadonlySet<Caller>) {
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
