import { createHash, type Hash } from 'node:crypto';

/**
 * Trace of all events, line by line, and its SHA-256: the fingerprint of a history. Two runs of one seed have the same
 * fingerprint, unless something in them wasn't determined by the seed.
 */
export class Trace {
  private readonly hash: Hash = createHash('sha256');
  private readonly kept: string[] = [];

  constructor(private readonly keep = true) {}

  /** @param at virtual milliseconds since 1970 */
  add(at: number, text: string): void {
    const line = `${new Date(at).toISOString()} ${text}`;
    this.hash.update(`${line}\n`);
    if (this.keep) this.kept.push(line);
  }

  get lines(): readonly string[] {
    return this.kept;
  }

  /** Returns lower-case hexadecimal; may be called at any time. */
  fingerprint(): string {
    return this.hash.copy().digest('hex');
  }
}
