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
const KEPT_BUNDLES = 3;
/** How often bundles are made whose sources change meanwhile. */
const MAX_ATTEMPTS = 3;
/** Beginning of the names of what isn't complete. */
const DRAFT = 'draft-';

/** Sources and settings that decide the content of bundles. */
export interface BundleSources {
  /** Folder from which files are named. */
  readonly root: string;
  /** Settings that decide the content besides the text of the files: options, entry points, names of files, versions. */
  readonly settings: string;
}

/**
 * Keeps bundles by the content of the files that they were made of. Other clones with the same files may use them. It doesn't see a
 * change of installed packages, beside that of npm's lock file, by which an import finds another file; so it is for tests and local
 * runs, and no deployment to AWS uses it.
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
    const key = computeDigest(sources.settings);
    const list = join(this.folder, `${key}.json`);
    // The same settings may have led to other files: then the digest of their content is another one, too.
    const known = existsSync(list)
      ? this.bundlePath(key, sources.root, JSON.parse(readFileSync(list, 'utf8')))
      : undefined;
    if (known !== undefined && existsSync(known)) {
      const now = new Date();
      utimesSync(known, now, now);
      return known;
    }
    for (let attempt = 1; ; attempt++) {
      const began = Date.now();
      const draft = mkdtempSync(join(this.folder, DRAFT));
      const files = make(draft);
      // The bundles may contain an earlier content of a file that was saved meanwhile.
      if (files.some((file) => changedSince(join(sources.root, file), began))) {
        // A time in the future never passes: then it isn't kept, and removed like any draft.
        if (attempt === MAX_ATTEMPTS) return draft;
        rmSync(draft, { recursive: true, force: true });
        continue;
      }
      const made = this.bundlePath(key, sources.root, files);
      if (made === undefined) throw new Error(`one of ${files.length} files was removed while they were bundled`);
      moveIntoPlace(draft, made);
      const draftOfList = mkdtempSync(join(this.folder, DRAFT));
      writeFileSync(join(draftOfList, 'files'), JSON.stringify(files));
      renameSync(join(draftOfList, 'files'), list);
      rmSync(draftOfList, { recursive: true, force: true });
      this.removeUnused();
      return made;
    }
  }

  /** Returns the folder for these files as they are now; nothing if one of them is gone. */
  private bundlePath(key: string, root: string, files: readonly string[]): string | undefined {
    const hash = createHash('sha256');
    for (const file of files) {
      const path = join(root, file);
      if (!existsSync(path)) return undefined;
      hash.update(file).update('\0').update(readFileSync(path)).update('\0');
    }
    return join(this.folder, `${key}-${hash.digest('hex').slice(0, 16)}`);
  }

  /** Removes what nobody has used for an hour. Other processes may do the same, and make drafts, at the same time. */
  private removeUnused(): void {
    const entries = readdirSync(this.folder)
      .map((name) => ({ name, found: statSync(join(this.folder, name), { throwIfNoEntry: false }) }))
      .flatMap(({ name, found }) => (found?.isDirectory() ? [{ name, used: found.mtimeMs }] : []))
      .toSorted((one, other) => other.used - one.used);
    const made = entries.filter(({ name }) => !name.startsWith(DRAFT));
    const drafts = entries.filter(({ name }) => name.startsWith(DRAFT));
    for (const { name, used } of [...made.slice(KEPT_BUNDLES), ...drafts]) {
      if (Date.now() - used <= KEPT_FOR_MS) continue;
      // A removal that is killed in its middle leaves no half of an entry under the name of a whole one.
      const doomed = name.startsWith(DRAFT) ? name : `${DRAFT}${name}`;
      try {
        renameSync(join(this.folder, name), join(this.folder, doomed));
      } catch (error) {
        if (isCode(error, 'ENOENT', 'EEXIST', 'ENOTEMPTY')) continue;
        throw error;
      }
      rmSync(join(this.folder, doomed), { recursive: true, force: true });
    }
  }
}

/** Gives a finished draft its name, or removes it if another process was faster: the same sources make the same content. */
export function moveIntoPlace(draft: string, made: string): void {
  try {
    renameSync(draft, made);
  } catch (error) {
    if (!isCode(error, 'EEXIST', 'ENOTEMPTY')) throw error;
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Whether a file was written at a time or later; a file system may round the time down by some milliseconds. */
const changedSince = (path: string, time: number): boolean =>
  (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) >= time - 10;

const isCode = (error: unknown, ...codes: readonly string[]): boolean =>
  codes.includes(String((error as { readonly code?: unknown }).code));

const computeDigest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
