import { bool, buffer, int, long, nullableString, nullableVector, record, type Decoded } from './codec.js';
import { aclListCodec } from './records.js';

// What stands behind the request header, by operation. Field names are those of zookeeper.jute. No client writes null as a
// path, but somebody may: ZooKeeper answers it, and so the types say so.

const paths = nullableVector(nullableString);

const path = record({ path: nullableString });
const pathAndWatch = record({ path: nullableString, watch: bool });
const pathAndVersion = record({ path: nullableString, version: int });
const pathAndType = record({ path: nullableString, /** See WatcherType. */ type: int });

/** create, create2 and createContainer. */
export const createRequestCodec = record({
  path: nullableString,
  data: buffer,
  acl: aclListCodec,
  /** See CreateFlag. */
  flags: int,
});
export type CreateRequest = Decoded<typeof createRequestCodec>;

export const createTtlRequestCodec = record({
  path: nullableString,
  data: buffer,
  acl: aclListCodec,
  flags: int,
  /** Milliseconds. */
  ttl: long,
});
export type CreateTtlRequest = Decoded<typeof createTtlRequestCodec>;

export const deleteRequestCodec = pathAndVersion;
export const checkVersionRequestCodec = pathAndVersion;
export type DeleteRequest = Decoded<typeof deleteRequestCodec>;
export type CheckVersionRequest = Decoded<typeof checkVersionRequestCodec>;

export const setDataRequestCodec = record({ path: nullableString, data: buffer, version: int });
export type SetDataRequest = Decoded<typeof setDataRequestCodec>;

export const setAclRequestCodec = record({ path: nullableString, acl: aclListCodec, version: int });
export type SetAclRequest = Decoded<typeof setAclRequestCodec>;

export const existsRequestCodec = pathAndWatch;
export const getDataRequestCodec = pathAndWatch;
/** getChildren and getChildren2. */
export const getChildrenRequestCodec = pathAndWatch;
export type PathAndWatch = Decoded<typeof pathAndWatch>;

export const getAclRequestCodec = path;
export const getAllChildrenNumberRequestCodec = path;

/** sync; its answer has the same shape. */
export const syncCodec = record({ path: nullableString });
export const getEphemeralsRequestCodec = record({ prefixPath: nullableString });

export const checkWatchesRequestCodec = pathAndType;
export const removeWatchesRequestCodec = pathAndType;
export const addWatchRequestCodec = record({ path: nullableString, /** See AddWatchMode. */ mode: int });

export const setWatchesCodec = record({
  /** The last zxid that the client has seen. */
  relativeZxid: long,
  dataWatches: paths,
  existWatches: paths,
  childWatches: paths,
});
export type SetWatches = Decoded<typeof setWatchesCodec>;

export const setWatches2Codec = record({
  relativeZxid: long,
  dataWatches: paths,
  existWatches: paths,
  childWatches: paths,
  persistentWatches: paths,
  persistentRecursiveWatches: paths,
});
export type SetWatches2 = Decoded<typeof setWatches2Codec>;

export const authPacketCodec = record({ type: int, scheme: nullableString, auth: buffer });
export type AuthPacket = Decoded<typeof authPacketCodec>;

/** sasl; its answer has the same shape. */
export const saslCodec = record({ token: buffer });

export const reconfigRequestCodec = record({
  joiningServers: nullableString,
  leavingServers: nullableString,
  newMembers: nullableString,
  curConfigId: long,
});
