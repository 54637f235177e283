/** What the four-letter words tell of the traffic of one connection, or of all of them together. */
export class TrafficStats {
  received = 0;
  sent = 0;
  lastOp = 'NA';
  /** -1 until there was one. */
  lastXid = -1;
  lastZxid = -1n;
  /** In ms of the clock's `elapsed()`. */
  lastAnswerAt = 0;
  /** Latencies are whole ms. */
  lastLatency = 0;
  maxLatency = 0;
  private leastLatency = Infinity;
  private totalLatency = 0;
  private answers = 0;

  /** @param total counts with it. */
  constructor(private readonly total?: TrafficStats) {}

  get minLatency(): number {
    return this.answers === 0 ? 0 : this.leastLatency;
  }

  get avgLatency(): number {
    return this.answers === 0 ? 0 : this.totalLatency / this.answers;
  }

  countReceived(): void {
    this.received += 1;
    this.total?.countReceived();
  }

  countSent(): void {
    this.sent += 1;
    this.total?.countSent();
  }

  /** @param xid of pings and the like, which is negative, is not kept. */
  answered(op: string, xid: number, zxid: bigint, at: number, latency: number): void {
    if (xid >= 0) this.lastXid = xid;
    this.lastOp = op;
    this.lastZxid = zxid;
    this.lastAnswerAt = at;
    this.lastLatency = latency;
    this.leastLatency = Math.min(this.leastLatency, latency);
    this.maxLatency = Math.max(this.maxLatency, latency);
    this.totalLatency += latency;
    this.answers += 1;
    this.total?.answered(op, xid, zxid, at, latency);
  }
}
