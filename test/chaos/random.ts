/** Numbers that look random and are the same for the same seed (mulberry32). */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed | 0;
  }

  /** From 0 (inclusive) to 1 (exclusive). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number; both ends are possible. */
  between(lowest: number, highest: number): number {
    return lowest + Math.floor(this.next() * (highest - lowest + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** @throws {RangeError} when there is nothing to choose from */
  pick<T>(from: readonly T[]): T {
    const [picked] = from.slice(this.between(0, from.length - 1));
    if (picked === undefined) throw new RangeError('Nothing to pick from.');
    return picked;
  }

  /** The items in another order. */
  shuffle<T>(items: readonly T[]): T[] {
    const rest = [...items];
    return items.map(() => rest.splice(this.between(0, rest.length - 1), 1)[0]!);
  }
}
