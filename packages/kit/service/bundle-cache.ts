import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** Time after which an unused entry is removed, in milliseconds: a process that uses one has copied it by then. */
const KEPT_FOR_MS = 3_600_000;
/** Entries that stay however old they are. */
const NEWEST = 3;

/** What decides the content of bundles. */
export interface BundleSources {
  /** Folder from which files are named. */
  readonly root: string;
  /** Everything that decides the content besides the text of the files: options, entry points, names of files, versions. */
  readonly settings: string;
}

/**
 * Keeps what esbuild has made, by the content of the files that it was made of. Other clones with the same files may use it.
 * It doesn't see that a file has changed outside of the app, the kit and npm's lock file in such a way that an import finds
 * another file; so it is for tests and local runs, not for a deployment to AWS.
 */
export class BundleCache {
  /** @param folder which it may create, and which nobody else writes to */
  constructor(private readonly folder: string) {
    mkdirSync(folder, { recursive: true });
  }

  /**
   * Returns the folder with what was made of these sources.
   * @param make makes it in an empty folder. It returns the files that it is made of, from the root
   */
  obtain(sources: BundleSources, make: (folder: string) => readonly string[]): string {
    const key = digestOf(sources.settings);
    const list = join(this.folder, `${key}.json`);
    // The same settings may have led to other files: then the digest of their content is another one, too.
    const known = existsSync(list) ? this.at(key, sources.root, JSON.parse(readFileSync(list, 'utf8'))) : undefined;
    if (known !== undefined && existsSync(known)) {
      const now = new Date();
      utimesSync(known, now, now);
      return known;
    }
    const draft = mkdtempSync(join(this.folder, 'draft-'));
    const files = make(draft);
    const made = this.at(key, sources.root, files);
    if (made === undefined) throw new Error(`a file was removed while it was bundled: one of ${files.length}`);
    try {
      renameSync(draft, made);
    } catch {
      // Another process was faster. The same sources make the same bundles.
      rmSync(draft, { recursive: true, force: true });
    }
    const newList = mkdtempSync(join(this.folder, 'draft-'));
    writeFileSync(join(newList, 'files'), JSON.stringify(files));
    renameSync(join(newList, 'files'), list);
    rmSync(newList, { recursive: true });
    this.removeUnused();
    return made;
  }

  /** Returns the folder for these files as they are now; nothing if one of them is gone. */
  private at(key: string, root: string, files: readonly string[]): string | undefined {
    const hash = createHash('sha256');
    for (const file of files) {
      const path = join(root, file);
      if (!existsSync(path)) return undefined;
      hash.update(file).update('\0').update(readFileSync(path)).update('\0');
    }
    return join(this.folder, `${key}-${hash.digest('hex').slice(0, 16)}`);
  }

  private removeUnused(): void {
    const entries = readdirSync(this.folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => ({ path: join(this.folder, name), used: statSync(join(this.folder, name)).mtimeMs }))
      .toSorted((one, other) => other.used - one.used);
    for (const { path, used } of entries.slice(NEWEST))
      if (Date.now() - used > KEPT_FOR_MS) rmSync(path, { recursive: true, force: true });
  }
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
