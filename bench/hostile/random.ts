// Choices that a seed decides: the same seed makes the same case again.

/** Mulberry32. */
export class Random {
  constructor(private state: number) {}

  /** A whole number from 0 to `below` - 1. */
  below(below: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  }

  /** Whether something of `percent` in a hundred happens. */
  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  of<T>(list: readonly [T, ...T[]]): T {
    return list[this.below(list.length)] ?? list[0];
  }

  bytes(count: number): Buffer {
    return Buffer.from(Array.from({ length: count }, () => this.below(256)));
  }
}
