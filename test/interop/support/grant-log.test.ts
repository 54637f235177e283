import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { alone, atMost, oneWriterOrReaders, outOfOrder, overlaps, readGrants } from './grant-log.js';

describe('The log of grants', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'zk-lock-grants-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** `+a5` actor a went in with a node of sequence 5; `-a5` out. Small letters write, capital ones read. */
  async function grants(short: string) {
    const log = join(folder, 'log');
    const line = ([sign, actor, ...sequence]: string) =>
      `${sign} node ${actor} ${actor === actor!.toUpperCase() ? 'read' : 'write'} ${sequence.join('')}\n`;
    await writeFile(log, short.split(' ').map(line).join(''));
    return readGrants(log);
  }

  it('should find nothing wrong with one after the other', async () => {
    const seen = await grants('+a1 -a1 +b2 -b2 +a3 -a3');
    expect(seen).toHaveLength(3);
    expect([...overlaps(seen, alone), ...outOfOrder(seen, alone)]).toEqual([]);
  });

  it('should find two who are in at the same time', async () => {
    expect(overlaps(await grants('+a1 +b2 -a1 -b2'), alone)).toEqual([
      'inside together: a write 1, b write 2',
    ]);
    expect(overlaps(await grants('+a1 +B2 -a1 -B2'), oneWriterOrReaders)).toHaveLength(1);
    expect(overlaps(await grants('+A1 +B2 +c3 -A1 -B2 -c3'), oneWriterOrReaders)).toHaveLength(1);
    expect(overlaps(await grants('+a1 +b2 +c3 -a1 -b2 -c3'), atMost(2))).toHaveLength(1);
  });

  it('should let readers be in together, and as many as there are permits', async () => {
    const readers = await grants('+B2 +A1 -A1 -B2 +c3 -c3');
    expect([...overlaps(readers, oneWriterOrReaders), ...outOfOrder(readers, oneWriterOrReaders)]).toEqual(
      [],
    );
    const holders = await grants('+b2 +a1 -a1 +c3 -b2 -c3');
    expect([...overlaps(holders, atMost(2)), ...outOfOrder(holders, atMost(2))]).toEqual([]);
  });

  it('should find who came in before its turn', async () => {
    expect(outOfOrder(await grants('+b2 -b2 +a1 -a1'), alone)).toEqual([
      'before its turn: b write 2, earlier: a write 1',
    ]);
    expect(outOfOrder(await grants('+B2 -B2 +a1 -a1'), oneWriterOrReaders)).toHaveLength(1);
    expect(outOfOrder(await grants('+c3 -c3 +a1 +b2 -a1 -b2'), atMost(2))).toHaveLength(1);
  });

  it('should refuse a log that is not whole', async () => {
    await expect(grants('+a1 +a2')).rejects.toThrow('out of place: + node a write 2');
    await expect(grants('-a1')).rejects.toThrow('out of place');
    await expect(grants('+a1')).rejects.toThrow('still inside: a');
  });
});
