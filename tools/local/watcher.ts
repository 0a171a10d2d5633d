import { type FSWatcher, readdirSync, readFileSync, watch } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LiveCloud } from '@orderly/simulator';
import { build } from 'esbuild';
import { BUNDLING, entryFiles, INPUTS } from '../../packages/kit/service/bundles.js';
import { localAssembly } from './assembly.js';
import { LocalRunError } from './errors.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Folders whose files go into bundles. */
const CODE = ['lambdas', 'packages/kit'];
/** Folders whose files go into templates. Those of the kit go into both. */
const TEMPLATES = ['bin', 'lib', 'cdk.json'];
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

  constructor(
    private readonly live: LiveCloud,
    private folder: string,
    private readonly say: (line: string) => void,
  ) {}

  begin(): void {
    for (const path of [...CODE, ...TEMPLATES]) {
      const recursive = !path.includes('.');
      this.watchers.push(
        watch(join(ROOT, path), { recursive }, (_event, name) => this.saw(recursive ? join(path, name ?? '') : path)),
      );
    }
  }

  end(): void {
    clearTimeout(this.timer);
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
      const entries = this.entriesOf(paths);
      if (entries.length > 0) {
        const functions = await this.replace(entries);
        if (functions.length > 0) this.say(`${what}: new code in ${named(functions)} ${took()}`);
        if (paths.every((path) => path.startsWith('lambdas/'))) return;
      }
      await this.deploy(what ?? '', took);
    } catch (error) {
      this.say(`${what}: the running code stays, since the new one has an error:\n${messageOf(error)}`);
    }
  }

  /** Returns the entry points that are made of any of these files. */
  private entriesOf(paths: readonly string[]): readonly string[] {
    const inputs = JSON.parse(readFileSync(join(ROOT, INPUTS), 'utf8')) as Record<string, readonly string[]>;
    return Object.entries(inputs).flatMap(([entry, files]) =>
      paths.some((path) => files.includes(path)) ? [entry] : [],
    );
  }

  /** Bundles entry points and gives their functions the new code. @returns the functions whose code differs */
  private async replace(entries: readonly string[]): Promise<readonly string[]> {
    const sources = await bundle(entries);
    const replaced: string[] = [];
    for (const [label, entry] of this.functions()) {
      const source = sources.get(entry);
      if (source === undefined || this.live.codeOf(label) === source) continue;
      this.live.replaceCode(label, source);
      replaced.push(label);
    }
    return replaced;
  }

  private async deploy(what: string, took: () => string): Promise<void> {
    const { folder } = await localAssembly();
    if (folder === this.folder) return;
    const gone = this.live.deploy(folder);
    this.folder = folder;
    this.say(`${what}: synthesized and deployed ${took()}${gone.length > 0 ? `; gone: ${gone.join(', ')}` : ''}`);
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
    return this.live.codes().flatMap(([label, asset]) => {
      const entry = names.get(asset);
      return entry === undefined ? [] : [[label, entry] as const];
    });
  }
}

/** @returns sources by entry point */
async function bundle(entries: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const files = entryFiles('lambdas');
  const outdir = resolve(ROOT, 'bundles');
  const { outputFiles } = await build({
    ...BUNDLING,
    absWorkingDir: ROOT,
    entryPoints: entries.map((entry) => ({ in: files.get(entry) ?? entry, out: `${entry}/index` })),
    outdir,
    write: false,
    logLevel: 'silent',
  });
  return new Map(
    outputFiles.map(({ path, text }) => [relative(outdir, path).replace(/\/index\.js$/, ''), text] as const),
  );
}

const named = (labels: readonly string[]): string =>
  labels.length > 3 ? `${labels.length} functions` : labels.join(', ');

function messageOf(error: unknown): string {
  if (error instanceof LocalRunError) return error.message;
  const { errors } = error as { errors?: readonly { text: string; location?: { file: string; line: number } }[] };
  if (!errors) return (error as Error).message;
  return errors
    .map(({ text, location }) => `  ${location ? `${location.file}:${location.line}: ` : ''}${text}`)
    .join('\n');
}
