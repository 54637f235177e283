// No lock at all, to see that a violation is seen.
export function peer() {
  return {
    open: async () => ({ withLock: (_key, section) => section(), close: () => undefined }),
  };
}
