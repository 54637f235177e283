import { errorName } from '../wire/error-codes.js';

/** A refusal that the client sees as the `err` of the answer. */
export class ZkError extends Error {
  override readonly name = 'ZkError';

  constructor(
    /** See ErrorCode. */
    readonly code: number,
    /** What stands behind the reply header all the same: an error has a body only where ZooKeeper had begun one. */
    readonly body?: Buffer,
  ) {
    super(errorName(code));
  }
}
