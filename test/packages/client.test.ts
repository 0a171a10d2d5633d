import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pack } from '../../tools/release/pack.js';

/** A program of a user of `@orderly/client`, outside of this repository. The package has no dependencies, so no registry is needed. */
const folder = mkdtempSync(join(tmpdir(), 'shop-'));
const shop = join(folder, 'shop');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(command: string, args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: shop, encoding: 'utf8' });
  return { status, said: `${stdout}${stderr}` };
}

beforeAll(() => {
  const [tarball = ''] = pack(join(folder, 'packages'), ['client']);
  mkdirSync(shop);
  writeFileSync(join(shop, 'package.json'), '{ "type": "module", "private": true }');
  copyFileSync('test/client/example.ts', join(shop, 'example.ts'));
  expect(run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball])).toMatchObject({ status: 0 });
});

/** The libraries' own declarations are checked, too. */
const TSC = [
  resolve('node_modules/typescript/bin/tsc'),
  'example.ts',
  '--ignoreConfig',
  '--strict',
  '--skipLibCheck',
  'false',
];

test.each([
  [
    'Node',
    ['--module', 'nodenext', '--lib', 'es2022', '--types', 'node', '--typeRoots', resolve('node_modules/@types')],
  ],
  ['a browser', ['--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'es2022,dom']],
])("the README's example has types for %s", (_, options) => {
  expect(run(process.execPath, [...TSC, '--target', 'es2022', ...options])).toEqual({ status: 0, said: '' });
});

test('the package is an ES module that a program imports by its name', () => {
  writeFileSync(
    join(shop, 'main.js'),
    `import * as client from '@orderly/client';
     const orderly = client.orderlyClient({ baseUrl: 'http://127.0.0.1:9/v1', attempts: 1 });
     const error = await orderly.getBasket().catch((thrown) => thrown);
     console.log(Object.keys(client).sort().join(), error instanceof client.NoAnswer);`,
  );
  expect(run(process.execPath, ['main.js'])).toEqual({
    status: 0,
    said: 'NoAnswer,OrderPending,OrderlyProblem,isProblemOf,orderlyClient true\n',
  });
});
