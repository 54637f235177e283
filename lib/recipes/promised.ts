/**
 * Calls `work`; what it throws becomes a rejection (`Promise.try`, which Node 20 does not have). Where a lock is handed
 * over in memory an async function would be dear: each `await` makes a promise, and inside an async context each promise
 * costs about as much as the rest of the hand-over.
 */
export function promised<T>(work: () => Promise<T>): Promise<T> {
  try {
    return work();
  } catch (error) {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- whatever it threw
    return Promise.reject(error);
  }
}
