import { shown } from '../errors/shown.js';

// Every text of lib/locking, as functions of what they are about; the tests import them.

const solutions = (...lines: string[]): string =>
  ['', 'Potential solutions:', ...lines.map((line) => `- ${line}`)].join('\n');

const didYouMean = (nearest: string | undefined): string =>
  nearest === undefined ? '' : ` Did you mean <${nearest}>?`;

// --- keys -----------------------------------------------------------------------------------------------------------

export const keyNotAString = (value: unknown): string =>
  `A lock key is a non-empty string or made by lockKey(), but this is ${shown(value)}` +
  (Array.isArray(value)
    ? '. Several keys as one lock: multiLock(keys), withLock(keys, body) or @DistributedLock(keys)'
    : '');

const named = (given: object): string => {
  const { key } = given as { key?: unknown };
  return `the object of class ${given.constructor.name}${typeof key === 'string' ? ` of "${key}"` : ''}`;
};

export const notAKey = (given: object): string =>
  `A lock key is a string, made by lockKey() or { path }, but this is ${named(given)}` +
  solutions(
    'a lock of this library: call its own acquire() or withLock()',
    'as part of a multi-lock: multiLock() takes mutexes, and "read" and "write" of read/write locks',
  );

export const notAPath = (given: object): string => {
  const { path, ...more } = given as Record<string, unknown>;
  return (
    `A lock path is { path } and nothing else, but this is ${shown(given)}; ${Object.keys(more).join(', ')} would be ignored` +
    solutions(
      `in a list of multiLock(): { key: { path: ${shown(path)} }, mode: 'read' }`,
      `elsewhere beside the path: acquire({ path: ${shown(path)} }, { mode: 'read' })`,
    )
  );
};

export const keysNotAList = (keys: unknown): string =>
  `multiLock(keys): keys is ${shown(keys)}. Expected a list of keys.`;

export const bodyNotAFunction = (body: unknown): string =>
  `withLock(keys, body, options): body is ${shown(body)}. Expected a function.`;

export const valuesNotAnObject = (values: unknown): string =>
  `lockKey(template, values): values is ${shown(values)}. Expected an object or a list.`;

export const keyEmpty = (): string => 'A lock key must not be empty';

export const keyLoneSurrogate = (key: string): string =>
  `The lock key ${shown(key)} has half of a surrogate pair in it, which has no encoding`;

export const keyTooLong = (key: string, bytes: number, max: number): string =>
  `The lock key ${shown(key)} takes ${bytes} bytes when it is encoded; at most ${max} are allowed`;

export const keyListEmpty = (): string => 'The list of lock keys is empty: there is nothing to lock';

export const placeholderNotClosed = (template: string, at: number): string =>
  `The "<" at position ${at} of the key ${shown(template)} opens no placeholder such as <id>, <order.id> or <0.id>; write "<<" for a plain "<"`;

export const placeholdersTouch = (template: string, first: string, second: string): string =>
  `There is no ":" between <${first}> and <${second}> in the key ${shown(template)}, so that different values could make the same key`;

export const placeholderForbidden = (template: string, placeholder: string, segment: string): string =>
  `The placeholder <${placeholder}> of the key ${shown(template)} may not read "${segment}"`;

export const placeholderValue = (template: string, placeholder: string, value: unknown): string =>
  `The placeholder <${placeholder}> of the key ${shown(template)} is ${value === '' ? 'an empty string' : shown(value)}; it must be a non-empty string, a finite number, a bigint or a boolean` +
  // The default of a parameter comes into being in the method, after the key.
  (value === undefined ? ' (a default value of the parameter is not seen here)' : '');

// --- decorators, when a class is loaded -----------------------------------------------------------------------------

export const unknownPlaceholder = (
  site: string,
  placeholder: string,
  known: readonly string[],
  nearest: string | undefined,
): string =>
  `${site}: the placeholder <${placeholder}> is no parameter of the method.${didYouMean(nearest)} ` +
  `Known: ${known.length === 0 ? 'none' : known.map((name) => `<${name}>`).join(', ')}` +
  solutions(
    'check the spelling of the placeholder',
    "name the parameter where it is declared: @LockKey('name')",
    'use its position: <0>, <0.id>',
    'move @DistributedLock below decorators that hide the signature of the method',
  );

export const foreignPlaceholder = (site: string, written: string, placeholder: string): string =>
  `${site}: "${written}" is plain text in a key, so that all calls would share one lock; write <${placeholder}>` +
  solutions(`if it is meant as text, make the key by a function: () => '…${written}…'`);

export const unknownRequestPart = (
  site: string,
  placeholder: string,
  known: readonly string[],
  nearest: string | undefined,
): string =>
  `${site}: the placeholder <${placeholder}> is no part of the request.${didYouMean(nearest)} ` +
  `It begins with ${known.join(', ')}: <params.id>, <body.order.id>`;

export const ambiguousPlaceholder = (site: string, name: string, positions: readonly number[]): string =>
  `${site}: the placeholder <${name}> could be parameter ${positions.join(' or parameter ')}` +
  solutions(`use the position: <${positions[0] ?? 0}>`, `say which one with @LockKey('${name}')`);

export const lockKeyNameTaken = (site: string, name: string): string =>
  `${site}: @LockKey('${name}') stands on two parameters`;

export const lockKeyNameInvalid = (name: unknown): string =>
  `@LockKey(name): name must be a non-empty string without "<", ">", "." and spaces that is not a number, but it is ${shown(name)}`;

export const lockKeyOutsideMethod = (): string => '@LockKey(name) belongs on a parameter of a method';

export const staticTarget = (decorator: string, site: string): string =>
  `${site}: @${decorator} cannot stand on a static method, since Nest injects nothing into a class itself` +
  solutions('make it a method of an instance', 'call LockService.withLock() in it');

export const notAMethod = (decorator: string, site: string): string =>
  `${site}: @${decorator} belongs on a method`;

export const noKeys = (decorator: string, site: string): string =>
  `${site}: @${decorator} needs a key: a non-empty string, a function, { path }, or a non-empty list of these`;

export const syncGenerator = (site: string): string =>
  `${site}: a generator that is not async cannot wait for a lock` +
  solutions('make it an async generator (async *)');

/** What is wrong, and where it was written. */
export const at = (site: string, problem: string): string => `${site}: ${problem}`;

export const twoKinds = (site: string): string =>
  `${site}: options "mode" and "permits" exclude each other: a key is one side of a read/write lock or a semaphore`;

export const permitsOfSeveral = (site: string): string =>
  `${site}: option "permits" goes with one key; several keys cannot be one semaphore`;

export const leaderKeyNotFixed = (site: string, key: unknown): string =>
  `${site}: the key of @LeaderOnly is a string without placeholders, made by lockKey(), or { path }, since the application takes part in its election before the method is called; but it is ${shown(key)}` +
  solutions('for a lock per call use @DistributedLock', 'write "<<" for a plain "<"');

export const handlerLockedTwice = (site: string): string =>
  `${site}: @LockHandler stands on it twice` + solutions('give one @LockHandler a list of keys');

// --- start-up -------------------------------------------------------------------------------------------------------

export const lostOverride = (override: string, site: string): string =>
  `${override} overrides ${site}, which runs under a lock, and does not call it: the override runs WITHOUT the lock` +
  solutions('decorate the override as well', 'call super in it');

export const lostHandlerLock = (site: string): string =>
  `${site}: another decorator replaced the method and dropped its metadata: @LockHandler would not fire` +
  solutions('move @LockHandler above that decorator', 'let that decorator copy the metadata of the method');

export const noHandler = (site: string): string =>
  `${site}: @LockHandler would never fire, since Nest does not call this method as the handler of a request` +
  solutions('use @DistributedLock', 'add the decorator of the route, message or pattern');

export const notInjected = (className: string): string =>
  `${className} has locked methods but was not constructed by Nest: their calls will be refused` +
  solutions('provide it as a class or by useClass', 'call LockService.withLock() in it');

export const returnTypeUnknown = (site: string): string =>
  `${site} is locked as a method that returns a Promise, since it is neither async nor annotated; if it returns an Observable or an async iterable, its calls will be refused` +
  solutions(
    'annotate the return type: Promise<…> or Observable<…> (imported as a value: `import type` hides it)',
    'make it async, or an async generator (async *)',
  );

export const leaderPolicyDiffers = (site: string, key: string, other: string): string =>
  `${site} and ${other} take part in the same election "${key}" with different options "onSuspended"` +
  solutions('give both the same', 'give them different keys');

// --- calls ----------------------------------------------------------------------------------------------------------

export const interceptorMissing = (site: string): string =>
  `${site} was called on an object into which Nest has injected nothing, so it cannot lock; it did not run` +
  solutions(
    'provide the class itself or by useClass; with useFactory or useValue, and with new, nothing is injected',
    'do not call the method in the constructor: call it in onModuleInit',
    'call LockService.withLock() instead of the decorator',
  );

export const noSuchConnection = (site: string, connection: string | undefined): string =>
  `${site}: there is no ZkLockModule ${connection === undefined ? 'without connectionName' : `with connectionName "${connection}"`}` +
  solutions(
    connection === undefined
      ? 'import ZkLockModule.forRoot(…) in the root module'
      : `import ZkLockModule.forRoot({ connectionName: '${connection}', … }) in the root module`,
    "name the connection of the decorator: { connection: '…' }",
  );

export const ranUnlocked = (site: string, what: string): string =>
  `${site} returned ${what}, which would go on without the lock; the result was dropped` +
  solutions(
    'an Observable: annotate the return type (imported as a value: `import type` hides it), and do not make the method async',
    'an async iterable: make the method an async generator (async *); if it is one, compile with target ES2018 or later, since below that TypeScript makes a plain method of it',
  );

export const contextNotSupported = (site: string, type: string): string =>
  `${site}: @LockHandler knows requests of http, ws and rpc, not of ${type}` +
  solutions('use @DistributedLock, which locks by the arguments of the method');

// --- filter: what strangers may read --------------------------------------------------------------------------------

export const httpBusy = (): string => 'Somebody else is working on this; try again later';
export const httpUnavailable = (): string => 'The lock service is not available; try again later';
export const httpLost = (): string =>
  'The lock was lost while the request ran: its outcome is unknown; check before you try again';
export const httpBadKey = (): string => 'The request has no usable value to lock by';
export const httpInternal = (): string => 'Internal server error';
