import { empty } from './codec.js';
import { multiRequestCodec, multiResponseCodec } from './multi.js';
import type { OpName } from './op-codes.js';
import * as requests from './requests.js';
import * as responses from './responses.js';

/**
 * The record behind the request header and the one behind the reply header, by operation. Connecting stands outside:
 * its records have no headers.
 */
export const operations = {
  create: { request: requests.createRequestCodec, response: responses.createResponseCodec },
  create2: { request: requests.createRequestCodec, response: responses.create2ResponseCodec },
  createContainer: { request: requests.createRequestCodec, response: responses.create2ResponseCodec },
  createTTL: { request: requests.createTtlRequestCodec, response: responses.create2ResponseCodec },
  delete: { request: requests.deleteRequestCodec, response: empty },
  exists: { request: requests.existsRequestCodec, response: responses.statResponseCodec },
  getData: { request: requests.getDataRequestCodec, response: responses.getDataResponseCodec },
  setData: { request: requests.setDataRequestCodec, response: responses.statResponseCodec },
  getACL: { request: requests.getAclRequestCodec, response: responses.getAclResponseCodec },
  setACL: { request: requests.setAclRequestCodec, response: responses.statResponseCodec },
  getChildren: { request: requests.getChildrenRequestCodec, response: responses.getChildrenResponseCodec },
  getChildren2: { request: requests.getChildrenRequestCodec, response: responses.getChildren2ResponseCodec },
  sync: { request: requests.syncCodec, response: requests.syncCodec },
  ping: { request: empty, response: empty },
  check: { request: requests.checkVersionRequestCodec, response: responses.statResponseCodec },
  multi: { request: multiRequestCodec, response: multiResponseCodec },
  multiRead: { request: multiRequestCodec, response: multiResponseCodec },
  checkWatches: { request: requests.checkWatchesRequestCodec, response: empty },
  removeWatches: { request: requests.removeWatchesRequestCodec, response: empty },
  addWatch: { request: requests.addWatchRequestCodec, response: responses.errorResponseCodec },
  setWatches: { request: requests.setWatchesCodec, response: empty },
  setWatches2: { request: requests.setWatches2Codec, response: empty },
  getEphemerals: {
    request: requests.getEphemeralsRequestCodec,
    response: responses.getEphemeralsResponseCodec,
  },
  getAllChildrenNumber: {
    request: requests.getAllChildrenNumberRequestCodec,
    response: responses.getAllChildrenNumberResponseCodec,
  },
  whoAmI: { request: empty, response: responses.whoAmIResponseCodec },
  auth: { request: requests.authPacketCodec, response: empty },
  sasl: { request: requests.saslCodec, response: requests.saslCodec },
  reconfig: { request: requests.reconfigRequestCodec, response: responses.getDataResponseCodec },
  closeSession: { request: empty, response: empty },
} satisfies Partial<Record<OpName, { request: object; response: object }>>;
