import { ConflictException } from '@nestjs/common';

/** The database has seen a newer holder of the order's lock: this one must not write any more. */
export class StaleFencingTokenException extends ConflictException {
  constructor(
    readonly orderId: string,
    readonly fencingToken: bigint,
    readonly storedToken: bigint,
  ) {
    super({
      statusCode: 409,
      error: 'StaleFencingToken',
      message:
        `The payment of order ${orderId} was refused: its fencing token ${String(fencingToken)} is older than ` +
        `${String(storedToken)}, so another process has taken the order's lock over.`,
      orderId,
      fencingToken: String(fencingToken),
      storedToken: String(storedToken),
    });
  }
}
