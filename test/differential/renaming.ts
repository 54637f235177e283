import type { Stat } from '../../lib/testing/wire/records.js';

const HOUR_MS = 3_600_000n;

/**
 * Replaces what must differ between two servers: transaction ids become distances from the start of the run, session ids
 * become names, and times are checked instead of compared. The figures of nodes that outlive a run count from its start.
 */
export class Renaming {
  private readonly sessions = new Map<bigint, string>();
  private readonly times = new Map<bigint, bigint>();

  /** @param baseline nodes that every server has, as they were at the start of the run, by full path */
  constructor(
    private readonly startZxid: bigint,
    private readonly baseline: ReadonlyMap<string, Stat>,
  ) {}

  nameSession(id: bigint, name: string): void {
    this.sessions.set(id, name);
  }

  /** Hexadecimal without a name: the marks of containers and TTL nodes are the same everywhere. */
  session(id: bigint): string {
    return this.sessions.get(id) ?? (id === 0n ? '0' : `0x${BigInt.asUintN(64, id).toString(16)}`);
  }

  zxid(zxid: bigint): string {
    if (zxid <= 0n) return String(zxid);
    return zxid < this.startZxid ? 'old' : `+${zxid - this.startZxid}`;
  }

  stat(stat: Stat, path: string | null | undefined): object {
    const base = this.baseline.get(path ?? '');
    return {
      czxid: this.zxid(stat.czxid),
      mzxid: this.zxid(stat.mzxid),
      pzxid: this.zxid(stat.pzxid),
      ctime: this.time(stat.ctime, stat.czxid),
      mtime: this.time(stat.mtime, stat.mzxid),
      version: stat.version - (base?.version ?? 0),
      cversion: stat.cversion - (base?.cversion ?? 0),
      aversion: stat.aversion - (base?.aversion ?? 0),
      ephemeralOwner: this.session(stat.ephemeralOwner),
      dataLength: stat.dataLength,
      numChildren: stat.numChildren - (base?.numChildren ?? 0),
    };
  }

  /** Every transaction has one time, near to ours. */
  private time(time: bigint, zxid: bigint): string {
    if (zxid < this.startZxid) return 'old';
    const known = this.times.get(zxid);
    if (known !== undefined)
      return known === time ? 'right' : `${time}, but transaction ${this.zxid(zxid)} was at ${known}`;
    this.times.set(zxid, time);
    const distance = BigInt(Date.now()) - time;
    return distance > -HOUR_MS && distance < HOUR_MS ? 'right' : `${time}, which is no time of today`;
  }
}
