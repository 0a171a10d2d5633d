import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { moveIntoPlace } from '../../packages/kit/base/bundle-cache.js';
import { appEnvironment } from '../local/assembly.js';
import { LocalRunError } from '../local/errors.js';
import { readErrors, type Wanted } from '../local/kept-assemblies.js';
import { fetchSources, type Release } from './previous-sources.js';

/**
 * Returns the assemblies of an earlier release, synthesized by its own sources with the present `node_modules`. They are kept beside
 * the sources, in `.build/releases/<commit>.<environment>-<hash>`, and go when the next release replaces these.
 * @returns their folders, in the order of `wanted`
 * @throws {ReleaseMissing} if this clone does not have its commit
 * @throws {LocalRunError} with the app's output, if it fails, or with the errors of its constructs
 */
export function releaseAssemblies(release: Release, wanted: readonly Wanted[]): readonly string[] {
  const { folder: sources } = fetchSources(release);
  const assemblies = wanted.map((one) => ({ one, folder: `${sources}.${nameOf(one)}` }));
  const missing = assemblies.filter(({ folder }) => !existsSync(folder));
  if (missing.length > 0) synthesize(release, sources, missing);
  return assemblies.map(({ folder }) => folder);
}

type Made = { readonly one: Wanted; readonly folder: string };

/** Runs its app once for each assembly, in one process. */
function synthesize({ version }: Release, sources: string, missing: readonly Made[]): void {
  const made = missing.map((assembly) => ({ ...assembly, draft: mkdtempSync(`${assembly.folder}.`) }));
  try {
    const variables = made.map(({ one, draft }) => appEnvironment(draft, { ...one, isValidated: false }, sources));
    const args = ['--import', 'tsx', join(sources, 'tools', 'local', 'synthesize.ts'), JSON.stringify(variables)];
    const env = { ...process.env, NODE_NO_WARNINGS: '1' };
    const run = spawnSync(process.execPath, args, { cwd: sources, encoding: 'utf8', env });
    const errors = made.flatMap(({ draft }) => (existsSync(join(draft, 'manifest.json')) ? readErrors(draft) : []));
    if (run.status !== 0 || errors.length > 0) {
      const said = `${run.stdout ?? ''}${run.stderr ?? ''}${run.error?.message ?? ''}`.trimEnd();
      throw new LocalRunError(`${version} can't be synthesized:\n${[said, ...errors].join('\n')}`);
    }
    for (const { draft, folder } of made) moveIntoPlace(draft, folder);
  } finally {
    for (const { draft } of made) rmSync(draft, { recursive: true, force: true });
  }
}

function nameOf({ environment, context = {} }: Wanted): string {
  const hash = createHash('sha256').update(JSON.stringify(context)).digest('hex').slice(0, 16);
  return `${environment}-${hash}`;
}
