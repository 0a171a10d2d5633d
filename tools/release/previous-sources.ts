import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { moveIntoPlace } from '../../packages/kit/base/bundle-cache.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const RELEASES = join(ROOT, '.build', 'releases');
const PREVIOUS = new URL('previous.json', import.meta.url);

/** Most that `git archive` writes, in bytes. */
const MOST_BYTES = 256 * 1024 * 1024;

/** Parts that no function and no template is made of. A second `biome.json` would be that of the files below it. */
const NOT_NEEDED = ['test', 'biome.json', 'biome-pure-domain.grit', 'vitest.config.ts'];

/** A release whose sources are in this clone's history. */
export interface Release {
  readonly version: string;
  /** Commit that the release was cut from. */
  readonly commit: string;
}

/** Sources of a release, beside the present ones. */
export interface ReleaseSources extends Release {
  /** Folder with the sources as they were, without tests. Packages are those of the present sources. */
  readonly folder: string;
  /** Whether the release had the same packages: `package-lock.json` is the same. */
  readonly hasSamePackages: boolean;
}

/** Error for a release whose commit this clone does not have. */
export class ReleaseMissing extends Error {
  override readonly name = 'ReleaseMissing';
  constructor({ version, commit }: Release) {
    super(
      `this clone has no commit ${commit}, from which ${version} was cut (tools/release/previous.json): fetch the whole history (git fetch --unshallow)`,
    );
  }
}

/** Returns the previous release, as `tools/release/previous.json` names it. */
export const previousRelease = (): Release => JSON.parse(readFileSync(PREVIOUS, 'utf8')) as Release;

/** Tells whether this clone has a release's commit, or its sources from an earlier look. */
export const hasSources = ({ commit }: Release): boolean =>
  existsSync(join(RELEASES, commit)) || git(['cat-file', '-e', `${commit}^{commit}`]).status === 0;

/**
 * Returns the sources of a release, written to `.build/releases/<commit>` when they are asked for first. Its own packages
 * (`@orderly/kit`) are the release's, all others the present ones of `node_modules`. Several processes may ask at once.
 * @throws {ReleaseMissing} if this clone does not have its commit
 */
export function fetchSources(release: Release): ReleaseSources {
  const folder = join(RELEASES, release.commit);
  if (!existsSync(folder)) {
    if (!hasSources(release)) throw new ReleaseMissing(release);
    mkdirSync(RELEASES, { recursive: true });
    const draft = mkdtempSync(`${folder}.`);
    try {
      checkOut(release.commit, draft);
      moveIntoPlace(draft, folder);
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
    removeOthers(release.commit);
  }
  const [its, present] = [folder, ROOT].map((of) => readFileSync(join(of, 'package-lock.json'), 'utf8'));
  return { ...release, folder, hasSamePackages: its === present };
}

function checkOut(commit: string, folder: string): void {
  const archive = git(['archive', '--format=tar', commit, '--', ...NOT_NEEDED.map((path) => `:(exclude)${path}`)]);
  if (archive.status !== 0) throw new Error(`git archive ${commit}: ${archive.stderr}`);
  const tar = spawnSync('tar', ['-x', '-C', folder], { input: archive.stdout });
  if (tar.status !== 0) throw new Error(`the sources of ${commit} can't be written: ${tar.error ?? tar.stderr}`);
  const scope = join(folder, 'node_modules', '@orderly');
  mkdirSync(scope, { recursive: true });
  for (const name of readdirSync(join(folder, 'packages'))) {
    symlinkSync(join('..', '..', 'packages', name), join(scope, name), 'dir');
  }
}

const git = (args: readonly string[]) => spawnSync('git', args, { cwd: ROOT, maxBuffer: MOST_BYTES });

function removeOthers(commit: string): void {
  for (const name of readdirSync(RELEASES)) {
    // Drafts have the name of their release.
    if (!name.startsWith(commit)) rmSync(join(RELEASES, name), { recursive: true, force: true });
  }
}
