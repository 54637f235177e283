/** Listeners to what happens to things that have a name or a path. */
export class ListenersByKey<Event = void> {
  private readonly byKey = new Map<string, Set<(event: Event) => void>>();

  /** The returned function takes the listener away. */
  listen(key: string, listener: (event: Event) => void): () => void {
    let of = this.byKey.get(key);
    if (of === undefined) this.byKey.set(key, (of = new Set()));
    of.add(listener);
    return () => {
      of.delete(listener);
      if (of.size === 0 && this.byKey.get(key) === of) this.byKey.delete(key);
    };
  }

  tell(key: string, event: Event): void {
    for (const listener of [...(this.byKey.get(key) ?? [])]) listener(event);
  }
}
