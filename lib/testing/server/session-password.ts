import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const LENGTH = 16;

/** What a client gets instead of a password when its session is refused. */
export const NO_PASSWORD = Buffer.alloc(LENGTH);

/** A session's password follows from its id and the server's secret: nothing has to be kept. */
export class SessionPasswords {
  private readonly secret = randomBytes(LENGTH);

  /** 16 bytes. */
  of(sessionId: bigint): Buffer {
    return createHmac('sha256', this.secret).update(sessionId.toString()).digest().subarray(0, LENGTH);
  }

  accepts(sessionId: bigint, password: Uint8Array | null): boolean {
    return password?.length === LENGTH && timingSafeEqual(password, this.of(sessionId));
  }
}
