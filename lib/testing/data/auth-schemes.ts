import { createHash } from 'node:crypto';

/** How one scheme of identities compares them. */
export interface AuthScheme {
  /** Whether having such an identity means that somebody has proved who he is. */
  readonly authenticates: boolean;
  /** Whether an access control list may name it. */
  isValid(id: string): boolean;
  /** Whether somebody's own identity is meant by the one in an access control list. */
  matches(own: string, listed: string): boolean;
  /** As whoAmI names the identity. */
  userOf(id: string): string;
}

const digest: AuthScheme = {
  authenticates: true,
  // Java's split: empty parts at the end do not count.
  isValid: (id) => id.replace(/:+$/, '').split(':').length === 2,
  matches: (own, listed) => own === listed,
  userOf: (id) => id.split(':', 1)[0] ?? '',
};

const ip: AuthScheme = {
  authenticates: false,
  isValid: (id) => parseNetwork(id) !== undefined,
  matches(own, listed) {
    const network = parseNetwork(listed);
    const address = parseAddress(own);
    if (network === undefined || address === undefined) return false;
    const free = 2 ** (32 - network.bits);
    return Math.floor(address / free) === Math.floor(network.address / free);
  },
  userOf: (id) => id,
};

/** The schemes that ZooKeeper knows without further set-up, beside `world` and `auth`. */
export const authSchemes: ReadonlyMap<string, AuthScheme> = new Map([
  ['digest', digest],
  ['ip', ip],
]);

/** What an auth request with `user:password` makes somebody: `user:` and the hash of the whole. */
export function digestId(userAndPassword: string): string {
  const hash = createHash('sha1').update(userAndPassword, 'utf8').digest('base64');
  return `${userAndPassword.split(':', 1)[0] ?? ''}:${hash}`;
}

/** `10.1.2.3` or `10.1.0.0/16`. */
function parseNetwork(text: string): { address: number; bits: number } | undefined {
  const slash = text.indexOf('/');
  const address = parseAddress(slash === -1 ? text : text.slice(0, slash));
  const bits = slash === -1 ? 32 : parseInteger(text.slice(slash + 1), 32);
  return address === undefined || bits === undefined ? undefined : { address, bits };
}

function parseAddress(text: string): number | undefined {
  const parts = text.split('.').map((part) => parseInteger(part, 255));
  if (parts.length !== 4) return undefined;
  let address = 0;
  for (const part of parts) {
    if (part === undefined) return undefined;
    address = address * 256 + part;
  }
  return address;
}

/** As Java's parseInt reads it: a sign and leading zeros are welcome. */
function parseInteger(text: string, max: number): number | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const value = Number(text);
  return value >= 0 && value <= max ? value : undefined;
}
