import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
      const seeds = this.files().map((file) => Number(readFileSync(file, 'utf8')));
      return seeds.length === 0 ? 0 : Math.min(...seeds);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
      throw error;
    }
  }

  /** Removes the files and not the folder, into which another search of the scenario may be writing. */
  clear(): void {
    for (const file of this.files()) rmSync(file, { force: true });
  }

  private files(): readonly string[] {
    return existsSync(this.folder) ? readdirSync(this.folder).map((part) => join(this.folder, part)) : [];
  }
}
