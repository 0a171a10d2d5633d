import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A released bundle, which shows an OpenAPI document in a browser. */
export interface ReleasedBundle {
  readonly version: string;
  /** Subresource integrity of the released file. */
  readonly integrity: string;
}

const REDOC: ReleasedBundle = {
  version: '2.5.4',
  integrity: 'sha384-w447zOpYfw/1Tv/5AK9NfHTlQIqE3RVR6KY62jCyy9zNDgO64cMwGGP1Fj0zJVf5',
};

/** Path of the bundle from the page that loads it. */
export const REDOC_PATH = `redoc-${REDOC.version}/redoc.standalone.js`;

/** Files of the npm package `redoc` that lie beside the page: the bundle and the licences of what is in it. */
const FILES = ['bundles/redoc.standalone.js', 'bundles/redoc.standalone.js.LICENSE.txt', 'LICENSE'];

/** Address from which a browser would load Redocly's logo. Without a logo, Redoc shows none. */
export const LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg';

/** Error for a bundle that npm can't get, or that is not the released one. */
export class RedocMissing extends Error {
  override readonly name = 'RedocMissing';
}

/**
 * Puts Redoc's bundle beside the page, unless it is there: from npm's cache, or else from the registry.
 * @param folder of the page
 * @throws {RedocMissing}
 */
export function putRedoc(folder: string): void {
  const bundle = join(folder, REDOC_PATH);
  if (existsSync(bundle)) return;
  mkdirSync(dirname(bundle), { recursive: true });
  const draft = mkdtempSync(join(folder, 'redoc.'));
  try {
    run('npm', ['pack', `redoc@${REDOC.version}`, '--prefer-offline', '--loglevel=error', '--pack-destination', draft]);
    run('tar', ['-xzf', join(draft, `redoc-${REDOC.version}.tgz`), '-C', draft]);
    const [main = '', ...licences] = FILES.map((file) => join(draft, 'package', file));
    for (const file of licences) writeFileSync(join(dirname(bundle), file.replace(/.*[/\\]/, '')), readFileSync(file));
    // Last, since its presence says that all is there.
    writeFileSync(bundle, withoutLogo(readFileSync(main), REDOC));
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Returns a released bundle that loads nothing from other servers.
 * @throws {RedocMissing} if it is not the released one, or does not name the logo once
 */
export function withoutLogo(bundle: Buffer, { version, integrity }: ReleasedBundle): string {
  const found = `sha384-${createHash('sha384').update(bundle).digest('base64')}`;
  if (found !== integrity) throw new RedocMissing(`redoc ${version} has ${found} instead of ${integrity}`);
  const [before, after, ...more] = bundle.toString('utf8').split(LOGO);
  if (after === undefined || more.length > 0) throw new RedocMissing(`redoc ${version} does not name ${LOGO} once`);
  return `${before}data:,${after}`;
}

function run(command: string, args: readonly string[]): void {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new RedocMissing(`${command} ${args.join(' ')}: ${error?.message ?? `${stdout}${stderr}`}`);
}
