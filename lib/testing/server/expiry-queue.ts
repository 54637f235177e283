/** What a queue remembers about an element: the end of its bucket. */
export interface Expiring {
  /** In ms of the clock's `elapsed()`; the queue's own, undefined while it is not queued. */
  expiresAt: number | undefined;
}

/**
 * What expires together is kept together: each timeout is rounded up to the next multiple of the interval, so that a
 * touch is cheap and one look per interval finds all that is due. An element lives for at least its timeout and at most
 * one interval longer. As ZooKeeper's ExpiryQueue.
 */
export class ExpiryQueue<Element extends Expiring> {
  private readonly buckets = new Map<number, Set<Element>>();
  private count = 0;

  /**
   * @param interval width of a bucket in ms.
   * @param onEarlier is called when the first bucket is due earlier than `nextAt` was before.
   */
  constructor(
    private readonly elapsed: () => number,
    private readonly interval: number,
    private readonly onEarlier: () => void = () => undefined,
  ) {}

  /** Number of elements. */
  get size(): number {
    return this.count;
  }

  /** When the next bucket is due, in ms of `elapsed()`; Infinity when there is none. */
  get nextAt(): number {
    return Math.min(...this.buckets.keys());
  }

  /** Adds the element, or moves it to the bucket of a timeout that begins now. */
  update(element: Element, timeoutMs: number): void {
    const expiresAt = this.roundUp(this.elapsed() + timeoutMs);
    if (expiresAt === element.expiresAt) return;
    this.remove(element);
    element.expiresAt = expiresAt;
    const bucket = this.buckets.get(expiresAt);
    this.count += 1;
    if (bucket !== undefined) {
      bucket.add(element);
      return;
    }
    const isFirst = expiresAt < this.nextAt;
    this.buckets.set(expiresAt, new Set([element]));
    if (isFirst) this.onEarlier();
  }

  remove(element: Element): void {
    if (element.expiresAt === undefined) return;
    this.buckets.get(element.expiresAt)?.delete(element);
    element.expiresAt = undefined;
    this.count -= 1;
  }

  /** Takes out what is due, bucket by bucket, the oldest first. */
  *due(): Generator<Element> {
    for (const [expiredAt, bucket] of this.byTime()) {
      if (expiredAt > this.elapsed()) return;
      this.buckets.delete(expiredAt);
      for (const element of bucket) {
        if (element.expiresAt !== expiredAt) continue;
        this.remove(element);
        yield element;
      }
    }
  }

  /** The buckets by their time, the first to expire first. Buckets that were emptied stay until they are due. */
  byTime(): [expiresAt: number, elements: ReadonlySet<Element>][] {
    return [...this.buckets].sort(([a], [b]) => a - b);
  }

  private roundUp(time: number): number {
    return (Math.floor(time / this.interval) + 1) * this.interval;
  }
}
