import { type FSWatcher, readdirSync, readFileSync, watch } from 'node:fs';
import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LiveCloud } from '@orderly/simulator';
import { build } from 'esbuild';
import { BUNDLING, collectInputs, entryFiles, tracesDefine } from '../../packages/kit/base/bundles.js';
import { operatorEntries } from '../../packages/operator/entries.js';
import { localAssembly } from './assembly.js';
import { LocalRunError } from './errors.js';
import { BUNDLE_INPUTS, BUNDLED, TEMPLATES } from './kept-assemblies.js';
import type { Terminal } from './terminal.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Editors write a file in several steps. */
const CALM_MS = 60;

/**
 * Takes changed sources over into a running local cloud: code is bundled and used by the next invocation, templates are
 * synthesized and deployed with what was stored. What doesn't compile changes nothing.
 */
export class Watcher {
  private readonly watchers: FSWatcher[] = [];
  private readonly changed = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private working: Promise<void> = Promise.resolve();
  private readonly ended = new AbortController();
  /** Sources of the app and the kit that each entry point is made of. */
  private inputs: Inputs;

  constructor(
    private readonly live: LiveCloud,
    private folder: string,
    private readonly terminal: Pick<Terminal, 'say' | 'during'>,
    /** Whether its functions write spans of traces. */
    private readonly traces = false,
  ) {
    this.inputs = readInputs(folder);
  }

  begin(): void {
    for (const path of [...BUNDLED, ...TEMPLATES]) {
      const isFolder = extname(path) === '';
      // Git and some editors put another file into the place of a file, and a watcher of the file would not see that one.
      const folder = isFolder ? path : dirname(path);
      this.watchers.push(
        watch(join(ROOT, folder), { recursive: isFolder }, (_event, name) => {
          if (isFolder || name === basename(path)) this.saw(join(folder, name ?? ''));
        }),
      );
    }
  }

  end(): void {
    clearTimeout(this.timer);
    this.ended.abort();
    for (const watcher of this.watchers.splice(0)) watcher.close();
  }

  private saw(path: string): void {
    if (!/\.(ts|json)$/.test(path) || /\.test\.ts$/.test(path)) return;
    this.changed.add(path);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const paths = [...this.changed];
      this.changed.clear();
      this.working = this.working.then(() => this.takeOver(paths));
    }, CALM_MS);
  }

  private async takeOver(paths: readonly string[]): Promise<void> {
    const began = performance.now();
    const took = (): string => `(${((performance.now() - began) / 1000).toFixed(1)} s)`;
    const what = paths.length === 1 ? paths[0] : `${paths.length} files`;
    try {
      const entries = this.findEntries(paths);
      if (entries.length > 0) {
        const functions = await this.replace(entries);
        if (functions.length > 0) this.terminal.say(`${what}: new code in ${joinLabels(functions)} ${took()}`);
        if (paths.every(isOnlyBundled) && !(await decidesTemplates(paths))) {
          if (functions.length === 0) this.terminal.say(`${what}: no function differs from the running one`);
          return;
        }
      }
      await this.deploy(what ?? '', took);
    } catch (error) {
      if (this.ended.signal.aborted) return;
      this.terminal.say(`${what}: the running code stays, since the new one has an error:\n${errorMessage(error)}`);
    }
  }

  /** Returns the entry points that are made of any of these files. */
  private findEntries(paths: readonly string[]): readonly string[] {
    return Object.entries(this.inputs).flatMap(([entry, files]) =>
      paths.some((path) => files.includes(path)) ? [entry] : [],
    );
  }

  /** Bundles entry points and gives their functions the new code. @returns the functions whose code differs */
  private async replace(entries: readonly string[]): Promise<readonly string[]> {
    const { sources, inputs } = await bundle(entries, this.traces);
    this.inputs = { ...this.inputs, ...inputs };
    const replaced: string[] = [];
    for (const [label, entry] of this.functions()) {
      const source = sources.get(entry);
      if (source === undefined || this.live.readCode(label) === source) continue;
      this.live.replaceCode(label, source);
      replaced.push(label);
    }
    return replaced;
  }

  private async deploy(what: string, took: () => string): Promise<void> {
    const folder = await this.terminal.during(() => localAssembly(this.ended.signal, this.traces));
    if (folder === this.folder) return this.terminal.say(`${what}: the same as what is deployed`);
    const gone = this.live.deploy(folder);
    this.folder = folder;
    this.inputs = readInputs(folder);
    this.terminal.say(
      `${what}: synthesized and deployed ${took()}${gone.length > 0 ? `; gone: ${gone.join(', ')}` : ''}`,
    );
  }

  /** Entry points by the labels of their functions. */
  private functions(): readonly (readonly [string, string])[] {
    const names = new Map<string, string>();
    for (const file of readdirSync(this.folder).filter((name) => name.endsWith('.assets.json'))) {
      const { files } = JSON.parse(readFileSync(join(this.folder, file), 'utf8')) as {
        files: Record<string, { displayName?: string }>;
      };
      for (const [hash, { displayName }] of Object.entries(files)) if (displayName) names.set(hash, displayName);
    }
    return this.live.listCodes().flatMap(([label, asset]) => {
      const entry = names.get(asset);
      return entry === undefined ? [] : [[label, entry] as const];
    });
  }
}

type Inputs = Readonly<Record<string, readonly string[]>>;

const readInputs = (folder: string): Inputs => JSON.parse(readFileSync(join(folder, BUNDLE_INPUTS), 'utf8'));

const isOnlyBundled = (path: string): boolean =>
  BUNDLED.some((source) => path.startsWith(source)) && !/^packages\/(kit|operator)\//.test(path);

/** Checks whether the app that makes the templates imports one of the files, as it does contracts and subscriptions. */
async function decidesTemplates(paths: readonly string[]): Promise<boolean> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['bin/orderly-app.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  return paths.some((path) => path in metafile.inputs);
}

/** @param traces whether they write spans @returns sources by entry point, and what they are made of */
async function bundle(
  entries: readonly string[],
  traces: boolean,
): Promise<{ sources: ReadonlyMap<string, string>; inputs: Inputs }> {
  const files = new Map(
    [...entryFiles('lambdas', { operator: operatorEntries })].filter(([entry]) => entries.includes(entry)),
  );
  const outdir = resolve(ROOT, 'bundles');
  const { outputFiles, metafile } = await build({
    ...BUNDLING,
    define: tracesDefine(traces),
    absWorkingDir: ROOT,
    entryPoints: entries.map((entry) => ({ in: files.get(entry) ?? entry, out: `${entry}/index` })),
    outdir,
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const sources = outputFiles.map(
    ({ path, text }) => [relative(outdir, path).replace(/\/index\.js$/, ''), text] as const,
  );
  return { sources: new Map(sources), inputs: collectInputs(metafile, files) };
}

const joinLabels = (labels: readonly string[]): string =>
  labels.length > 3 ? `${labels.length} functions` : labels.join(', ');

function errorMessage(error: unknown): string {
  if (error instanceof LocalRunError) return error.message;
  const { errors } = error as { errors?: readonly { text: string; location?: { file: string; line: number } }[] };
  if (!errors) return (error as Error).message;
  return errors
    .map(({ text, location }) => `  ${location ? `${location.file}:${location.line}: ` : ''}${text}`)
    .join('\n');
}
