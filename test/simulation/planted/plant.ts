import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { Assembly, type TemplateChange } from '../../simulator/assembly/assembly.js';
import type { JsonObject } from '../../simulator/assembly/intrinsics.js';
import { Deployment } from '../../simulator/cloud.js';
import type { PlantedBug } from './bugs.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const LAMBDAS = join(ROOT, 'lambdas');
const ENTRY = '.lambda.ts';

/** A planted bug that changes nothing (any more): what it was to be put into reads otherwise by now. */
export class NothingPlanted extends Error {
  override readonly name = 'NothingPlanted';
}

/** They are the same for all bugs of a process. */
let soundBundles: Promise<ReadonlyMap<string, Bundled>> | undefined;

interface Bundled {
  readonly code: string;
  /** What went into it, from the root. */
  readonly files: ReadonlySet<string>;
}

/** The deployment of an assembly with one mistake in it. @throws {NothingPlanted} */
export async function planted(folder: string, bug: PlantedBug): Promise<Deployment> {
  const { source, resource } = bug;
  let changed = false;
  const change: TemplateChange = (template) => {
    if (!resource) return template;
    const resources = Object.entries(template.Resources as Record<string, { Type: string; Properties: JsonObject }>);
    const after = resources.map(([id, before]) => {
      const result = resource({ ...before, Properties: before.Properties ?? {} }, id);
      changed ||= JSON.stringify(result) !== JSON.stringify({ ...before, Properties: before.Properties ?? {} });
      return [id, result] as const;
    });
    return { ...template, Resources: Object.fromEntries(after) };
  };
  const assembly = new Assembly(folder, change);
  if (!source) {
    if (!changed) throw new NothingPlanted(bug.name);
    return new Deployment(assembly);
  }
  soundBundles ??= bundles(everyEntry());
  const sound = await soundBundles;
  const concerned = [...sound].filter(([, { files }]) => files.has(source.file)).map(([entry]) => entry);
  const broken = await bundles(concerned, source);
  const byCode = new Map([...sound].map(([entry, { code }]) => [code, entry]));
  if (concerned.every((entry) => broken.get(entry)?.code === sound.get(entry)?.code))
    throw new NothingPlanted(bug.name);
  return new Deployment(assembly, (code, label) => {
    const entry = byCode.get(code);
    if (entry === undefined) throw new NothingPlanted(`${label} was bundled by other options than these here`);
    if (source.only && !source.only.test(entry)) return code;
    return broken.get(entry)?.code ?? code;
  });
}

const everyEntry = (): readonly string[] =>
  readdirSync(LAMBDAS, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ENTRY))
    .map((file) => file.slice(0, -ENTRY.length))
    .sort();

/** Bundles by their entry points, made as lib/constructs/bundles.ts makes them. @throws {NothingPlanted} */
async function bundles(
  entries: readonly string[],
  patch?: PlantedBug['source'],
): Promise<ReadonlyMap<string, Bundled>> {
  if (patch && entries.length === 0) throw new NothingPlanted(`nothing that is deployed has ${patch.file}`);
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: entries.map((entry) => ({ in: join(LAMBDAS, entry + ENTRY), out: `${entry}/index` })),
    metafile: true,
    outdir: '/bundles',
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    mainFields: ['module', 'main'],
    minify: true,
    treeShaking: true,
    legalComments: 'none',
    charset: 'utf8',
    logLevel: 'error',
    alias: {
      '@aws-sdk/credential-provider-node': join(LAMBDAS, 'platform', 'credentials-from-environment.ts'),
    },
    plugins: patch
      ? [
          {
            name: 'plant',
            setup: ({ onLoad }) => {
              onLoad({ filter: /\.ts$/ }, ({ path }) => {
                if (path !== join(ROOT, patch.file)) return undefined;
                const text = readFileSync(path, 'utf8');
                const { from, to } = patch;
                const contents = typeof from === 'string' ? text.replace(from, () => to) : text.replace(from, to);
                if (contents === text) throw new NothingPlanted(`${patch.file} has no: ${patch.from}`);
                return { contents, loader: 'ts' };
              });
            },
          },
        ]
      : [],
  });
  const inputs = new Map(Object.entries(metafile.outputs).map(([path, { inputs }]) => [entryOf(path), inputs]));
  return new Map(
    outputFiles.map(({ path, text }) => {
      const entry = entryOf(path);
      return [entry, { code: text, files: new Set(Object.keys(inputs.get(entry) ?? {})) }];
    }),
  );
}

/** `/bundles/services/orders/place-order/index.js`, from wherever it is told. */
const entryOf = (path: string): string => path.slice(path.indexOf('bundles/') + 'bundles/'.length, -'/index.js'.length);
