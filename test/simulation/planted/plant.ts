import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import { Assembly, type TemplateChange } from '../../../packages/simulator/assembly/assembly.js';
import type { JsonObject } from '../../../packages/simulator/assembly/intrinsics.js';
import type { Deployment } from '../../../packages/simulator/cloud/cloud.js';
import type { Environment } from '../../../packages/simulator/runtime/environment.js';
import { EnvironmentPool } from '../../../packages/simulator/runtime/recycled.js';
import { type AppCode, appCode, listEntries, loadSharedDeployment, ROOT } from '../../support/simulation/app-code.js';
import type { PlantedBug } from './bug.js';

/** A planted bug that changes nothing (any more): what it was to be put into reads otherwise by now. */
export class NothingPlanted extends Error {
  override readonly name = 'NothingPlanted';
}

/** The newest of them: tests of one change often follow each other. */
let newestBroken: { readonly change: string; readonly made: Promise<ReadonlyMap<string, string>> } | undefined;

function brokenEntries(change: string, make: () => Promise<ReadonlyMap<string, string>>) {
  if (newestBroken?.change !== change) newestBroken = { change, made: make() };
  return newestBroken.made;
}

/** Environments of the sound deployment, but for functions that the bug is in. */
class RecycledBeside extends EnvironmentPool {
  constructor(
    private readonly sound: EnvironmentPool,
    private readonly isBroken: (label: string) => boolean,
  ) {
    super();
  }

  override take(label: string): Environment | undefined {
    return this.isBroken(label) ? super.take(label) : this.sound.take(label);
  }

  override give(label: string, environment: Environment): boolean {
    return this.isBroken(label) ? super.give(label, environment) : this.sound.give(label, environment);
  }
}

/**
 * The deployment of an assembly with one mistake in it.
 * @param lambdas folder of the assembly's entry points
 * @throws {NothingPlanted}
 */
export async function planted(folder: string, bug: PlantedBug, lambdas?: string): Promise<Deployment> {
  const { source, resource } = bug;
  const { recycled } = loadSharedDeployment(folder, lambdas);
  const app = appCode(lambdas);
  let changed = false;
  let changesFunctions = false;
  const change: TemplateChange = (template) => {
    if (!resource) return template;
    const resources = Object.entries(template.Resources as Record<string, { Type: string; Properties: JsonObject }>);
    const after = resources.map(([id, before]) => {
      const result = resource({ ...before, Properties: before.Properties ?? {} }, id);
      const differs = JSON.stringify(result) !== JSON.stringify({ ...before, Properties: before.Properties ?? {} });
      changed ||= differs;
      changesFunctions ||= differs && before.Type === 'AWS::Lambda::Function';
      return [id, result] as const;
    });
    return { ...template, Resources: Object.fromEntries(after) };
  };
  const assembly = new Assembly(folder, change);
  if (resource && !changed) throw new NothingPlanted(bug.name);
  if (!source) {
    if (!resource) throw new NothingPlanted(bug.name);
    return app.deployment(assembly, new RecycledBeside(recycled, () => changesFunctions));
  }
  const { file, from, to, only = /./ } = source;
  const concerned = [...app.entries].flatMap(([entry, { files }]) =>
    files.has(file) && only.test(entry) ? entry : [],
  );
  const broken = await brokenEntries([lambdas, file, from, to, only].join('\0'), () =>
    patchedEntries(app, concerned, [source]),
  );
  if (broken.size === 0) throw new NothingPlanted(bug.name);
  const entries = listEntries(assembly);
  const isBroken = (label: string): boolean => broken.has(entries.get(label) ?? '');
  return app.deployment(assembly, new RecycledBeside(recycled, isBroken), (entry) => broken.get(entry));
}

/** A change of a source file: this text becomes that. */
export type Patch = Omit<NonNullable<PlantedBug['source']>, 'only'>;

/**
 * Returns the entry points of functions: `orders/place-order`.
 * @param labels of functions; others are left out
 */
export function entryPoints(folder: string, labels: Iterable<string>): readonly string[] {
  const entries = listEntries(new Assembly(folder));
  return [...new Set([...labels].flatMap((label) => entries.get(label) ?? []))];
}

/** Returns the code of entry points that patches change, by their names. @throws {NothingPlanted} */
async function patchedEntries(
  app: AppCode,
  entries: readonly string[],
  patches: readonly Patch[],
): Promise<ReadonlyMap<string, string>> {
  if (entries.length === 0)
    throw new NothingPlanted(`nothing that is deployed has ${patches.map(({ file }) => file).join(', ')}`);
  const made = await app.changed(entries, patching(patches));
  const all = [...made].map(([entry, { code }]) => [entry, code] as const);
  return new Map(all.filter(([entry, code]) => code !== app.entries.get(entry)?.code));
}

/**
 * Returns what changes sources while they are bundled.
 * @param root of the sources. @default the present ones
 */
export const patching = (patches: readonly Patch[], root = ROOT): Plugin => ({
  name: 'plant',
  setup: ({ onLoad }) => {
    for (const file of new Set(patches.map((patch) => patch.file))) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (path !== join(root, file)) return undefined;
        const ofFile = patches.filter((patch) => patch.file === file);
        return { contents: ofFile.reduce(patchedText, readFileSync(path, 'utf8')), loader: 'ts' };
      });
    }
  },
});

/** @throws {NothingPlanted} */
function patchedText(text: string, { file, from, to }: Patch): string {
  const contents = typeof from === 'string' ? text.replace(from, () => to) : text.replace(from, to);
  if (contents === text) throw new NothingPlanted(`${file} has no: ${from}`);
  return contents;
}
