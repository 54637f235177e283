import { Inject } from '@nestjs/common';
import { getLockServiceToken, getZkConnectionToken } from './zk-lock.tokens.js';

/** Injects the `LockService` of a named connection; without a name, of the default one. */
export const InjectLockService = (connectionName?: string): PropertyDecorator & ParameterDecorator =>
  Inject(getLockServiceToken(connectionName));

/** Injects the `ZkConnection` of a named connection; without a name, of the default one. */
export const InjectZkConnection = (connectionName?: string): PropertyDecorator & ParameterDecorator =>
  Inject(getZkConnectionToken(connectionName));
