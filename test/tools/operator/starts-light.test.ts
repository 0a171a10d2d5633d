import { build } from 'esbuild';
import { expect, test } from 'vitest';

/** Returns everything that a module loads before it runs: what is imported dynamically comes later. */
async function loadedBy(entry: string): Promise<ReadonlySet<string>> {
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    splitting: true,
    outdir: 'unused',
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
    plugins: [
      {
        name: 'packages of others are not followed',
        setup: ({ onResolve }) =>
          onResolve({ filter: /.*/ }, ({ kind, path }) =>
            kind === 'entry-point' || /^(\.|@orderly\/)/.test(path) ? undefined : { path, external: true },
          ),
      },
    ],
  });
  const loaded = new Set<string>();
  const load = (file: string): void => {
    if (loaded.has(file)) return;
    loaded.add(file);
    for (const { path, kind } of metafile.inputs[file]?.imports ?? []) if (kind !== 'dynamic-import') load(path);
  };
  load(entry);
  return loaded;
}

test('help and wrong calls load no SDK, no schema and no command’s work', async () => {
  const loaded = await loadedBy('bin/orderly.ts');
  expect([...loaded].filter((file) => /^(?!node:)[a-z0-9@-]+(?:\/[a-z0-9-]+)*$/.test(file))).toEqual([]);
  expect(loaded.size).toBeLessThan(55);
});
