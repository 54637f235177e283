/** `String.hashCode` of Java: an int32. */
export function javaStringHash(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return hash;
}

const LOAD_FACTOR = 0.75;

/**
 * A set of strings that is walked in the order of Java's HashSet: by bucket, in a bucket in the order of insertion, with
 * a table that doubles when it is three quarters full and never shrinks. ZooKeeper lists children, and deletes a
 * session's nodes, in this order.
 */
export class JavaHashSet {
  /** Each with its hash, spread as HashMap spreads it. */
  private readonly hashes = new Map<string, number>();
  private ordered: readonly string[] | undefined;

  constructor(
    /** A power of two. */
    private capacity = 16,
  ) {}

  get size(): number {
    return this.hashes.size;
  }

  has(item: string): boolean {
    return this.hashes.has(item);
  }

  add(item: string): void {
    if (this.hashes.has(item)) return;
    const hash = javaStringHash(item);
    this.hashes.set(item, hash ^ (hash >>> 16));
    if (this.hashes.size > this.capacity * LOAD_FACTOR) this.capacity *= 2;
    this.ordered = undefined;
  }

  delete(item: string): boolean {
    this.ordered = undefined;
    return this.hashes.delete(item);
  }

  /** In Java's order. Not to be changed by the caller. */
  toArray(): readonly string[] {
    this.ordered ??= this.sort();
    return this.ordered;
  }

  /** As HashSet.clone: a table just large enough, filled in this set's order. */
  clone(): JavaHashSet {
    let capacity = 1;
    while (capacity < Math.trunc(this.size / LOAD_FACTOR + 1)) capacity *= 2;
    const copy = new JavaHashSet(capacity);
    for (const item of this.toArray()) copy.add(item);
    return copy;
  }

  private sort(): string[] {
    const mask = this.capacity - 1;
    const entries = [...this.hashes];
    return entries.sort(([, a], [, b]) => (a & mask) - (b & mask)).map(([item]) => item);
  }
}
