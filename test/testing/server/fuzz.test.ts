import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestingServer } from '../../../lib/testing/testing-server.js';
import { encode } from '../../../lib/testing/wire/codec.js';
import { frame } from '../../../lib/testing/wire/frame-splitter.js';
import { OpCode } from '../../../lib/testing/wire/op-codes.js';
import { requestHeaderCodec } from '../../../lib/testing/wire/records.js';
import { RandomNumbers } from './random-numbers.js';
import { OPEN_ACL, RawClient } from './raw-client.js';

const SECONDS = Number(process.env.FUZZ_SECONDS ?? 3);
const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000_000);
const OPS = Object.values(OpCode);

/** Requests that are well formed, to begin with. */
function someRequest(client: RawClient, random: RandomNumbers): Buffer {
  const path = random.pick(['/', '/a', '/a/b', '/c', '', '//', '/\u0000', '/zookeeper', 'a']);
  const watch = random.chance(0.5);
  return random.pick([
    () => client.encode('create', { path, data: random.bytes(20), acl: OPEN_ACL, flags: random.below(8) }),
    () => client.encode('delete', { path, version: random.below(3) - 1 }),
    () => client.encode('setData', { path, data: random.bytes(20), version: -1 }),
    () => client.encode('getData', { path, watch }),
    () => client.encode('exists', { path, watch }),
    () => client.encode('getChildren2', { path, watch }),
    () => client.encode('addWatch', { path, mode: random.below(3) }),
    () => client.encode('setACL', { path, acl: OPEN_ACL, version: -1 }),
    () => client.encode('auth', { type: 0, scheme: 'digest', auth: Buffer.from('a:b') }),
    () =>
      client.encode('setWatches', {
        relativeZxid: 0n,
        dataWatches: [path],
        existWatches: [path],
        childWatches: [path],
      }),
    () => client.encode('ping', undefined, -2),
  ])();
}

/** Something that a client should not say. */
function hostileBytes(client: RawClient, random: RandomNumbers): Buffer {
  const bytes = someRequest(client, random);
  return random.pick([
    () => random.bytes(200),
    () => frame(random.bytes(200)),
    () =>
      frame(encode(requestHeaderCodec, { xid: random.below(100), type: random.pick(OPS) }), random.bytes(60)),
    () => bytes.subarray(0, random.below(bytes.length)),
    () => bytes,
    () => {
      for (let i = 0; i <= random.below(4); i += 1) bytes[random.below(bytes.length)] = random.below(256);
      return bytes;
    },
    () => {
      // Only the record is spoilt, so that the frame is taken whole.
      if (bytes.length > 12) bytes[12 + random.below(bytes.length - 12)] = random.pick([0, 1, 127, 128, 255]);
      return bytes;
    },
  ])();
}

async function attack(server: TestingServer, random: RandomNumbers): Promise<void> {
  const client = random.chance(0.2) ? await RawClient.dial(server.port) : await RawClient.open(server.port);
  for (let i = 0; i < 20 && !client.isClosed; i += 1) client.write(hostileBytes(client, random));
  if (random.chance(0.3)) client.socket.resetAndDestroy();
  else client.socket.end();
  await client.end();
  await client[Symbol.asyncDispose]();
}

describe('fuzzing', () => {
  let server: TestingServer;
  beforeAll(async () => {
    server = await TestingServer.start();
  });
  afterAll(() => server.stop());

  it(
    `should neither crash nor grow for ${SECONDS} s of hostile input (FUZZ_SEED=${SEED})`,
    async () => {
      const random = new RandomNumbers(SEED);
      const until = performance.now() + SECONDS * 1_000;
      let heap = 0;
      for (let round = 0; performance.now() < until; round += 1) {
        await Promise.all(Array.from({ length: 20 }, () => attack(server, random)));
        for (const { id, connected } of server.sessions()) if (!connected) server.expireSession(id);
        if (round === 20) heap = process.memoryUsage().heapUsed;
      }
      await using client = await RawClient.open(server.port);

      expect(await client.exists('/')).toBe(true);
      expect(await RawClient.word(server.port, 'ruok')).toBe('imok');
      if (heap > 0) expect(process.memoryUsage().heapUsed).toBeLessThan(heap + 300 * (1 << 20));
    },
    SECONDS * 1_000 + 30_000,
  );
});
