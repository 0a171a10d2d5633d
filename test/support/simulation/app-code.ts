import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, buildSync, type Metafile, type OutputFile, type Plugin } from 'esbuild';
import { BUNDLING, entryFiles } from '../../../packages/kit/base/bundles.js';
import { operatorEntries } from '../../../packages/operator/entries.js';
import { Assembly } from '../../../packages/simulator/assembly/assembly.js';
import { Deployment } from '../../../packages/simulator/cloud/cloud.js';
import { Bundle } from '../../../packages/simulator/runtime/bundle.js';
import type { EnvironmentPool } from '../../../packages/simulator/runtime/recycled.js';
import { SharedPackages } from '../../../packages/simulator/runtime/shared-packages.js';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
export const LAMBDAS = join(ROOT, 'lambdas');
/** Packages besides the kit that bring entry points. */
export const PACKAGES = { operator: operatorEntries };
const SUPPORT = join(ROOT, 'test/support/simulation');

/**
 * Packages that the functions of simulated histories share, as esbuild names them. They are most of what a function runs, and
 * keep no state in their modules that a function could notice. `uuid` does: it counts within a millisecond.
 */
const SHARED = ['@aws-sdk/*', '@aws-lambda-powertools/*', 'zod/mini'];

/** Code of an entry point, without the shared packages. */
export interface EntryCode {
  readonly code: string;
  /** Sources of the app and the kit that went into it, from the root. Nobody plants a mistake into a dependency. */
  readonly files: ReadonlySet<string>;
}

/** Entry points of an app as histories run them: each as it is deployed, but for the packages, which all of them share. */
export class AppCode {
  readonly entries: ReadonlyMap<string, EntryCode>;
  readonly packages: SharedPackages;
  private readonly bundles = new Map<string, Bundle>();

  /** @param lambdas folder of the entry points; those of the kit are among them */
  constructor(private readonly lambdas: string) {
    const { outputFiles, metafile } = buildSync(this.options([...entryFiles(lambdas, PACKAGES).keys()]));
    this.entries = splitOutputs(outputFiles, metafile);
    const imports = Object.values(metafile.outputs).flatMap(({ imports }) => imports);
    const left = imports.flatMap(({ external, path }) => (external && !isBuiltin(path) ? path : []));
    this.packages = new SharedPackages(bundlePackages([...new Set(left)]));
  }

  /**
   * Deploys an assembly with this code.
   * @param changed returns what an entry point has instead, if it has anything else
   */
  deployment(
    assembly: Assembly,
    recycled?: EnvironmentPool,
    changed = (_entry: string): string | undefined => undefined,
  ) {
    const entries = listEntries(assembly);
    const change = (_source: string, label: string): Bundle => {
      const entry = entries.get(label) ?? '';
      const code = changed(entry);
      return code === undefined ? this.sound(entry, label) : this.bundle(label, code);
    };
    return new Deployment(assembly, change, recycled);
  }

  /** Returns a bundle of any code that requires the same packages. @param name for stack traces */
  bundle(name: string, code: string): Bundle {
    return new Bundle(name, code, { packages: this.packages });
  }

  /** Returns the bundle of an entry point, the same for all functions that run it. @throws {Error} if this app has no such one */
  private sound(entry: string, label: string): Bundle {
    const code = this.entries.get(entry)?.code;
    if (code === undefined) throw new Error(`${label} runs '${entry}', which is no entry point below ${this.lambdas}`);
    const bundle = this.bundles.get(entry) ?? this.bundle(entry, code);
    this.bundles.set(entry, bundle);
    return bundle;
  }

  /** Bundles entry points with changed sources. @param plugin changes them */
  async changed(entries: readonly string[], plugin: Plugin): Promise<ReadonlyMap<string, EntryCode>> {
    const { outputFiles, metafile } = await build({ ...this.options(entries), plugins: [plugin] });
    return splitOutputs(outputFiles, metafile);
  }

  /**
   * Bundles entry points of other sources of the app, to be run beside this code.
   * @param root of these sources
   * @param entries that they have: `orders/place-order`, `kit/outbox/relay`
   * @param plugins that change them
   */
  async ofSources(root: string, entries: readonly string[], plugins: readonly Plugin[] = []) {
    const options = {
      ...this.options([]),
      alias: {
        ...OPTIONS.alias,
        ...Object.fromEntries(
          Object.entries(BUNDLING.alias).map(([name, path]) => [name, join(root, relative(ROOT, path))]),
        ),
      },
      absWorkingDir: root,
      entryPoints: entries.map((entry) => ({ in: entryFile(root, entry), out: `${entry}/index` })),
      plugins: [...plugins],
    };
    const { outputFiles, metafile } = await build(options);
    return splitOutputs(outputFiles, metafile);
  }

  private options(entries: readonly string[]) {
    const files = entryFiles(this.lambdas, PACKAGES);
    return {
      ...OPTIONS,
      external: SHARED,
      entryPoints: entries.map((entry) => ({ in: files.get(entry) ?? entry, out: `${entry}/index` })),
    } satisfies BuildOptions;
  }
}

/**
 * As packages/kit/base/bundles.ts makes them, but with the names of the sources: short ones depend on all of a bundle, so a
 * change of code that isn't in it would change it, too. And the SDK reads no streams.
 */
const OPTIONS = {
  ...BUNDLING,
  alias: {
    ...BUNDLING.alias,
    '@smithy/node-http-handler': join(SUPPORT, 'unstreamed.ts'),
  },
  minify: false,
  minifySyntax: true,
  minifyWhitespace: true,
  absWorkingDir: ROOT,
  outdir: '/bundles',
  write: false,
  metafile: true,
  logLevel: 'silent',
} satisfies BuildOptions;

function splitOutputs(outputs: readonly OutputFile[], metafile: Metafile): ReadonlyMap<string, EntryCode> {
  const inputs = new Map(Object.entries(metafile.outputs).map(([path, { inputs }]) => [entryName(path), inputs]));
  return new Map(
    outputs.map(({ path, text }) => {
      const entry = entryName(path);
      return [entry, { code: uncopied(text), files: new Set(Object.keys(inputs.get(entry) ?? {})) }];
    }),
  );
}

/**
 * Lets code use the exports of `zod/mini` as they are (`import * as z`). esbuild copies them, once for each import of each environment,
 * because a package might have no default export of its own. Nobody asks this one for it.
 */
const uncopied = (code: string): string => code.replace(/__toESM\((require\("zod\/mini"\)),1\)/g, '$1');

/** Returns the file of an entry point in other sources of the app, which need not have it. @param root of the sources */
export const entryFile = (root: string, entry: string): string =>
  join(root, /^(kit|operator)\//.test(entry) ? `packages/${entry}.lambda.ts` : `lambdas/${entry}.lambda.ts`);

/** Returns the entry point of an output: `orders/place-order` of `/bundles/orders/place-order/index.js`. */
const entryName = (path: string): string =>
  path.slice(path.indexOf('bundles/') + 'bundles/'.length, -'/index.js'.length);

/** Returns the code of packages, whose SDK takes fewer steps for each call. @see SharedPackages */
function bundlePackages(names: readonly string[]): string {
  const imports = [
    `import './clients-of-functions.ts';`,
    ...names.map((name, at) => `import * as package${at} from '${name}';`),
  ];
  const modules = names.map((name, at) => `'${name}': { ...package${at} }`);
  const contents = `${imports.join('\n')}\nexport const modules = { ${modules.join(', ')} };`;
  const { outputFiles } = buildSync({ ...OPTIONS, stdin: { contents, resolveDir: SUPPORT } });
  return outputFiles[0]?.text ?? '';
}

const apps = new Map<string, AppCode>();

/** Returns the code of an app's entry points, made once for all files of a worker. @param lambdas their folder @default Orderly's */
export function appCode(lambdas = LAMBDAS): AppCode {
  const app = apps.get(lambdas) ?? new AppCode(lambdas);
  apps.set(lambdas, app);
  return app;
}

const entriesByFolder = new Map<string, ReadonlyMap<string, string>>();

/** Returns which entry point each function of an assembly runs, by the function's label: `orders/place-order`. */
export function listEntries(assembly: Assembly): ReadonlyMap<string, string> {
  const entries = entriesByFolder.get(assembly.folder) ?? readEntryNames(assembly);
  entriesByFolder.set(assembly.folder, entries);
  return entries;
}

function readEntryNames(assembly: Assembly): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const file of readdirSync(assembly.folder).filter((file) => file.endsWith('.assets.json'))) {
    const { files }: Assets = JSON.parse(readFileSync(join(assembly.folder, file), 'utf8'));
    for (const { displayName = '', source } of Object.values(files)) names.set(basename(source.path), displayName);
  }
  return new Map(
    assembly.findByType('AWS::Lambda::Function').map(({ label, properties }) => {
      const entry = names.get(basename(assembly.assetFolder(properties.Code))) ?? '';
      return [label.replace(/\/Function$/, ''), entry];
    }),
  );
}

/** Assets of a stack, as CDK lists them. */
interface Assets {
  readonly files: Readonly<
    Record<string, { readonly displayName?: string; readonly source: { readonly path: string } }>
  >;
}

const deployments = new Map<string, Deployment>();

/**
 * Returns the deployment of a cloud assembly whose functions share their packages, which takes a third less CPU. There is one in a
 * process, so that later histories use the environments of earlier ones.
 * @param folder an assembly, which doesn't change
 * @param lambdas folder of its entry points. @default Orderly's
 */
export function loadSharedDeployment(folder: string, lambdas = LAMBDAS): Deployment {
  const deployment = deployments.get(folder) ?? appCode(lambdas).deployment(new Assembly(folder));
  deployments.set(folder, deployment);
  return deployment;
}
