import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const PAGE = fileURLToPath(new URL('../page/', import.meta.url));

/**
 * Bundles the page from its sources: one script, one stylesheet.
 * @returns texts by the names of the files
 */
export function buildPage(): Readonly<Record<string, string>> {
  const { outputFiles } = buildSync({
    entryPoints: { console: `${PAGE}main.tsx` },
    outdir: PAGE,
    write: false,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'silent',
    // Otherwise the settings of the repository would decide, which are for Node.
    tsconfigRaw: {},
  });
  const built = outputFiles.map(({ path, text }) => [path.split(/[\\/]/).at(-1) ?? '', text] as const);
  const copied = ['index.html', 'icon.svg'].map((name) => [name, readFileSync(`${PAGE}${name}`, 'utf8')] as const);
  return Object.fromEntries([...built, ...copied]);
}
