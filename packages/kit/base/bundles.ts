import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, extname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { type BuildOptions, buildSync, type Metafile, version } from 'esbuild';
import { BundleCache } from './bundle-cache.js';
import { SOURCE_MAPS } from './outputs.js';

/** The kit's own folder: sources in its repository, compiled modules where it is installed. */
const KIT = fileURLToPath(new URL('../', import.meta.url));
/** `.ts`, or `.js` where the kit is compiled. */
const KIT_EXTENSION = extname(fileURLToPath(import.meta.url));

/**
 * Folders of packages that bring entry points of their own, by the beginning of their names: `{ operator: operatorEntries }`. Each
 * is compiled where the kit is, and has sources where the kit has them.
 */
export type EntryPackages = Readonly<Record<string, string>>;

/** Settings of {@link Bundles}. */
export interface BundlesOptions {
  /** Root of the app. @default the working directory */
  readonly root?: string;
  /**
   * Folder in which bundles of the same sources are found, and kept for next time; for tests and local runs
   * ({@link BundleCache}). @default nothing is kept
   */
  readonly cache?: string | undefined;
  /** Packages besides the kit whose entry points the app deploys. @default none */
  readonly packages?: EntryPackages;
  /** Whether a function calls an operation of AWS that streams events, such as Kinesis' `SubscribeToShard`. @default false */
  readonly eventStreams?: boolean;
  /** Whether functions write spans of traces, as the settings say (`traces`). @default false: bundles contain nothing of them */
  readonly traces?: boolean;
  /**
   * Who verifies tokens: `gateway` for an API whose authorizer always runs, as at AWS; its functions refuse a request without a caller, and
   * contain no verifier. `function` also for an emulator without authorizers. @default 'function'
   */
  readonly tokens?: 'gateway' | 'function';
}

/** Error for a name that no entry point has. */
export class UnknownEntry extends Error {
  override readonly name = 'UnknownEntry';
}

/**
 * Returns the files of all entry points by their names: `orders/place-order` is `orders/place-order.lambda.ts` below the
 * app's folder, `kit/outbox/relay` is an entry point of the kit, and `operator/auditor/auditor` one of another package.
 *
 * @param folder of the app's entry points
 * @param packages folders of other packages with entry points, by the beginning of their names
 */
export const entryFiles = (folder: string, packages: EntryPackages = {}): ReadonlyMap<string, string> =>
  new Map([
    ...findEntries(resolve(folder), '', '.ts'),
    ...Object.entries({ kit: KIT, ...packages }).flatMap(([name, of]) => findEntries(of, `${name}/`, KIT_EXTENSION)),
  ]);

const findEntries = (folder: string, prefix: string, extension: string): readonly (readonly [string, string])[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith(`.lambda${extension}`) && !file.split('/').includes('node_modules'))
    .map((file) => [prefix + file.slice(0, -`.lambda${extension}`.length), join(folder, file)] as const);

/** Replacement for the SDK's package of credential chains: on Lambda the credentials are in the environment. */
export const CREDENTIALS_ALIAS = {
  '@aws-sdk/credential-provider-node': join(KIT, 'aws', `credentials-from-environment${KIT_EXTENSION}`),
};

const EVENT_STREAMS = '@smithy/core/event-streams';

/** Replacements for parts of the SDK that no function runs. Each refuses its use with a word about the way out. */
const UNUSED_ALIAS = {
  [EVENT_STREAMS]: join(KIT, 'aws', `no-event-streams${KIT_EXTENSION}`),
  '@aws-sdk/endpoint-cache': join(KIT, 'aws', `no-endpoint-cache${KIT_EXTENSION}`),
};

/** File below the app's root that lists, for each entry point, the sources of the app and the kit that it is made of. */
export const INPUTS = join('.build', 'bundle-inputs.json');

/** How esbuild makes a bundle: what decides its content. */
export const BUNDLING = {
  bundle: true,
  platform: 'node',
  target: 'node20', // oldest version of the local run; Lambda's is newer
  format: 'cjs', // starts faster than ESM on Lambda; the SDK's own bundles are measured with it
  mainFields: ['module', 'main'],
  minify: true,
  treeShaking: true,
  legalComments: 'none',
  charset: 'utf8',
  // The default chain reads files, SSO and metadata servers (133 KiB).
  alias: { ...CREDENTIALS_ALIAS, ...UNUSED_ALIAS },
  // The SDK loads node:http by `import()` at its first call. On Node 22 and 24 that loads undici, too, which takes a quarter of a cold
  // start; `require` doesn't.
  supported: { 'dynamic-import': false },
} satisfies BuildOptions;

/**
 * Returns the constant that esbuild puts in the place of the question whether spans are written. With a constant, it leaves
 * out what isn't asked for: the bundle of a hot function has no room for it.
 */
export const tracesDefine = (traces: boolean) => ({ 'process.env.KIT_TRACES': JSON.stringify(traces ? 'on' : 'off') });

/** Returns the constant that says who verifies tokens; see `tokens` of {@link BundlesOptions}. */
const tokensDefine = (tokens: 'gateway' | 'function') => ({ 'process.env.KIT_AUTHORIZER': JSON.stringify(tokens) });

/** Folder that esbuild takes for that of its output, below the app's root. Nothing is written there. */
const OUTPUTS = '.build/bundled';
/** Files and folders below the folder of what was made. */
const BUNDLE_PATHS = { code: 'code', maps: 'maps', metafile: 'metafile.json' } as const;

/**
 * The code of every function of an app, from ONE esbuild run over all entry points: a tenth of a second for each, whereas a
 * run per function takes a second each.
 *
 * Source maps are written to `.build/source-maps` below the app's root. They are never in the bundles: a map is four times
 * its code, and would be loaded at a cold start. Stacks name the bundle and its content (`orders/place-order@1f3a9c2e.js`), and
 * its map has the same name in its field `file`; so a command maps a stack later, and never by the map of other code.
 * @example
 * const bundles = new Bundles('lambdas'); // 'open-ticket' is lambdas/open-ticket.lambda.ts
 * const board = new Service(stack, 'Board', { settings, bundles, bus, alarmTopic, name: 'board' });
 */
export class Bundles {
  readonly entries: readonly string[];
  /** Sources that each entry point is made of, as paths from the app's root; those of packages are left out. */
  readonly inputs: Readonly<Record<string, readonly string[]>>;
  private readonly folder: string;
  private readonly root: string;
  private readonly cache: string | undefined;
  private readonly packages: EntryPackages;
  private readonly bundling: BuildOptions & { readonly alias: Readonly<Record<string, string>> };
  /** Whether functions write spans of traces. */
  readonly traces: boolean;
  /** Folder with the code, the maps and the metafile. */
  private readonly bundleFolder: string;
  private readonly metafile: Metafile;

  /**
   * @param folder of the app's entry points, the files that end in `.lambda.ts`; absolute, or from the working directory
   */
  constructor(
    folder: string,
    {
      root = process.cwd(),
      cache,
      packages = {},
      eventStreams = false,
      traces = false,
      tokens = 'function',
    }: BundlesOptions = {},
  ) {
    this.folder = resolve(folder);
    this.root = resolve(root);
    this.cache = cache;
    this.packages = packages;
    this.traces = traces;
    const { [EVENT_STREAMS]: noEventStreams, ...alias } = BUNDLING.alias;
    this.bundling = {
      ...BUNDLING,
      alias: { ...alias, ...(!eventStreams && { [EVENT_STREAMS]: noEventStreams }) },
      define: { ...tracesDefine(traces), ...tokensDefine(tokens) },
    };
    const files = entryFiles(folder, packages);
    this.entries = [...files.keys()].sort();
    process.once('exit', () => this.remove());
    this.bundleFolder = cache ? this.obtainCached(cache, files) : this.buildFresh(files);
    this.metafile = JSON.parse(readFileSync(join(this.bundleFolder, BUNDLE_PATHS.metafile), 'utf8'));
    mkdirSync(join(this.root, '.build'), { recursive: true });
    this.inputs = collectInputs(this.metafile, files);
    writeFileSync(join(this.root, INPUTS), JSON.stringify(this.inputs, null, 1));
    for (const entry of this.entries) this.copyMap(join(entry, 'index.js.map'));
  }

  /** Other processes may copy the same one: nothing is removed before. */
  private copyMap(file: string): void {
    const to = join(this.root, SOURCE_MAPS, file);
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(join(this.bundleFolder, BUNDLE_PATHS.maps, file), to);
  }

  private buildFresh(files: ReadonlyMap<string, string>): string {
    const folder = mkdtempSync(join(tmpdir(), 'kit-bundles-'));
    this.build(files, folder);
    return folder;
  }

  private obtainCached(cache: string, files: ReadonlyMap<string, string>): string {
    const fromRoot = (path: string): string => relative(this.root, path);
    const { alias, ...options } = this.bundling;
    const settings = {
      version,
      options,
      traces: this.traces,
      alias: Object.entries(alias).map(([name, path]) => [name, fromRoot(path)]),
      entries: [...files].map(([entry, path]) => [entry, fromRoot(path)]),
      // An import may find another file once there is one more.
      names: [this.folder, KIT, ...Object.values(this.packages)].flatMap(listFiles),
      // Where imports lead, and how the bundles are made.
      texts: [
        ...['package-lock.json', 'package.json', 'tsconfig.json'].map((name) => join(this.root, name)),
        ...[KIT, ...Object.values(this.packages)].map((of) => join(of, 'package.json')),
        fileURLToPath(import.meta.url),
      ].map(readText),
    };
    return new BundleCache(cache).obtain({ root: this.root, settings: JSON.stringify(settings) }, (folder) =>
      Object.keys(this.build(files, folder).inputs),
    );
  }

  /** Makes all bundles. @param to an empty folder @returns what esbuild says about them */
  private build(files: ReadonlyMap<string, string>, to: string): Metafile {
    const { outputFiles, metafile } = withoutGarbageCollection(() =>
      buildSync({
        absWorkingDir: this.root,
        entryPoints: [...files].map(([entry, file]) => ({ in: file, out: `${entry}/index` })),
        // Paths of the metafile and of the maps begin here, whatever folder they are written to.
        outdir: join(this.root, OUTPUTS),
        ...this.bundling,
        write: false,
        metafile: true,
        sourcemap: 'external',
        sourcesContent: false,
        logLevel: 'warning',
      }),
    );
    const maps = new Map(outputFiles.filter(({ path }) => path.endsWith('.map')).map(({ path, text }) => [path, text]));
    for (const { path, text } of outputFiles)
      if (!path.endsWith('.map')) this.write(to, path, text, maps.get(`${path}.map`) ?? '');
    writeFileSync(join(to, BUNDLE_PATHS.metafile), JSON.stringify(metafile));
    return metafile;
  }

  private write(to: string, path: string, code: string, map: string): void {
    const file = relative(join(this.root, OUTPUTS), path);
    const name = `${dirname(file)}@${createHash('sha256').update(code).digest('hex').slice(0, 8)}.js`;
    // V8 takes this name for the file of each frame.
    write(join(to, BUNDLE_PATHS.code, file), `${code}//# sourceURL=${name}\n`);
    // The mappings follow the sources and are nearly all of the text: parsing them would take longer than writing them.
    const rest = map.indexOf('"mappings"');
    const { sources } = JSON.parse(`${map.slice(0, rest)}"mappings":""}`) as { readonly sources: readonly string[] };
    const fromRoot = sources.map((source) => relative(this.root, resolve(dirname(path), source)));
    const head = JSON.stringify({ version: 3, file: name, sources: fromRoot });
    write(join(to, BUNDLE_PATHS.maps, `${file}.map`), `${head.slice(0, -1)},${map.slice(rest)}`);
  }

  /**
   * Returns the code of an entry point. Its handler is `index.handler`.
   * @param entry name of the entry point, for example `orders/place-order`
   * @throws {UnknownEntry} if no entry point has this name
   */
  code(entry: string): Code {
    this.check(entry);
    // The cloud assembly says by this name whose code an asset is: a watcher replaces it when its sources change.
    return Code.fromAsset(join(this.bundleFolder, BUNDLE_PATHS.code, entry), { displayName: entry });
  }

  /**
   * Returns the size of an entry point's bundle in bytes: in total, and by package (`@aws-sdk/client-dynamodb`, `zod`, and
   * `ours` for the app and the kit), the largest first.
   */
  sizeOf(entry: string): { readonly total: number; readonly byPackage: ReadonlyMap<string, number> } {
    this.check(entry);
    const output = this.metafile.outputs[`${OUTPUTS}/${entry}/index.js`];
    const byPackage = new Map<string, number>();
    for (const [input, { bytesInOutput }] of Object.entries(output?.inputs ?? {})) {
      const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? 'ours';
      byPackage.set(name, (byPackage.get(name) ?? 0) + bytesInOutput);
    }
    const sorted = [...byPackage].filter(([, bytes]) => bytes > 0).sort(([, one], [, other]) => other - one);
    return { total: output?.bytes ?? 0, byPackage: new Map(sorted) };
  }

  /** Removes the bundles. The assets were copied into the cloud assembly at synth, so nothing needs them afterwards. */
  remove(): void {
    if (!this.cache) rmSync(this.bundleFolder, { recursive: true, force: true });
  }

  private check(entry: string): void {
    if (this.entries.includes(entry)) return;
    throw new UnknownEntry(
      `no entry point '${entry}': expected ${join(this.folder, `${entry}.lambda.ts`)}, or one of the packages ${['kit', ...Object.keys(this.packages)].join(', ')}. ` +
        'Another package brings its own by the option `packages` of Bundles',
    );
  }
}

/**
 * Runs esbuild without a collection of garbage, up to 3 GiB of memory: it ends at once, and the collection took a third of its time
 * and saved a tenth of its memory.
 */
function withoutGarbageCollection<T>(run: () => T): T {
  const { GOGC, GOMEMLIMIT } = process.env;
  process.env.GOGC = 'off';
  process.env.GOMEMLIMIT ??= '3GiB';
  try {
    return run();
  } finally {
    restore('GOGC', GOGC);
    restore('GOMEMLIMIT', GOMEMLIMIT);
  }
}

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const readText = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');

/** Returns the names of all files below a folder, but for those of packages. */
const listFiles = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => !file.split(/[/\\]/).includes('node_modules'))
    .sort();

/** Returns the sources that each entry point is made of, as paths from the app's root. */
export function collectInputs(
  { inputs }: Metafile,
  files: ReadonlyMap<string, string>,
): Readonly<Record<string, readonly string[]>> {
  const paths = Object.keys(inputs);
  return Object.fromEntries(
    [...files].map(([entry, file]) => {
      const found = new Set<string>();
      const follow = (path: string): void => {
        if (found.has(path) || path.includes('node_modules/')) return;
        found.add(path);
        for (const { path: imported } of inputs[path]?.imports ?? []) follow(imported);
      };
      const own = paths.find((path) => file.endsWith(`/${path}`));
      if (own !== undefined) follow(own);
      return [entry, [...found]];
    }),
  );
}
