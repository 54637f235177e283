import { ErrorCode } from '../wire/error-codes.js';
import { Perms } from '../wire/constants.js';
import type { Acl, Id, UncheckedAcl } from '../wire/records.js';
import { authSchemes } from './auth-schemes.js';
import { javaStringHash } from './java-hash-set.js';
import type { Peer } from './peer.js';
import { ZkError } from './zk-error.js';

const ANYONE: Id = { scheme: 'world', id: 'anyone' };
export const OPEN_ACL: readonly Acl[] = [{ perms: Perms.ALL, id: ANYONE }];
export const READ_ACL: readonly Acl[] = [{ perms: Perms.READ, id: ANYONE }];

/** @throws {ZkError} NoAuth unless one of the entries gives one of the permissions to the peer */
export function checkAccess(acl: readonly Acl[], perm: number, peer: Peer): void {
  if (!isAllowed(acl, perm, peer)) throw new ZkError(ErrorCode.NoAuth);
}

export function mayRead(acl: readonly Acl[], peer: Peer): boolean {
  return isAllowed(acl, Perms.READ, peer);
}

export function isAllowed(acl: readonly Acl[], perm: number, peer: Peer): boolean {
  return acl.some(({ perms, id }) => (perms & perm) !== 0 && (isAnyone(id) || isOneOf(id, peer.ids)));
}

function isOneOf(id: Id, ids: readonly Id[]): boolean {
  const provider = authSchemes.get(id.scheme);
  return ids.some((own) => own.scheme === id.scheme && provider?.matches(own.id, id.id));
}

/**
 * The list as it is kept: without duplicates, and with the scheme `auth` replaced by what the peer is authenticated as.
 * @throws {ZkError} InvalidACL when it is empty, names an unknown scheme or an id that the scheme does not know
 */
export function resolveAcl(entries: readonly UncheckedAcl[] | null, peer: Peer): Acl[] {
  const unique: UncheckedAcl[] = [];
  for (const entry of entries ?? []) {
    if (!unique.some((other) => isSame(entry, other))) unique.push(entry);
  }
  if (unique.length === 0) throw new ZkError(ErrorCode.InvalidACL);
  return unique.flatMap((entry) => resolveEntry(entry, peer));
}

function resolveEntry({ perms, id: { scheme, id } }: UncheckedAcl, peer: Peer): Acl[] {
  if (scheme === null) throw new ZkError(ErrorCode.InvalidACL);
  if (scheme === 'auth') {
    const ids = idsInOrder(peer).filter((own) => authSchemes.get(own.scheme)?.authenticates);
    if (ids.length === 0) throw new ZkError(ErrorCode.InvalidACL);
    return ids.map((own) => ({ perms, id: own }));
  }
  const provider = authSchemes.get(scheme);
  if (scheme !== ANYONE.scheme && !provider) throw new ZkError(ErrorCode.InvalidACL);
  if (id === null) throw new ZkError(ErrorCode.MarshallingError);
  const known = { scheme, id };
  if (!isAnyone(known) && !provider?.isValid(id)) throw new ZkError(ErrorCode.InvalidACL);
  return [{ perms, id: known }];
}

/** ZooKeeper stumbles over a null where it has to compare one. */
function isSame(entry: UncheckedAcl, other: UncheckedAcl): boolean {
  if (entry.perms !== other.perms) return false;
  if (entry.id.scheme === null) throw new ZkError(ErrorCode.MarshallingError);
  if (entry.id.scheme !== other.id.scheme) return false;
  if (entry.id.id === null) throw new ZkError(ErrorCode.MarshallingError);
  return entry.id.id === other.id.id;
}

function isAnyone({ scheme, id }: Id): boolean {
  return scheme === ANYONE.scheme && id === ANYONE.id;
}

/** Adds an identity, unless the peer has it already. */
export function addId(peer: Peer, { scheme, id }: Id): void {
  if (!peer.ids.some((own) => own.scheme === scheme && own.id === id)) peer.ids.push({ scheme, id });
}

/** The peer's identities in the order of ZooKeeper's hash set of them: up to its first enlargement, at 12. */
export function idsInOrder(peer: Peer): Id[] {
  return peer.ids.toSorted((a, b) => bucket(a) - bucket(b));
}

function bucket({ scheme, id }: Id): number {
  const prime = 37;
  const first = (Math.imul(prime, 17) + javaStringHash(scheme)) | 0;
  const hash = (Math.imul(prime, first) + javaStringHash(id)) | 0;
  return (hash ^ (hash >>> 16)) & 15;
}

/** The list as one sees it who may read the node but not administer it: without the hashes of passwords. */
export function hidePasswords(acl: readonly Acl[]): Acl[] {
  return acl.map(({ perms, id: { scheme, id } }) => ({
    perms,
    id: { scheme, id: scheme === 'digest' ? id.replaceAll(/:.*/g, ':x') : id },
  }));
}
