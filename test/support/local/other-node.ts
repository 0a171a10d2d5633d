import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installationPlace, installOnce, run } from '../../../tools/local/installing.js';

/** Packages of npm that hold a Node, without a script that installs it, by platform and major version. */
const PACKAGES_FILE = fileURLToPath(new URL('other-nodes.json', import.meta.url));
type Packages = Readonly<Record<string, Readonly<Record<string, { package: string; integrity: string }>>>>;

/**
 * Returns a Node of another major version, from the cache of this machine or else from npm's registry (50 MB, once).
 * @returns its program, or why it can't be had here
 */
export async function otherNode(major: 22 | 24): Promise<{ readonly program: string } | { readonly missing: string }> {
  if (process.versions.node.startsWith(`${major}.`)) return { program: process.execPath };
  const platform = `${process.platform}-${process.arch}`;
  const found = (JSON.parse(readFileSync(PACKAGES_FILE, 'utf8')) as Packages)[platform]?.[major];
  if (!found) return { missing: `other-nodes.json names no package with Node ${major} for ${platform}` };
  const place = installationPlace(`node-${major}`, [PACKAGES_FILE]);
  const program = join(place.folder, 'node');
  try {
    await installOnce(
      place,
      `Node ${major}`,
      () => undefined,
      () => install(found, program),
    );
    return { program };
  } catch (error) {
    return { missing: `Node ${major} can't be had: ${(error as Error).message}` };
  }
}

/** @throws {Error} if the registry can't be reached, or gives another package than the one that was chosen */
async function install({ package: name, integrity }: Packages[string][string], program: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-node-'));
  try {
    await run('npm', ['pack', name, '--silent', '--pack-destination', folder]);
    const tarball = join(folder, `${name.replace('@', '-')}.tgz`);
    const hash = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
    if (hash !== integrity) throw new Error(`${name} is ${hash}: expected ${integrity}`);
    await run('tar', ['-xzf', tarball, '-C', folder, 'package/bin/node']);
    writeFileSync(program, readFileSync(join(folder, 'package/bin/node')));
    chmodSync(program, 0o755);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
