import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { freshBundle, makeBundle, withSources } from '../../tools/bundle.mjs';

const ENTRY = 'bin/shop.ts';
const WORDS = `export const words = (): string => 'first';\n`;

let root = '';
/** Writes a file as if an hour ago: what was saved a moment before a build doesn't count as bundled. */
function write(path: string, text: string): void {
  writeFileSync(join(root, path), text);
  const time = Date.now() / 1000 - 3_600;
  utimesSync(join(root, path), time, time);
}
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'orderly-bundle-')));
  mkdirSync(join(root, 'bin'));
  write(
    ENTRY,
    `import { existsSync } from 'node:fs';
import { words } from './words.js';
export const said = words();
export const findsItself = existsSync(new URL('shop.ts', import.meta.url));
export const fails = (): never => {
  throw new Error('it fails');
};
`,
  );
  write('bin/words.ts', WORDS);
});
afterEach(() => rmSync(root, { recursive: true }));

interface Shop {
  readonly said: string;
  readonly findsItself: boolean;
  readonly fails: () => never;
}
const made = async (): Promise<string> => (await makeBundle(root, ENTRY)) ?? expect.fail('nothing was made');
const run = async (module: string) => (await import(pathToFileURL(module).href)) as Shop;

describe('a bundle', () => {
  test('a bundle is made once, and finds the files beside its sources', async () => {
    expect(freshBundle(root, ENTRY)).toBeUndefined();
    const module = await made();
    expect(freshBundle(root, ENTRY)).toBe(module);
    expect(await run(module)).toMatchObject({ said: 'first', findsItself: true });
  });

  test.each([
    ['a source', () => writeFileSync(join(root, 'bin/words.ts'), WORDS.replace('first', 'second'))],
    ['what is installed', () => writeFileSync(join(root, 'package-lock.json'), '{}')],
    ['the clone’s place', () => (root = movedTo(`${root}-moved`))],
    ['the absence of a source', () => rmSync(join(root, 'bin/words.ts'))],
  ])('a bundle is made again after a change of %s', async (_, change) => {
    const old = await made();
    change();
    expect(freshBundle(root, ENTRY)).toBeUndefined();
    if (!existsSync(join(root, 'bin/words.ts'))) return;
    // A process that began with the old one may still load parts of it.
    if (!root.endsWith('-moved')) expect(existsSync(old)).toBe(true);
    expect(await run(await made())).toMatchObject({ said: expect.stringMatching(/first|second/), findsItself: true });
  });

  test('a bundle is not fresh if a source was saved while it was made', async () => {
    writeFileSync(join(root, 'bin/words.ts'), WORDS);
    utimesSync(join(root, 'bin/words.ts'), Date.now() / 1000 + 60, Date.now() / 1000 + 60);
    await made();
    expect(freshBundle(root, ENTRY)).toBeUndefined();
  });

  test('a bundle is whole, even if several processes make it at the same time', async () => {
    const modules = await Promise.all([made(), made(), made()]);
    expect(modules).toContain(freshBundle(root, ENTRY));
    for (const module of modules) expect((await run(module)).said).toBe('first');
    expect(readdirSync(join(root, '.build/bundles/shop')).filter((name) => name.startsWith('building-'))).toEqual([]);
  });

  test('a bundle is left out if it can’t be kept, or can’t be made', async () => {
    writeFileSync(join(root, '.build'), 'a file where the folder would be');
    expect(await makeBundle(root, ENTRY)).toBeUndefined();
    rmSync(join(root, '.build'));
    write('bin/words.ts', 'export const words = (;');
    expect(await makeBundle(root, ENTRY)).toBeUndefined();
    expect(readdirSync(join(root, '.build/bundles/shop'))).toEqual([]);
  });

  test('names lines of its sources in stacks', async () => {
    const { fails } = await run(await made());
    try {
      fails();
    } catch (error) {
      // vitest maps stacks itself; this is what Node says.
      const [, line, column] = /(\d+):(\d+)$/.exec(placeOfFailure()) ?? [];
      const stack = `Error: it fails\n    at fails (${freshBundle(root, ENTRY)}:${line}:${column})`;
      expect((error as Error).message).toBe('it fails');
      expect(withSources(stack)).toMatch(/\n {4}at fails \(\S*bin\/shop\.ts:6:9\)$/);
    }
    expect(withSources('at x (/nowhere/x.js:1:1)')).toBe('at x (/nowhere/x.js:1:1)');
  });
});

function movedTo(folder: string): string {
  cpSync(root, folder, { recursive: true, preserveTimestamps: true });
  rmSync(root, { recursive: true });
  return folder;
}

/** Place of the error in the bundle, as a process of its own says. */
function placeOfFailure(): string {
  const module = pathToFileURL(freshBundle(root, ENTRY) ?? '').href;
  const code = `import(${JSON.stringify(module)}).then(({ fails }) => fails()).catch(({ stack }) => console.log(stack.split('\\n')[1].replace(')', '')))`;
  return execFileSync(process.execPath, ['-e', code], { encoding: 'utf8' }).trim();
}

describe('the command line', () => {
  test('runs from sources in a clone that can’t be written, and as `orderly` from a link', () => {
    const link = join(root, 'orderly');
    symlinkSync(join(process.cwd(), 'bin/orderly.mjs'), link);
    const linked = spawnSync(process.execPath, [link, 'ordr'], { encoding: 'utf8' });
    expect(linked.stderr).toMatch(/Did you mean 'order'\?\nCorrect usage: orderly --help\n$/);

    for (const path of [
      'bin',
      'lambdas',
      'lib',
      'packages',
      'tools',
      'tsconfig.json',
      'package.json',
      'package-lock.json',
    ])
      cpSync(path, join(root, 'clone', path), { recursive: true });
    symlinkSync(join(process.cwd(), 'node_modules'), join(root, 'clone/node_modules'));
    writeFileSync(join(root, 'clone/.build'), 'no folder');
    const { stderr, status } = spawnSync(process.execPath, ['tools/run.mjs', 'orderly', 'ordr'], {
      cwd: join(root, 'clone'),
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining("Did you mean 'order'?") });
  });
});
