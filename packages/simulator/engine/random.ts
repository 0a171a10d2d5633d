import { createHash } from 'node:crypto';

/**
 * Seeded random numbers (sfc32, Chris Doty-Humphrey's "Small Fast Counter", public domain): the same seed gives the
 * same numbers on every machine. Every part of a history draws from its own fork, so an additional draw in one part
 * doesn't change another part.
 */
export class Random {
  private a: number;
  private b: number;
  private c: number;
  private d = 1;

  constructor(private readonly seed: string) {
    const hash = createHash('sha256').update(seed).digest();
    this.a = hash.readInt32LE(0);
    this.b = hash.readInt32LE(4);
    this.c = hash.readInt32LE(8);
    for (let round = 0; round < 12; round++) this.bits();
  }

  /** Number of 32 random bits that were drawn so far: differences count, not the number itself. */
  get drawCount(): number {
    return this.d;
  }

  /** Returns 32 random bits, as a whole number from 0. */
  bits(): number {
    const sum = (((this.a + this.b) | 0) + this.d) | 0;
    this.d = (this.d + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (this.c << 21) | (this.c >>> 11);
    this.c = (this.c + sum) | 0;
    return sum >>> 0;
  }

  /** Returns a number from 0 up to, not including, 1; 53 bits, as `Math.random` has. */
  fraction(): number {
    return ((this.bits() >>> 5) * 67_108_864 + (this.bits() >>> 6)) / 9_007_199_254_740_992;
  }

  /** Returns a whole number, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1));
  }

  /** Returns true with this `probability`; it draws a number in any case. */
  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  /** Picks one of them. @throws {Error} if there is none */
  pick<T>(from: readonly T[]): T {
    const index = this.between(0, from.length - 1);
    if (from.length === 0) throw new Error('nothing to pick from');
    return from[index] as T;
  }

  /** Returns the same things in another order. */
  shuffle<T>(things: readonly T[]): T[] {
    const result = [...things];
    for (let at = result.length - 1; at > 0; at--) {
      const other = this.between(0, at);
      [result[at], result[other]] = [result[other] as T, result[at] as T];
    }
    return result;
  }

  fill(bytes: Uint8Array): Uint8Array {
    for (let at = 0; at < bytes.length; at++) bytes[at] = this.bits() >>> 24;
    return bytes;
  }

  /** Returns an identifier of this length, such as a request's. */
  id(length = 36): string {
    const hex = Buffer.from(this.fill(new Uint8Array(Math.ceil(length / 2)))).toString('hex');
    if (length !== 36) return hex.slice(0, length);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  }

  /** Returns a copy that yields the same next numbers, without consuming them here. */
  copy(): Random {
    const { a, b, c, d } = this;
    return Object.assign(new Random(this.seed), { a, b, c, d });
  }

  /** Returns an independent generator that depends only on this seed and the name, not on earlier draws. */
  fork(name: string): Random {
    return new Random(`${this.seed}/${name}`);
  }
}

/** Draws the middle of every range, and nothing that is rarer than every second time: for latencies that are all alike. */
export class Middle extends Random {
  override fraction(): number {
    return 0.5;
  }
}
