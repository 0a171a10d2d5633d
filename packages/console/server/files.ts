import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of the page, as it is answered. */
export interface PageFile {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Files of the page by their paths. */
export type PageFiles = Readonly<Record<string, PageFile>>;

/** Paths of the page's files. `/` is the page itself. */
export const PAGE_PATHS = ['/', '/_console/console.js', '/_console/console.css', '/_console/icon.svg'] as const;

/** Folder of what `npm run pack` has built, in the published package. */
const BUILT = fileURLToPath(new URL('../built/', import.meta.url));

/**
 * Nothing but files of the page's own address, and nothing inline: neither a script nor a style that a message brings with it
 * runs. No other page may frame it, and no form leaves it.
 */
const HEADERS = {
  'content-security-policy':
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'",
  'x-content-type-options': 'nosniff',
  // The token is in the address until the script has removed it.
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

let files: Promise<PageFiles> | undefined;

/** Reads the page's files: built ones in the published package, and in the repository those that its sources make now. */
export function readPageFiles(): Promise<PageFiles> {
  files ??= read().catch((error: unknown) => {
    files = undefined;
    throw error;
  });
  return files;
}

async function read(): Promise<PageFiles> {
  // esbuild is no dependency of the published package.
  const texts = existsSync(BUILT) ? readBuilt() : (await import('./build.js')).buildPage();
  return Object.fromEntries(
    PAGE_PATHS.map((path) => {
      const name = fileOf(path);
      const type = TYPES[name.split('.').at(-1) ?? ''] ?? 'text/plain';
      return [path, { headers: { ...HEADERS, 'content-type': type }, body: texts[name] ?? '' }];
    }),
  );
}

/** Name of the file behind a path of the page. */
export const fileOf = (path: string): string => (path === '/' ? 'index.html' : path.replace('/_console/', ''));

const readBuilt = (): Readonly<Record<string, string>> =>
  Object.fromEntries(PAGE_PATHS.map((path) => [fileOf(path), readFileSync(join(BUILT, fileOf(path)), 'utf8')]));

/** The page for somebody who has no token. */
export const refusedPage = (how: string): PageFile => ({
  headers: { ...HEADERS, 'content-type': 'text/html; charset=utf-8' },
  body: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>A token is missing</title><meta name="viewport" content="width=device-width"></head>
<body><main><h1>A token is missing</h1><p>${how}</p></main></body>
</html>
`,
});
