import { describe, expect, it } from '@jest/globals';
import { FrameProxy, type Change } from './frame-proxy.js';
import { Duel } from './duel.js';
import { embeddedServer } from './servers.js';

const OPERATIONS = 600;
const HEADER_BYTES = 16;
const STAT_BYTES = 68;
const VERSION_AT = HEADER_BYTES + 32;

const isEvent = (frame: Buffer) => frame.length > HEADER_BYTES && frame.readInt32BE(0) === -1;
const error = (frame: Buffer) => frame.readInt32BE(12);

/** Two embedded servers, of which one is behind a proxy that changes what it says. */
async function differenceWith(change: () => Change): Promise<string | undefined> {
  await using honest = await embeddedServer();
  await using other = await embeddedServer();
  await using proxy = await FrameProxy.start(other.port, change);
  const duel = new Duel({ name: 'honest', port: honest.port }, { name: 'changed', port: proxy.port });
  return (await duel.fight({ seed: 1, operations: OPERATIONS })).difference;
}

describe('The differential test', () => {
  it('should see no difference between two servers of a kind', async () => {
    expect(await differenceWith(() => (frame) => [frame])).toBeUndefined();
  });

  it('should see another error', async () => {
    const difference = await differenceWith(() => (frame) => {
      if (frame.length === HEADER_BYTES && error(frame) === -101) frame.writeInt32BE(-110, 12);
      return [frame];
    });
    expect(difference).toMatch(/NoNode.*\n.*changed.*\n.*NodeExists/);
  });

  it('should see a wrong figure in a stat, and show the shortest way to it', async () => {
    const difference = await differenceWith(() => (frame) => {
      const isStat = frame.length === HEADER_BYTES + STAT_BYTES && error(frame) === 0;
      if (isStat && frame.readInt32BE(VERSION_AT) === 1) frame.writeInt32BE(2, VERSION_AT);
      return [frame];
    });
    expect(difference).toContain('"version":1');
    expect(difference).toContain('"version":2');
    expect(difference?.split('\n').filter((line) => /^ +\d+\. /.test(line)).length).toBeLessThanOrEqual(3);
  });

  it('should see an event that is missing', async () => {
    const difference = await differenceWith(() => (frame) => (isEvent(frame) ? [] : [frame]));
    expect(difference).toMatch(/honest:\n +event/);
  });

  it('should see an event that comes behind the answer instead of before it', async () => {
    const difference = await differenceWith(() => {
      let held: Buffer[] = [];
      return (frame) => {
        if (isEvent(frame)) {
          held.push(frame);
          return [];
        }
        const late = held;
        held = [];
        return [frame, ...late];
      };
    });
    expect(difference).toMatch(/changed:\n( +answer.*\n)+ +event/);
  });
});
