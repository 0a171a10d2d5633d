import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { atExit } from '../local/at-exit.js';

/** Folders that a fresh clone doesn't have. */
const NOT_CLONED = new Set(['.git', 'node_modules', '.build', '.orderly', 'cdk.out', 'coverage']);

/**
 * Copies a working tree into a temporary folder, as a clone of it would be. The copy goes when this process ends.
 * @param modules `linked`: those of the tree, but the workspaces are the copy's own; `none`: they must be installed
 * @returns its folder
 */
export function copyTree(root: string, modules: 'linked' | 'none'): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'orderly-bench-')));
  atExit(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(root, folder, { recursive: true, filter: (path) => !NOT_CLONED.has(basename(path)) });
  if (modules === 'linked') linkModules(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Links installed modules into a copy of their tree, but for the workspaces: those are the copy's own. */
export function linkModules(from: string, to: string): void {
  mkdirSync(join(to, '@orderly'), { recursive: true });
  for (const name of readdirSync(from)) if (name !== '@orderly') symlinkSync(join(from, name), join(to, name));
  for (const name of readdirSync(join(from, '@orderly')))
    symlinkSync(join(dirname(to), 'packages', name), join(to, '@orderly', name));
}
