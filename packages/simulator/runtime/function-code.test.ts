import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { checkAssembly } from '../cloud/check-assembly.js';
import { addAssetFiles, createCloud, functionResource, resultsOf, writeAssembly } from '../support/clouds.js';
import { environment, value } from '../support/environments.js';
import { toSingleFile } from './function-code.js';

/** Writes files into a folder. @returns the path of the first one */
function write(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'code-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return join(folder, Object.keys(files)[0] ?? '');
}

const singleFile = (files: Readonly<Record<string, string>>, runtime = 'nodejs22.x'): string => {
  const path = write(files);
  return toSingleFile({ source: Object.values(files)[0] ?? '', path, runtime }, 'Shop/Work');
};

test.each<[told: string, files: Readonly<Record<string, string>>, result: unknown]>([
  [
    'an ES module',
    { 'index.mjs': 'export const handler = async () => import.meta.url;' },
    'file:///var/task/index.mjs',
  ],
  [
    'several files',
    { 'index.js': "exports.handler = async () => require('./lib/a').a;", 'lib/a.js': 'exports.a = 1;' },
    1,
  ],
  [
    'a module by its package.json, with JSON',
    {
      'index.js': "import data from './data.json'; export const handler = async () => data.a;",
      'data.json': '{"a":2}',
      'package.json': '{"type":"module"}',
    },
    2,
  ],
  [
    'a package of its asset',
    {
      'index.js': "exports.handler = async () => require('three');",
      'node_modules/three/index.js': 'module.exports = 3;',
    },
    3,
  ],
  ['an import when it runs', { 'index.js': "exports.handler = async () => (await import('node:path')).sep;" }, '/'],
  [
    'an import of a name that the code makes',
    { 'index.mjs': "const name = 'node:path'; export const handler = async () => (await import(name)).default.sep;" },
    '/',
  ],
  [
    'a module whose top level awaits another one and the time',
    {
      'index.mjs': `import fs, { existsSync as exists } from 'node:fs';
        import * as path from 'path';
        import { wait } from './wait.mjs';
        import old from './old.cjs';
        export const waited = await wait();
        const handler = async () => [waited, path.sep, typeof fs.readFileSync, exists === fs.existsSync, old.a, TEXT];
        const TEXT = \`
import fs from "fs";
\`;
        export { handler };
        export default handler;`,
      'wait.mjs': `import { setTimeout } from 'node:timers/promises';
        await setTimeout(100);
        export const wait = async () => { const begun = Date.now(); await setTimeout(1000); return Date.now() - begun; };`,
      'old.cjs': "exports.a = typeof require('zlib').gzipSync;",
    },
    [1000, '/', 'function', true, 'function', '\nimport fs from "fs";\n'],
  ],
])('%s becomes one file that runs', async (_, files, result) => {
  const { invoke } = environment(singleFile(files));
  expect(value(await invoke())).toEqual(result);
});

test.each([
  ["exports.handler = async () => require('node:crypto').randomUUID();"],
  // The SDK asks for it, and does without.
  ['exports.handler = async () => { try { require("@aws-sdk/signature-v4a"); } catch { return 1; } };'],
  ["exports.handler = async () => require('left-pad');"],
])('a file that needs nothing of this stays as it is: %s', (source) => {
  expect(singleFile({ 'index.js': source })).toBe(source);
});

test('a package of the runtime that is not installed is named, with the command that installs it', () => {
  const source = "import { X } from '@aws-sdk/client-braket/deep'; export const handler = async () => X;";
  expect(() => singleFile({ 'index.mjs': source })).toThrow(
    "Shop/Work uses @aws-sdk/client-braket of Lambda's runtime or of a layer, not installed here: npm install --save-dev @aws-sdk/client-braket",
  );
});

test('all packages of the runtime that are missing are named at once', () => {
  const source =
    "const a = require('@aws-sdk/client-braket'); const b = require('@aws-sdk/client-sqs'); const c = require('@aws-sdk/client-ivs');";
  expect(() => singleFile({ 'index.js': source })).toThrow(
    'npm install --save-dev @aws-sdk/client-braket @aws-sdk/client-ivs',
  );
});

test('the SDK v2 is a package of the runtime up to Node.js 16, and missing from then on, as at AWS', async () => {
  const source = "const { S3 } = require('aws-sdk'); exports.handler = async () => S3;";
  expect(() => singleFile({ 'index.js': source }, 'nodejs16.x')).toThrow('npm install --save-dev aws-sdk');
  const made = () => environment(singleFile({ 'index.js': source }, 'nodejs18.x'));
  expect(made).toThrow("Cannot find module 'aws-sdk'");
});

test('a handler that is not compiled yet is named with what to do', () => {
  const app = writeAssembly(functionResource('Work', [], { Handler: 'place.handler' }));
  addAssetFiles(app, { 'Work/place.ts': 'export const handler = async () => undefined;' });
  expect(checkAssembly(app).map(({ what }) => what)).toEqual([
    'the handler place.handler of Shop/Work needs place.js, place.mjs or place.cjs in its asset, which has none of them; it has place.ts: compile it, and run cdk synth again',
  ]);
});

/** AWS deploys such a function, and a workflow that calls it ends otherwise: no reason to search nothing. */
test('a module without its handler keeps nothing from running: its invocations fail as at AWS', async () => {
  const app = writeAssembly(functionResource('Work'), { Work: 'exports.other = () => undefined;' });
  const what = 'index.handler is undefined or not exported';
  expect(checkAssembly(app)).toMatchObject([{ label: 'Shop/Work', what, mayBeIgnored: true }]);
  const cloud = createCloud(functionResource('Work'), { Work: 'exports.other = () => undefined;' });
  expect(await resultsOf(cloud)).toEqual([{ kind: 'failed', name: 'Runtime.HandlerNotFound', message: what }]);
});
