import { deadline } from './deadline.js';

/** Settles like `work`, or resolves to `late` after `ms`; `work` then goes on unheard. No timer is left behind. */
export function within<T, L>(ms: number, work: Promise<T>, late: L): Promise<T | L> {
  return new Promise((resolve, reject) => {
    const forget = deadline(ms, () => resolve(late));
    const first =
      <V>(settle: (value: V) => void) =>
      (value: V): void => {
        forget();
        settle(value);
      };
    work.then(first(resolve), first(reject));
  });
}
