/** ZooKeeper's error numbers that this library acts on (zookeeper.h, `enum ZOO_ERRORS`). */
export const ZkCode = {
  ok: 0,
  systemError: -1,
  runtimeInconsistency: -2,
  dataInconsistency: -3,
  connectionLoss: -4,
  marshallingError: -5,
  unimplemented: -6,
  operationTimeout: -7,
  badArguments: -8,
  invalidState: -9,
  noNode: -101,
  noAuth: -102,
  badVersion: -103,
  noChildrenForEphemerals: -108,
  nodeExists: -110,
  notEmpty: -111,
  sessionExpired: -112,
  invalidAcl: -114,
  authFailed: -115,
  closing: -116,
  sessionMoved: -118,
} as const;

const NAMES = new Map<number, string>(Object.entries(ZkCode).map(([name, code]) => [code, name]));

/** What only a server says, and only of a request that took no effect. */
const ANSWERS: ReadonlySet<number> = new Set([
  ZkCode.noNode,
  ZkCode.noAuth,
  ZkCode.badVersion,
  ZkCode.noChildrenForEphemerals,
  ZkCode.nodeExists,
  ZkCode.notEmpty,
  ZkCode.invalidAcl,
]);
/** What the client says of a request that it did not send. */
const NEVER_SENT: ReadonlySet<number> = new Set([ZkCode.badArguments, ZkCode.unimplemented]);

/** One request to ZooKeeper that failed. It stays inside the library: callers see the `Lock…Error`s. */
export class ZkOperationError extends Error {
  constructor(
    readonly operation: string,
    readonly path: string,
    readonly zkCode: number,
  ) {
    super(`${operation} ${path}: ${NAMES.get(zkCode) ?? 'ZooKeeper error'} (${zkCode})`);
    this.name = 'ZkOperationError';
  }

  /** True when the server itself answered. */
  get answeredByServer(): boolean {
    return ANSWERS.has(this.zkCode);
  }

  /** True when the connection or the session failed under it (or anything unheard of happened): done or not, who knows. */
  get isOutcomeUnknown(): boolean {
    return !ANSWERS.has(this.zkCode) && !NEVER_SENT.has(this.zkCode);
  }
}

export function isZkOperationError(error: unknown, zkCode?: number): error is ZkOperationError {
  return error instanceof ZkOperationError && (zkCode === undefined || error.zkCode === zkCode);
}

/** True when the connection or the session failed under a request, so that its outcome is unknown. */
export function isOutcomeUnknown(error: unknown): error is ZkOperationError {
  return error instanceof ZkOperationError && error.isOutcomeUnknown;
}
