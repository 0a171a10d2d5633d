/** Mulberry32: small, fast, and the same on every machine. In [0, 1). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Seeded random choices. */
export class Dice {
  constructor(readonly random: () => number) {}

  /** Returns a whole number from 0 to `below - 1`. */
  number(below: number): number {
    return Math.floor(this.random() * below);
  }

  chance(probability: number): boolean {
    return this.random() < probability;
  }

  one<T>(members: readonly T[]): T {
    return members[this.number(members.length)] as T;
  }

  some<T>(members: readonly T[], most: number): readonly T[] {
    const left = [...members];
    return Array.from(
      { length: Math.min(most, members.length) },
      () => left.splice(this.number(left.length), 1)[0] as T,
    );
  }

  times<T>(most: number, make: () => T): readonly T[] {
    return Array.from({ length: 1 + this.number(most) }, make);
  }
}
