import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { BUNDLING, entryFiles } from '../../../packages/kit/service/bundles.js';
import { Assembly, type TemplateChange } from '../../../packages/simulator/assembly/assembly.js';
import type { JsonObject } from '../../../packages/simulator/assembly/intrinsics.js';
import { Deployment, deploymentOf } from '../../../packages/simulator/cloud.js';
import { Bundle } from '../../../packages/simulator/runtime/bundle.js';
import type { Environment } from '../../../packages/simulator/runtime/environment.js';
import { Recycled } from '../../../packages/simulator/runtime/recycled.js';
import { BUNDLE_INPUTS } from '../../../tools/local/assembly.js';
import type { PlantedBug } from './bugs.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const LAMBDAS = join(ROOT, 'lambdas');

/** A planted bug that changes nothing (any more): what it was to be put into reads otherwise by now. */
export class NothingPlanted extends Error {
  override readonly name = 'NothingPlanted';
}

/** By the folder of the assembly: they are the same for all bugs. */
const soundBundles = new Map<string, ReadonlyMap<string, Bundled>>();
const soundEntries = new Map<string, ReadonlyMap<string, string>>();

/** The newest of them: tests of one change often follow each other. */
let newestBroken: { readonly change: string; readonly made: Promise<ReadonlyMap<string, Broken>> } | undefined;

function brokenBundles(change: string, make: () => Promise<ReadonlyMap<string, Broken>>) {
  if (newestBroken?.change !== change) newestBroken = { change, made: make() };
  return newestBroken.made;
}

/** Environments of the sound deployment, but for functions that the bug is in. */
class RecycledBeside extends Recycled {
  constructor(
    private readonly sound: Recycled,
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

interface Bundled {
  /** SHA-256 of the code. */
  readonly digest: string;
  /** Sources of the app and the kit that went into it, from the root. Nobody plants a mistake into a dependency. */
  readonly files: ReadonlySet<string>;
}

interface Broken extends Bundled {
  readonly code: string;
}

/**
 * The deployment of an assembly with one mistake in it.
 * @param lambdas folder of the assembly's entry points
 * @throws {NothingPlanted}
 */
export async function planted(folder: string, bug: PlantedBug, lambdas = LAMBDAS): Promise<Deployment> {
  const { source, resource } = bug;
  const { recycled } = deploymentOf(folder);
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
    return new Deployment(assembly, undefined, new RecycledBeside(recycled, () => changesFunctions));
  }
  const sound = soundBundlesOf(folder);
  const { file, from, to, only = /./ } = source;
  const concerned = [...sound].filter(([entry, { files }]) => files.has(file) && only.test(entry));
  const broken = await brokenBundles([lambdas, file, from, to, only].join('\0'), () =>
    bundles(
      concerned.map(([entry]) => entry),
      lambdas,
      [source],
    ),
  );
  const isBroken = (entry: string): boolean =>
    broken.has(entry) && broken.get(entry)?.digest !== sound.get(entry)?.digest;
  if (!concerned.some(([entry]) => isBroken(entry))) throw new NothingPlanted(bug.name);
  const entries = entriesOf(assembly, sound);
  const brokenOf = (label: string): Broken | undefined => {
    const entry = entries.get(label) ?? '';
    return isBroken(entry) ? broken.get(entry) : undefined;
  };
  return new Deployment(
    assembly,
    (code, label) => brokenOf(label)?.code ?? code,
    new RecycledBeside(recycled, (label) => brokenOf(label) !== undefined),
  );
}

/** A change of a source file: this text becomes that. */
export type Patch = Omit<NonNullable<PlantedBug['source']>, 'only'>;

/**
 * Bundles the functions whose code the patches change, with all patches in them.
 * @param only entry points that may be changed
 * @returns bundles by the labels of their functions
 * @throws {NothingPlanted} if a patch changes nothing
 */
export async function patchedBundles(
  folder: string,
  patches: readonly Patch[],
  only: (entry: string) => boolean,
  lambdas = LAMBDAS,
): Promise<ReadonlyMap<string, Bundle>> {
  const sound = soundBundlesOf(folder);
  const concerned = [...sound].filter(
    ([entry, { files }]) => only(entry) && patches.some(({ file }) => files.has(file)),
  );
  const entries = concerned.map(([entry]) => entry);
  const patched = await bundles(entries, lambdas, patches);
  const found = new Map<string, Bundle>();
  for (const [label, entry] of entriesOf(new Assembly(folder), sound)) {
    const made = patched.get(entry);
    if (made && made.digest !== sound.get(entry)?.digest) found.set(label, new Bundle(label, made.code));
  }
  return found;
}

/** Returns the bundles of an assembly without a mistake, as they stand in it. */
function soundBundlesOf(folder: string): ReadonlyMap<string, Bundled> {
  const found = soundBundles.get(folder) ?? bundlesIn(folder);
  soundBundles.set(folder, found);
  return found;
}

function bundlesIn(folder: string): ReadonlyMap<string, Bundled> {
  const inputs: Inputs = JSON.parse(readFileSync(join(folder, BUNDLE_INPUTS), 'utf8'));
  const found = new Map<string, Bundled>();
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.assets.json'))) {
    const { files }: Assets = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    for (const { displayName: entry = '', source } of Object.values(files)) {
      if (!inputs[entry] || found.has(entry)) continue;
      const code = readFileSync(join(folder, source.path, 'index.js'), 'utf8').replace(NAMED, '');
      found.set(entry, { digest: digestOf(code), files: new Set(inputs[entry]) });
    }
  }
  return found;
}

/** Sources of the app and the kit, by entry point. */
type Inputs = Readonly<Record<string, readonly string[]>>;

/** Assets of a stack, as CDK lists them. */
interface Assets {
  readonly files: Readonly<
    Record<string, { readonly displayName?: string; readonly source: { readonly path: string } }>
  >;
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

function entriesOf(assembly: Assembly, sound: ReadonlyMap<string, Bundled>) {
  const entries = soundEntries.get(assembly.folder) ?? entriesIn(assembly, sound);
  soundEntries.set(assembly.folder, entries);
  return entries;
}

/**
 * Returns the entry points of functions: `orders/place-order`.
 * @param labels of functions; others are left out
 */
export function entryPoints(folder: string, labels: Iterable<string>): readonly string[] {
  const entries = entriesOf(new Assembly(folder), soundBundlesOf(folder));
  return [...new Set([...labels].flatMap((label) => entries.get(label) ?? []))];
}

/** Which entry point each function of the assembly runs, by its label. @throws {NothingPlanted} */
function entriesIn(assembly: Assembly, bundled: ReadonlyMap<string, Bundled>): ReadonlyMap<string, string> {
  const byDigest = new Map([...bundled].map(([entry, { digest }]) => [digest, entry]));
  return new Map(
    assembly.ofType('AWS::Lambda::Function').map(({ label, properties }) => {
      const name = label.replace(/\/Function$/, '');
      const code = readFileSync(join(assembly.assetOf(properties.Code), 'index.js'), 'utf8').replace(NAMED, '');
      const entry = byDigest.get(digestOf(code));
      if (entry === undefined) throw new NothingPlanted(`${name} was bundled by other options than these here`);
      return [name, entry];
    }),
  );
}

/** The last line of a bundle: its name in stacks, with the digest of the rest. */
const NAMED = /\/\/# sourceURL=.*\n$/;

/** As packages/kit/service/bundles.ts makes them. */
const OPTIONS = { ...BUNDLING, outdir: '/bundles', write: false, metafile: true, logLevel: 'error' } as const;

/** Bundles by their entry points. @throws {NothingPlanted} */
async function bundles(
  entries: readonly string[],
  lambdas: string,
  patches: readonly Patch[] = [],
): Promise<ReadonlyMap<string, Broken>> {
  if (patches.length > 0 && entries.length === 0)
    throw new NothingPlanted(`nothing that is deployed has ${patches.map(({ file }) => file).join(', ')}`);
  const files = entryFiles(lambdas);
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: entries.map((entry) => ({ in: files.get(entry) ?? entry, out: `${entry}/index` })),
    ...OPTIONS,
    plugins: [
      {
        name: 'plant',
        setup: ({ onLoad }) => {
          for (const file of new Set(patches.map((patch) => patch.file))) {
            onLoad({ filter: /\.ts$/ }, ({ path }) => {
              if (path !== join(ROOT, file)) return undefined;
              const ofFile = patches.filter((patch) => patch.file === file);
              return { contents: ofFile.reduce(patchedText, readFileSync(path, 'utf8')), loader: 'ts' };
            });
          }
        },
      },
    ],
  });
  const inputs = new Map(Object.entries(metafile.outputs).map(([path, { inputs }]) => [entryOf(path), inputs]));
  return new Map(
    outputFiles.map(({ path, text }) => {
      const entry = entryOf(path);
      return [entry, { code: text, digest: digestOf(text), files: new Set(Object.keys(inputs.get(entry) ?? {})) }];
    }),
  );
}

/** `/bundles/orders/place-order/index.js`, from wherever it is told. */
const entryOf = (path: string): string => path.slice(path.indexOf('bundles/') + 'bundles/'.length, -'/index.js'.length);

/** @throws {NothingPlanted} */
function patchedText(text: string, { file, from, to }: Patch): string {
  const contents = typeof from === 'string' ? text.replace(from, () => to) : text.replace(from, to);
  if (contents === text) throw new NothingPlanted(`${file} has no: ${from}`);
  return contents;
}
