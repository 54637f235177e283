import { decode, encode } from '../../lib/testing/wire/codec.js';
import { JuteReader } from '../../lib/testing/wire/jute-reader.js';
import { OpCode } from '../../lib/testing/wire/op-codes.js';
import { operations } from '../../lib/testing/wire/operations.js';
import { replyHeaderCodec, requestHeaderCodec, type Stat } from '../../lib/testing/wire/records.js';
import { fullPath } from './encoding.js';
import { FIRST_NODES } from './path-arbitraries.js';
import { connectRequest } from './frames.js';
import { WireClient } from './wire-client.js';

/** Nodes that outlive the runs. */
const LASTING = ['/', '/zookeeper', '/zookeeper/quota', '/zookeeper/config'];
const OPEN = [{ perms: 31, id: { scheme: 'world', id: 'anyone' } }];

/** The same for two servers, but for its zxids. */
export interface RunStart {
  /** Full path of the run's root, a new node. */
  root: string;
  /** zxid of the root's create. */
  zxid: bigint;
  baseline: Map<string, Stat>;
}

/** Prepares a run on the server: its first nodes, and the nodes of the server as they were at the beginning. */
export async function openRun(port: number, run: number): Promise<RunStart> {
  const root = `/r${String(run).padStart(6, '0')}`;
  const ask = await admin(port);
  for (const path of LASTING) {
    await ask('setData', { path, data: Buffer.alloc(0), version: -1 });
  }
  const created = await ask('create2', { path: root, data: null, acl: OPEN, flags: 0 });
  if (created.err !== 0)
    throw new Error(`The root of the run, ${root}, could not be created: error ${created.err}`);
  const { stat } = decode(operations.create2.response, created.body);
  for (const node of FIRST_NODES.slice(1)) {
    await ask('create', { path: fullPath(node, root), data: null, acl: OPEN, flags: 0 });
  }
  const baseline = new Map<string, Stat>();
  for (const path of LASTING) {
    const { body } = await ask('exists', { path, watch: false });
    baseline.set(path, decode(operations.exists.response, body).stat);
  }
  await ask('closeSession', undefined);
  return { root, zxid: stat.czxid, baseline };
}

type Ask = (op: keyof typeof operations, request: unknown) => Promise<{ err: number; body: Buffer }>;

/** A client that does one request after the other. */
async function admin(port: number): Promise<Ask> {
  const connection = await WireClient.open(port);
  connection.sendFrame(connectRequest());
  await connection.received(1);
  connection.takeFirst();
  return async (op, request) => {
    connection.sendFrame(
      encode(requestHeaderCodec, { xid: 1, type: OpCode[op] }),
      encode(operations[op].request as never, request as never),
    );
    await connection.received(1);
    const answer = connection.takeFirst();
    if (answer === undefined) throw new Error(`The server on port ${port} did not answer to ${op}.`);
    const reader = new JuteReader(answer);
    return { err: replyHeaderCodec.read(reader).err, body: reader.rest };
  };
}
