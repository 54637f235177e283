import { buffer, int, record, string, vector } from './codec.js';
import { aclListCodec, clientInfoCodec, statCodec } from './records.js';

// What stands behind the reply header when its err is 0, by operation. Where an operation is missing, nothing does.

export const createResponseCodec = record({ path: string });
/** create2, createContainer and createTTL. */
export const create2ResponseCodec = record({ path: string, stat: statCodec });
/** exists, setData, setACL and check. */
export const statResponseCodec = record({ stat: statCodec });
export const getDataResponseCodec = record({ data: buffer, stat: statCodec });
export const getAclResponseCodec = record({ acl: aclListCodec, stat: statCodec });
export const getChildrenResponseCodec = record({ children: vector(string) });
export const getChildren2ResponseCodec = record({ children: vector(string), stat: statCodec });
export const getAllChildrenNumberResponseCodec = record({ totalNumber: int });
export const getEphemeralsResponseCodec = record({ ephemerals: vector(string) });
/** addWatch answers one with 0; in a multi it stands for the operation that failed. */
export const errorResponseCodec = record({ err: int });
export const whoAmIResponseCodec = record({ clientInfo: vector(clientInfoCodec) });
