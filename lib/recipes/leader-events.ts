import { checkListener } from '../errors/check-options.js';
import type { LockLostError } from '../errors/lock-lost.error.js';
import { tellAll, type LockLogger } from '../session/lock-logger.js';
import type { HeldLock } from './held-lock.js';

/** What an election tells, and what it says of it. The two take turns. */
export interface LeaderEvents {
  /** This candidate leads now, with this lock. */
  leader: HeldLock;
  /** It does not lead any more: why it was lost; undefined when it was given up. */
  notLeader: LockLostError | undefined;
}

type Listener = (about: HeldLock | LockLostError | undefined) => void;

/** The listeners of one election. */
export class LeaderAnnouncer {
  private readonly listeners = { leader: new Set<Listener>(), notLeader: new Set<Listener>() };

  constructor(private readonly logger: LockLogger) {}

  on<E extends keyof LeaderEvents>(event: E, listener: (about: LeaderEvents[E]) => void): () => void {
    checkListener(event, Object.keys(this.listeners), listener);
    const listeners = this.listeners[event];
    const own: Listener = (about) => listener(about as LeaderEvents[E]);
    listeners.add(own);
    return () => listeners.delete(own);
  }

  tell<E extends keyof LeaderEvents>(event: E, about: LeaderEvents[E]): void {
    const what = `A listener of "${event}" of a leader election`;
    tellAll(this.listeners[event], (listener) => listener(about), this.logger, what);
  }
}
