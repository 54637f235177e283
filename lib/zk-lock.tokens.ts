// Symbol.for: a CommonJS and an ESM copy of the library agree on the tokens.
const DEFAULT_NAME = 'default';

const token = (what: string, connectionName = DEFAULT_NAME): symbol =>
  Symbol.for(`nestjs-zk-lock:${what}:${connectionName}`);

/** Injection token of the `LockService` of a named connection (`ZkLockModule.forRoot({ connectionName })`). */
export const getLockServiceToken = (connectionName?: string): symbol => token('lock-service', connectionName);

/** Injection token of the `ZkConnection` of a named connection. */
export const getZkConnectionToken = (connectionName?: string): symbol => token('connection', connectionName);

/** @internal Injection token of the checked options of a named connection. */
export const getZkLockOptionsToken = (connectionName?: string): symbol => token('options', connectionName);

/** @internal Injection token of a `ZkConnectionFactory`, where an application has one of its own. */
export const ZK_CONNECTION_FACTORY = Symbol.for('nestjs-zk-lock:connection-factory');
