/** ZooKeeper's error numbers that this library acts on (zookeeper.h, `enum ZOO_ERRORS`). */
export const ZkCode = {
  ok: 0,
  systemError: -1,
  runtimeInconsistency: -2,
  dataInconsistency: -3,
  connectionLoss: -4,
  marshallingError: -5,
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

/** What the client says when the connection or the session failed under a request: the server may have done it or not. */
const OUTCOME_UNKNOWN: ReadonlySet<number> = new Set([
  ZkCode.systemError,
  ZkCode.runtimeInconsistency,
  ZkCode.dataInconsistency,
  ZkCode.connectionLoss,
  ZkCode.marshallingError,
  ZkCode.operationTimeout,
  ZkCode.invalidState,
  ZkCode.sessionExpired,
  ZkCode.authFailed,
  ZkCode.closing,
  ZkCode.sessionMoved,
]);

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

  get isOutcomeUnknown(): boolean {
    return OUTCOME_UNKNOWN.has(this.zkCode);
  }

  /** True when the server itself answered. Codes above -100 are the client's own, also where nothing was sent. */
  get answeredByServer(): boolean {
    return this.zkCode < -100 && !this.isOutcomeUnknown;
  }
}

export function isZkOperationError(error: unknown, zkCode?: number): error is ZkOperationError {
  return error instanceof ZkOperationError && (zkCode === undefined || error.zkCode === zkCode);
}

/** True when the connection or the session failed under a request, so that its outcome is unknown. */
export function isOutcomeUnknown(error: unknown): error is ZkOperationError {
  return error instanceof ZkOperationError && error.isOutcomeUnknown;
}
