import * as fc from 'fast-check';
import { anyRequest, easyMulti, nearbyRequest } from './request-arbitraries.js';
import { printRequest, type Request } from './requests.js';

export const CLIENTS = 4;

/** How a client says who it is when it connects again. */
export type Return =
  | 'with its session'
  | 'with its session, having seen the future'
  | 'with its session, as an old client'
  | 'with a wrong password'
  | 'with an empty password'
  | 'with an unknown session';

/** A frame that breaks the rules of the connection itself. */
export type BadFrame = 'empty' | 'half a header' | 'oversized' | 'negative length';

/** How somebody without a session begins a connection, instead of with a proper connect request. */
export type Greeting =
  | 'an empty frame'
  | 'half a connect request'
  | 'a frame too long'
  | 'a frame of zeros'
  | 'a connect request without password'
  | 'a connect request with a long password'
  | 'a connect request with a negative session'
  | 'a connect request of another protocol version';

/** What one client does. A client that is not connected connects first, see `Stage`; one that `connect`s gives up its session. */
export type Step = { client: number } & (
  | { act: 'request'; requests: Request[] }
  | { act: 'connect'; timeoutMs: number; old: boolean }
  | { act: 'return'; as: Return }
  | { act: 'cut' }
  | { act: 'close session' }
  | { act: 'bad frame'; frame: BadFrame }
  | { act: 'longest frame' }
  | { act: 'greet'; greeting: Greeting }
);

const client = fc.nat({ max: CLIENTS - 1 });

function step<A extends Step['act']>(
  act: A,
  fields: {
    [K in Exclude<keyof Extract<Step, { act: A }>, 'act' | 'client'>]: fc.Arbitrary<
      Extract<Step, { act: A }>[K]
    >;
  },
): fc.Arbitrary<Step> {
  return fc.record<object>({ client, ...fields }).map((made) => ({ ...made, act }) as Step);
}

/**
 * What ZooKeeper answers out of turn, or applies too late for what is sent right behind it. A multi that it stumbles over is
 * for what comes next as if it had been done.
 */
const ALONE: readonly Request['op'][] = ['auth', 'raw', 'truncated', 'setACL', 'multi'];

/** Several at once, sent without waiting for answers. */
const together = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: anyRequest.filter(({ op }) => !ALONE.includes(op)) },
    { weight: 1, arbitrary: easyMulti },
  ),
  { minLength: 2, maxLength: 5 },
);

const one = (request: fc.Arbitrary<Request>) => step('request', { requests: request.map((made) => [made]) });

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 120, arbitrary: one(anyRequest) },
  { weight: 4, arbitrary: step('request', { requests: together }) },
  {
    weight: 2,
    arbitrary: step('connect', {
      timeoutMs: fc.constantFrom(30_000, 30_000, 0, -1, 1, 4_001, 39_999, 1_000_000),
      old: fc.constantFrom(false, false, true),
    }),
  },
  {
    weight: 6,
    arbitrary: step('return', {
      as: fc.constantFrom<Return[]>(
        'with its session',
        'with its session',
        'with its session',
        'with its session',
        'with its session',
        'with its session, having seen the future',
        'with its session, as an old client',
        'with a wrong password',
        'with an empty password',
        'with an unknown session',
      ),
    }),
  },
  { weight: 4, arbitrary: step('cut', {}) },
  { weight: 2, arbitrary: step('close session', {}) },
  {
    weight: 1,
    arbitrary: step('bad frame', {
      frame: fc.constantFrom<BadFrame[]>('empty', 'half a header', 'oversized', 'negative length'),
    }),
  },
  { weight: 1, arbitrary: step('longest frame', {}) },
  {
    weight: 1,
    arbitrary: step('greet', {
      greeting: fc.constantFrom<Greeting[]>(
        'an empty frame',
        'half a connect request',
        'a frame too long',
        'a frame of zeros',
        'a connect request without password',
        'a connect request with a long password',
        'a connect request with a negative session',
        'a connect request of another protocol version',
      ),
    }),
  },
);

const nearbyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 30, arbitrary: one(nearbyRequest) },
  { weight: 1, arbitrary: step('cut', {}) },
  { weight: 1, arbitrary: step('close session', {}) },
);

/** One run: what the clients do, one after the other. All are connected at the start. */
export function anyRun(length: number): fc.Arbitrary<Step[]> {
  const run = (steps: fc.Arbitrary<Step>) =>
    fc.array(steps, { minLength: 1, maxLength: length, size: 'max' });
  return fc.oneof({ weight: 3, arbitrary: run(anyStep) }, { weight: 1, arbitrary: run(nearbyStep) });
}

export function printStep(step: Step): string {
  const who = `client ${step.client}`;
  switch (step.act) {
    case 'request':
      return `${who}: ${step.requests.map(printRequest).join('  and at once  ')}`;
    case 'connect':
      return `${who} begins a new session${step.old ? ' as an old client' : ''}, timeout ${step.timeoutMs}`;
    case 'return':
      return `${who} connects again ${step.as}`;
    case 'cut':
      return `${who} loses its connection`;
    case 'close session':
      return `${who} closes its session`;
    case 'bad frame':
      return `${who} sends a bad frame: ${step.frame}`;
    case 'longest frame':
      return `${who} reads the root of the run with a request as long as allowed`;
    case 'greet':
      return `somebody connects and sends ${step.greeting}`;
  }
}
