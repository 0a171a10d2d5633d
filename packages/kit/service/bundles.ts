import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { buildSync, type Metafile } from 'esbuild';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** Folders of entry points, by what the names of theirs begin with. */
const FOLDERS = { '': join(ROOT, 'lambdas'), 'kit/': join(ROOT, 'packages', 'kit') };
const ENTRY = '.lambda.ts';
/** Where source maps go: beside the assets, never in them (a map is four times its code, and is loaded at a cold start). */
const MAPS = join(ROOT, '.build', 'source-maps');

/** No such entry point: the path isn't that of a `*.lambda.ts` below `lambdas/` or the kit. */
export class UnknownEntry extends Error {
  override readonly name = 'UnknownEntry';
}

/** Files of entry points by their names. */
export const entryFiles = (): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(FOLDERS).flatMap(([prefix, folder]) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith(ENTRY))
        .map((file) => [prefix + file.slice(0, -ENTRY.length).replaceAll('\\', '/'), join(folder, file)] as const),
    ),
  );

/**
 * The code of every function, from ONE esbuild run over all entry points: a second for the lot, where a run per function
 * took one each.
 *
 * An entry point is named by its path below `lambdas/`, without `.lambda.ts`: `orders/place-order`; one of the kit by its path below
 * `packages/`: `kit/outbox/relay`.
 */
export class Bundles {
  private readonly folder = mkdtempSync(join(tmpdir(), 'kit-bundles-'));
  private readonly metafile: Metafile;
  readonly entries: readonly string[];

  constructor() {
    const files = entryFiles();
    this.entries = [...files.keys()].sort();
    process.once('exit', () => this.remove());
    const { outputFiles, metafile } = buildSync({
      absWorkingDir: ROOT,
      entryPoints: [...files].map(([entry, file]) => ({ in: file, out: `${entry}/index` })),
      outdir: this.folder,
      bundle: true,
      write: false,
      metafile: true,
      platform: 'node',
      target: 'node20', // what the local run may be on; Lambda's is newer
      format: 'cjs', // starts faster than ESM on Lambda, and is what the SDK's own bundles are measured with
      mainFields: ['module', 'main'],
      minify: true,
      treeShaking: true,
      legalComments: 'none',
      sourcemap: 'external',
      charset: 'utf8',
      logLevel: 'warning',
      // The stock chain asks files, SSO and metadata servers; Lambda's credentials are in the environment (133 KiB less).
      alias: {
        '@aws-sdk/credential-provider-node': join(FOLDERS['kit/'], 'aws', 'credentials-from-environment.ts'),
      },
    });
    this.metafile = metafile;
    for (const { path, contents } of outputFiles) {
      const to = path.endsWith('.map') ? join(MAPS, relative(this.folder, path)) : path;
      mkdirSync(dirname(to), { recursive: true });
      writeFileSync(to, contents);
    }
  }

  /**
   * @param entry as `orders/place-order`; its handler is `index.handler`
   * @throws {UnknownEntry}
   */
  code(entry: string): Code {
    this.check(entry);
    return Code.fromAsset(join(this.folder, entry));
  }

  /** Size of an entry's bundle in bytes, whole and by package (`@aws-sdk/client-dynamodb`, `zod`, `ours`), largest first. */
  sizeOf(entry: string): { readonly total: number; readonly byPackage: ReadonlyMap<string, number> } {
    this.check(entry);
    const [, output] =
      Object.entries(this.metafile.outputs).find(([path]) => path.endsWith(`/${entry}/index.js`)) ?? [];
    const byPackage = new Map<string, number>();
    for (const [input, { bytesInOutput }] of Object.entries(output?.inputs ?? {})) {
      const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? 'ours';
      byPackage.set(name, (byPackage.get(name) ?? 0) + bytesInOutput);
    }
    const sorted = [...byPackage].filter(([, bytes]) => bytes > 0).sort(([, one], [, other]) => other - one);
    return { total: output?.bytes ?? 0, byPackage: new Map(sorted) };
  }

  /** The assets were copied into the cloud assembly when they were named: nothing needs this folder after synth. */
  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private check(entry: string): void {
    if (!this.entries.includes(entry))
      throw new UnknownEntry(`${entry}${ENTRY} is neither below lambdas/ nor of the kit`);
  }
}
