/** Numbers that look random and follow from a seed (mulberry32, Tommy Ettinger's). */
export class RandomNumbers {
  constructor(private state: number) {}

  /** An integer from 0 to `limit` - 1. */
  below(limit: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  chance(probability: number): boolean {
    return this.below(1_000_000) < probability * 1_000_000;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  /** From 0 to `longest` bytes. */
  bytes(longest: number): Buffer {
    return Buffer.from(Array.from({ length: this.below(longest + 1) }, () => this.below(256)));
  }
}
