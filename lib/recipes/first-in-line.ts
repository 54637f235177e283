/**
 * Who waits for which node of one queue, by the node's name: told when that node is known to be the first. From then on
 * nothing else stands before the waiter, whatever it saw when it last looked: nobody comes in before a node that is there.
 */
export class FirstInLine {
  private readonly waiting = new Map<string, Set<() => void>>();

  /** The returned function takes the listener away. */
  listen(name: string, listener: () => void): () => void {
    let listeners = this.waiting.get(name);
    if (listeners === undefined) this.waiting.set(name, (listeners = new Set()));
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.waiting.get(name) === listeners) this.waiting.delete(name);
    };
  }

  /** The node of this name is the first, or will be once what was sent has been carried out. */
  tell(name: string): void {
    const listeners = this.waiting.get(name);
    this.waiting.delete(name);
    for (const listener of listeners ?? []) listener();
  }
}
