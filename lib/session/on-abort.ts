/** Who listens to a signal by way of `onAbort`. */
const listening = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls the listener once, when the signal aborts: at once if it has; the returned function takes it away. All of them
 * share one listener on the signal, so that a hundred waits on one signal of the user are no `MaxListenersExceededWarning`.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener();
    return () => undefined;
  }
  const known = listening.get(signal);
  const listeners = known ?? new Set();
  if (known === undefined) listening.set(signal, listeners);
  const each = (): void => listener(); // the same function may listen twice
  listeners.add(each);
  if (listeners.size === 1) signal.addEventListener('abort', tellAborted);
  return () => {
    if (listeners.delete(each) && listeners.size === 0) signal.removeEventListener('abort', tellAborted);
  };
}

function tellAborted(this: AbortSignal): void {
  for (const listener of listening.get(this) ?? []) listener();
}
