/** Settles like `work`, or resolves to `late` after `ms`; `work` then goes on unheard. No timer is left behind. */
export function within<T, L>(ms: number, work: Promise<T>, late: L): Promise<T | L> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(late), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
