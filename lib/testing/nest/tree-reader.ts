import { ZkCode, ZkOperationError } from '../../errors/zk-operation.error.js';
import type { NodeReader } from '../../recipes/contender.js';
import type { ZkStat } from '../../session/zk-client.js';
import type { TestingServer } from '../testing-server.js';
import type { Stat } from '../wire/records.js';

/**
 * Reads the nodes of a server in this process without a request: also of one that is paused, stopped, or answers wrongly.
 * @param ownSession hex, with `0x`; undefined for none.
 */
export function treeReader(
  { state: { database } }: TestingServer,
  ownSession: string | undefined,
): NodeReader {
  const read = (operation: string, path: string) => {
    const node = database.read(path);
    return node === undefined
      ? Promise.reject(new ZkOperationError(operation, path, ZkCode.noNode))
      : Promise.resolve(node);
  };
  return {
    get: (path) =>
      read('get', path).then(({ data, stat }) => ({ data: data ?? Buffer.alloc(0), stat: zkStat(stat) })),
    getChildren: (path) =>
      read('getChildren', path).then(({ children, stat }) => ({
        children: [...children],
        stat: zkStat(stat),
      })),
    owns: ({ ephemeralOwner }) => `0x${ephemeralOwner}` === ownSession,
  };
}

function zkStat({ czxid, pzxid, ctime, version, ephemeralOwner }: Stat): ZkStat {
  return {
    czxid: Number(czxid),
    pzxid: Number(pzxid),
    ctime: new Date(Number(ctime)),
    version,
    ephemeralOwner: BigInt.asUintN(64, ephemeralOwner).toString(16),
  };
}
