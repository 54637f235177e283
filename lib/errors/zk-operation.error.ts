/** ZooKeeper's error numbers that this library acts on (zookeeper.h, `enum ZOO_ERRORS`). */
export const ZkCode = {
  ok: 0,
  systemError: -1,
  connectionLoss: -4,
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

/** Codes that the client made up itself: the server may or may not have done what was asked. */
const MADE_BY_THE_CLIENT: ReadonlySet<number> = new Set([
  ZkCode.systemError,
  ZkCode.connectionLoss,
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

  /** True when the server itself answered, so that the request certainly did not take effect. */
  get answeredByServer(): boolean {
    return !MADE_BY_THE_CLIENT.has(this.zkCode);
  }
}

export function isZkOperationError(error: unknown, zkCode?: number): error is ZkOperationError {
  return error instanceof ZkOperationError && (zkCode === undefined || error.zkCode === zkCode);
}

/** True when the connection or the session failed under a request, so that its outcome is unknown. */
export function isOutcomeUnknown(error: unknown): error is ZkOperationError {
  return error instanceof ZkOperationError && !error.answeredByServer;
}
