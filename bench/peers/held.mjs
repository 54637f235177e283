// For peers whose lock is a handle: a section run under it.

/**
 * @param {(key: string, how: object) => Promise<unknown>} acquire
 * @param {(handle: unknown) => Promise<unknown>} release
 */
export function held(acquire, release) {
  return async (key, section, how) => {
    const handle = await acquire(key, how);
    try {
      await section();
    } finally {
      await release(handle);
    }
  };
}
