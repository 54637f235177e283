import { LockConfigError } from './errors/lock-config.error.js';
import { nearestName } from './errors/nearest-name.js';
import { MAX_MS } from './recipes/acquire-options-check.js';
import { HANDOFF_ALLOWED, isHandoff } from './recipes/handoff-options.js';
import { DEFAULT_RETRY, type RetryPolicy } from './session/backoff.js';
import { parseConnectString } from './session/connect-string.js';
import type { ZkAcl, ZkPermission } from './session/zk-client.js';
import { znodePathProblem } from './session/znode-path.js';
import {
  OPTION_INVALID,
  OPTION_IS_EXTRA,
  OPTION_MISSING,
  OPTION_UNKNOWN,
  shown,
} from './zk-lock.messages.js';
import type { ResolvedZkLockOptions, ZkLockModuleExtras, ZkLockModuleOptions } from './zk-lock.options.js';

/** Durations: the smallest value, and the default. */
const DURATIONS = {
  sessionTimeoutMs: { min: 1_000, byDefault: 10_000 },
  connectTimeoutMs: { min: 1, byDefault: 10_000 },
  waitMs: { min: 0, byDefault: 20_000 },
  attemptMs: { min: 1, byDefault: 2_000 },
  releaseWaitMs: { min: 0, byDefault: 5_000 },
  shutdownGraceMs: { min: 0, byDefault: 5_000 },
  unreachableAfterMs: { min: 0, byDefault: 10_000 },
  lingerMs: { min: 0, byDefault: 0 },
} as const;

const NAMES = [
  'connectString',
  ...(Object.keys(DURATIONS) as (keyof typeof DURATIONS)[]),
  'root',
  'auth',
  'acl',
  'startup',
  'whenUnreachable',
  'retry',
  'handoff',
  'maxWaiting',
] as const satisfies readonly (keyof ZkLockModuleOptions)[];
const EXTRAS = ['isGlobal', 'connectionName'] as const satisfies readonly (keyof ZkLockModuleExtras)[];
const PERMISSIONS: readonly ZkPermission[] = ['read', 'write', 'create', 'delete', 'admin'];

/**
 * Fills in the defaults and checks every option.
 * @throws LockConfigError that names the option, its value (never credentials) and what is allowed.
 */
export function resolveOptions(options: ZkLockModuleOptions): ResolvedZkLockOptions {
  const given = checkIsObject(options);
  checkNames('', given, NAMES);
  if (given.connectString === undefined) {
    throw new LockConfigError(OPTION_MISSING('connectString', CONNECT_STRING));
  }
  if (typeof given.connectString !== 'string') invalid('connectString', given.connectString, CONNECT_STRING);
  const auth = resolveAuth(given.auth);
  const {
    root = '/locks',
    acl = auth === undefined ? 'open' : 'creator',
    startup = 'require',
    whenUnreachable = 'fail',
  } = given;
  return {
    ...parseConnectString(given.connectString),
    root: resolveRoot(root),
    auth,
    acl: resolveAcl(acl, auth !== undefined),
    startup: oneOf('startup', startup, ['require', 'background']),
    whenUnreachable: oneOf('whenUnreachable', whenUnreachable, ['fail', 'local']),
    unreachableAfterMs: duration(given, 'unreachableAfterMs'),
    handoff: resolveHandoff(given.handoff),
    lingerMs: duration(given, 'lingerMs'),
    maxWaiting: resolveMaxWaiting(given.maxWaiting),
    retry: resolveRetry(given.retry),
    sessionTimeoutMs: duration(given, 'sessionTimeoutMs'),
    connectTimeoutMs: duration(given, 'connectTimeoutMs'),
    waitMs: duration(given, 'waitMs'),
    attemptMs: duration(given, 'attemptMs'),
    releaseWaitMs: duration(given, 'releaseWaitMs'),
    shutdownGraceMs: duration(given, 'shutdownGraceMs'),
  };
}

/** @throws LockConfigError */
export function checkIsObject(options: unknown): Record<string, unknown> {
  return asRecord('options', options, 'an object');
}

/** @throws LockConfigError */
export function checkExtras({ isGlobal, connectionName }: ZkLockModuleExtras): void {
  if (isGlobal !== undefined && typeof isGlobal !== 'boolean') invalid('isGlobal', isGlobal, 'true or false');
  if (connectionName !== undefined && (typeof connectionName !== 'string' || connectionName.trim() === '')) {
    invalid('connectionName', connectionName, 'a name');
  }
}

const CONNECT_STRING = 'a string such as "zk1:2181,zk2:2181/my-app"';

function resolveRoot(root: unknown): string {
  const allowed = 'an absolute path below "/", for example "/locks" or "/teams/orders/locks"';
  if (typeof root !== 'string') return invalid('root', root, allowed);
  const problem = root === '/' ? 'that is everything' : znodePathProblem(root);
  if (problem !== undefined) invalid('root', root, `${allowed} (${problem})`);
  return root;
}

function oneOf<T extends string>(option: string, value: unknown, allowed: readonly [T, T]): T {
  return allowed.find((one) => one === value) ?? invalid(option, value, `'${allowed.join("' or '")}'`);
}

function resolveRetry(value: unknown): RetryPolicy {
  if (value === undefined) return DEFAULT_RETRY;
  const given = asRecord('retry', value, '{ initialMs, maxMs, multiplier }');
  checkNames('retry.', given, Object.keys(DEFAULT_RETRY));
  const { initialMs, maxMs, multiplier } = { ...DEFAULT_RETRY, ...given };
  if (!isDuration(initialMs, 1)) invalid('retry.initialMs', initialMs, `an integer from 1 to ${MAX_MS} (ms)`);
  if (!isDuration(maxMs, initialMs))
    invalid('retry.maxMs', maxMs, `an integer from initialMs (${initialMs}) to ${MAX_MS} (ms)`);
  if (typeof multiplier !== 'number' || !(multiplier >= 1 && multiplier <= 10))
    invalid('retry.multiplier', multiplier, 'a number from 1 to 10');
  return { initialMs, maxMs, multiplier };
}

function resolveHandoff(value: unknown): ResolvedZkLockOptions['handoff'] {
  if (value === undefined) return {};
  if (!isHandoff(value)) return invalid('handoff', value, HANDOFF_ALLOWED);
  return value;
}

function resolveMaxWaiting(value: unknown): number {
  if (value === undefined) return Infinity;
  const allowed = 'an integer from 1 (calls)';
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1)
    return invalid('maxWaiting', value, allowed);
  return value;
}

function isDuration(value: unknown, min: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= MAX_MS;
}

/** What stands in `credentials` is never shown, not even when it is wrong. */
function resolveAuth(value: unknown): ResolvedZkLockOptions['auth'] {
  if (value === undefined) return undefined;
  const auth = asRecord('auth', value, "{ scheme: 'digest', credentials: 'user:password' }", '(not shown)');
  checkNames('auth.', auth, ['scheme', 'credentials']);
  if (auth.scheme !== 'digest') invalid('auth.scheme', auth.scheme, "'digest'");
  const { credentials } = auth;
  if (typeof credentials !== 'string' || !/^[^:]+:./s.test(credentials)) {
    throw new LockConfigError(
      OPTION_INVALID('auth.credentials', 'malformed (not shown)', "'user:password', neither of them empty"),
    );
  }
  // Not enumerable: whoever prints the options, the module or the connection does not print the password.
  return Object.defineProperty({ scheme: 'digest', credentials }, 'credentials', { enumerable: false });
}

function resolveAcl(acl: unknown, hasAuth: boolean): readonly ZkAcl[] | undefined {
  if (acl === 'open') return undefined;
  if (acl === 'creator') {
    if (!hasAuth)
      invalid('acl', acl, "'open' or a list, since a session without auth has no name to give access to");
    return [{ scheme: 'auth', id: '', permissions: PERMISSIONS }];
  }
  const allowed = "'open', 'creator' or a list of { scheme, id, permissions }";
  if (!Array.isArray(acl)) return invalid('acl', acl, allowed);
  if (acl.length === 0) {
    throw new LockConfigError(OPTION_INVALID('acl', 'an empty list', `${allowed}, with at least one entry`));
  }
  return acl.map((entry: unknown, at) => resolveAclEntry(`acl[${at}]`, entry, hasAuth));
}

function resolveAclEntry(name: string, value: unknown, hasAuth: boolean): ZkAcl {
  const entry = asRecord(name, value, '{ scheme, id, permissions }');
  checkNames(`${name}.`, entry, ['scheme', 'id', 'permissions']);
  const { scheme, id, permissions } = entry;
  if (typeof scheme !== 'string' || scheme === '') {
    return invalid(
      `${name}.scheme`,
      scheme,
      "one of ZooKeeper's schemes, for example 'world', 'auth' or 'digest'",
    );
  }
  if (scheme === 'auth' && !hasAuth)
    invalid(`${name}.scheme`, scheme, 'another scheme, or the option auth as well');
  if (typeof id !== 'string') return invalid(`${name}.id`, id, "a string ('anyone' for world, '' for auth)");
  if (scheme === 'world' && id !== 'anyone')
    invalid(`${name}.id`, id, "'anyone', the only id of the scheme world");
  const allowed = `a list of ${PERMISSIONS.map((permission) => `'${permission}'`).join(', ')}, with at least one entry`;
  if (!Array.isArray(permissions) || permissions.length === 0) {
    return invalid(`${name}.permissions`, permissions, allowed);
  }
  const wrong: unknown = permissions.find((permission) => !PERMISSIONS.includes(permission as ZkPermission));
  if (wrong !== undefined) invalid(`${name}.permissions`, wrong, allowed);
  return { scheme, id, permissions: permissions as ZkPermission[] };
}

function duration(given: Readonly<Record<string, unknown>>, name: keyof typeof DURATIONS): number {
  const { min, byDefault } = DURATIONS[name];
  const { [name]: value = byDefault } = given;
  if (isDuration(value, min)) return value;
  return invalid(name, value, `an integer from ${min} to ${MAX_MS} (ms)`);
}

function asRecord(name: string, value: unknown, allowed: string, instead?: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new LockConfigError(OPTION_INVALID(name, instead ?? shown(value), allowed));
  }
  return value as Record<string, unknown>;
}

function checkNames(prefix: string, given: Record<string, unknown>, names: readonly string[]): void {
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue;
    if (prefix === '' && (EXTRAS as readonly string[]).includes(name))
      throw new LockConfigError(OPTION_IS_EXTRA(name));
    throw new LockConfigError(
      OPTION_UNKNOWN(`${prefix}${name}`, prefixed(prefix, nearestName(name, names)), names),
    );
  }
}

function prefixed(prefix: string, name: string | undefined): string | undefined {
  return name === undefined ? undefined : `${prefix}${name}`;
}

function invalid(option: string, value: unknown, allowed: string): never {
  throw new LockConfigError(OPTION_INVALID(option, shown(value), allowed));
}
