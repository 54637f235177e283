/** Settles like `work`, or as `ending` says when that is first; `work` then goes on unheard. */
export function unlessOver<T>(
  work: Promise<T>,
  /** Told how to settle; hands back what takes the ending away once `work` has settled. */
  ending: (resolve: (value: T) => void, reject: (reason: Error) => void) => () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const forget = ending(resolve, reject);
    const first =
      <V>(settle: (value: V) => void) =>
      (value: V): void => {
        forget();
        settle(value);
      };
    work.then(first(resolve), first(reject));
  });
}
