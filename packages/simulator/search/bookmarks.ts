import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Positions at which a search by seeds was stopped: one small file for each process, with its current seed. */
export class Bookmarks {
  /** @param folder of one search */
  constructor(private readonly folder: string) {}

  /** @param part number of the process @param seed the first that it hasn't played to its end */
  put(part: number, seed: number): void {
    mkdirSync(this.folder, { recursive: true });
    writeFileSync(join(this.folder, String(part)), String(seed));
  }

  /** Returns the first seed that may not have been played; 0 if none was stored. */
  next(): number {
    try {
      const seeds = readdirSync(this.folder).map((part) => Number(readFileSync(join(this.folder, part), 'utf8')));
      return seeds.length === 0 ? 0 : Math.min(...seeds);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
      throw error;
    }
  }

  clear(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
