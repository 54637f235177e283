import { bool, buffer, int, long, nullableString, record, string, vector, type Decoded } from './codec.js';
import { aclListCodec } from './records.js';

// What stands behind the request header, by operation. Field names are those of zookeeper.jute.

const paths = vector(string);

const path = record({ path: string });
const pathAndWatch = record({ path: string, watch: bool });
const pathAndVersion = record({ path: string, version: int });
const pathAndType = record({ path: string, /** See WatcherType. */ type: int });

/** create, create2 and createContainer. */
export const createRequestCodec = record({
  path: string,
  data: buffer,
  acl: aclListCodec,
  /** See CreateFlag. */
  flags: int,
});
export type CreateRequest = Decoded<typeof createRequestCodec>;

export const createTtlRequestCodec = record({
  path: string,
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

export const setDataRequestCodec = record({ path: string, data: buffer, version: int });
export type SetDataRequest = Decoded<typeof setDataRequestCodec>;

export const setAclRequestCodec = record({ path: string, acl: aclListCodec, version: int });
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
export const addWatchRequestCodec = record({ path: string, /** See AddWatchMode. */ mode: int });

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

export const authPacketCodec = record({ type: int, scheme: string, auth: buffer });
export type AuthPacket = Decoded<typeof authPacketCodec>;
