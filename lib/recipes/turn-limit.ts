/** Sections that never wait for anything would keep the event loop from everything else, from the heartbeats, too. */
const MAX_PER_TURN = 64;

/** Lets only so many through before the event loop has turned. */
export class TurnLimit {
  private taken = 0;
  private next: NodeJS.Immediate | undefined;

  /** @param onTurn called at the next turn, when somebody was not let through. */
  constructor(private readonly onTurn: () => void) {}

  /** False when it was enough for now. */
  take(): boolean {
    if (this.taken < MAX_PER_TURN) {
      this.taken += 1;
      return true;
    }
    this.next ??= setImmediate(() => {
      this.next = undefined;
      this.taken = 0;
      this.onTurn();
    });
    return false;
  }
}
