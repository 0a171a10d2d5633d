import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Assembly } from '../assembly/assembly.js';
import { type Cloud, Deployment } from '../cloud/cloud.js';
import { playSeed } from '../search/scenario.js';
import { functionResource, writeAssembly } from '../support/clouds.js';
import { environment, value } from '../support/environments.js';
import { Bundle } from './bundle.js';

/** Runs the body of a handler beside files of its asset and its layers. */
async function run(body: string, { name = 'value' } = {}) {
  const task = mkdtempSync(join(tmpdir(), 'task-'));
  mkdirSync(join(task, 'dist'));
  writeFileSync(join(task, 'dist', 'hello.txt'), 'Hello, {name}');
  const [below, over] = ['below', 'over'].map((text) => {
    const layer = mkdtempSync(join(tmpdir(), 'layer-'));
    writeFileSync(join(layer, 'which.txt'), text);
    return layer;
  }) as [string, string];
  writeFileSync(join(below, 'only.txt'), 'only');
  const source = `const fs = require('fs'); const path = require('path'); let calls = 0;
    exports.handler = async (event) => { ${body} };`;
  const files = { task, layers: [below, over], folder: '/var/task/dist' };
  return environment(new Bundle('under test', source, { files }), '1', undefined, name);
}
const resultOf = async (body: string): Promise<unknown> => value(await (await run(body)).invoke());

test('code reads the files of its asset and of its layers, and changes none of them', async () => {
  expect(
    await resultOf(`return [
      fs.readFileSync(path.join(__dirname, 'hello.txt'), 'utf8'),
      await fs.promises.readFile('dist/hello.txt', { encoding: 'utf8' }),
      fs.readdirSync('/var/task/dist'),
      fs.readFileSync('/opt/which.txt', 'utf8'),
      fs.readFileSync('/opt/only.txt', 'utf8'),
      fs.existsSync('/opt/none.txt'),
      __filename,
    ];`),
  ).toEqual(['Hello, {name}', 'Hello, {name}', ['hello.txt'], 'over', 'only', false, '/var/task/dist/index.js']);
  const write = (path: string) =>
    resultOf(`try { fs.writeFileSync('${path}', 'x'); } catch (error) { return [error.code, error.path]; }`);
  expect(await write('/var/task/dist/hello.txt')).toEqual(['EROFS', '/var/task/dist/hello.txt']);
  expect(await write('/opt/which.txt')).toEqual(['EROFS', '/opt/which.txt']);
  expect(await write('/tmp/../etc/passwd')).toEqual(['EROFS', '/etc/passwd']);
});

test.each([
  [
    'functions that return',
    `fs.writeFileSync(file, 'a'); fs.appendFileSync(file, 'b'); return fs.readFileSync(file, 'utf8');`,
  ],
  [
    'functions with a callback',
    `await new Promise((resolve, reject) => fs.writeFile(file, 'a', (error) => (error ? reject(error) : resolve())));
     return new Promise((resolve, reject) => fs.readFile(file, 'utf8', (error, text) => (error ? reject(error) : resolve(text + 'b'))));`,
  ],
  [
    'promises',
    `await fs.promises.writeFile(file, 'a'); await fs.promises.appendFile(file, 'b'); return fs.promises.readFile(file, 'utf8');`,
  ],
  [
    'streams',
    `const { pipeline } = require('stream/promises'); const { Readable } = require('stream');
     await pipeline(Readable.from(['a', 'b']), fs.createWriteStream(file));
     let text = ''; for await (const part of fs.createReadStream(file, 'utf8')) text += part; return text;`,
  ],
  [
    'an open file',
    `const open = fs.openSync(file, 'w'); fs.writeSync(open, 'ab'); fs.closeSync(open);
     return fs.readFileSync(fs.realpathSync(file), 'utf8');`,
  ],
])('code writes to /tmp by %s', async (_, body) => {
  expect(await resultOf(`const file = '/tmp/a.txt'; ${body}`)).toBe('ab');
});

test('what is in /tmp stays for the next invocation, and is not there in another environment', async () => {
  const body = `if (!fs.existsSync('/tmp/count')) fs.writeFileSync('/tmp/count', '0');
    const count = Number(fs.readFileSync('/tmp/count', 'utf8')) + 1; fs.writeFileSync('/tmp/count', String(count)); return count;`;
  const one = await run(body);
  expect([value(await one.invoke()), value(await one.invoke())]).toEqual([1, 2]);
  expect(await resultOf(body)).toBe(1);
});

test('a file is as old as its environment, and a folder of a chosen name has it from the seed', async () => {
  const body = `const made = fs.mkdtempSync('/tmp/work-'); return [made, fs.statSync(made).mtimeMs];`;
  const one = await run(body);
  const [made, time] = value(await one.invoke()) as [string, number];
  expect(made).toMatch(/^\/tmp\/work-\w{6}$/);
  expect(time).toBe(one.world.begins);
  expect(await resultOf(body)).toEqual([made, time]);
});

test('an error names the file as the code knows it, and what is elsewhere is missing', async () => {
  const failing = (call: string) =>
    resultOf(`fs.writeFileSync('/tmp/a', ''); try { ${call} } catch (error) { return error.message; }`);
  expect(await failing(`fs.readFileSync('/tmp/none')`)).toBe("ENOENT: no such file or directory, open '/tmp/none'");
  expect(await failing(`fs.rmdirSync('/tmp/a')`)).toBe("ENOTDIR: not a directory, rmdir '/tmp/a'");
  expect(await failing(`fs.readFileSync('/etc/passwd')`)).toBe("ENOENT: no such file or directory, open '/etc/passwd'");
  expect(await failing('fs.symlinkSync("/etc/passwd", "/tmp/link")')).toBe('fs.symlinkSync is not simulated');
});

test('a logger that writes to the standard output by its number is logged', async () => {
  const { invoke, log } = await run(
    `fs.writeSync(1, 'one\\n'); await new Promise((done) => fs.write(2, 'two\\n', done));`,
  );
  await invoke();
  expect(log).toEqual(['one', 'two']);
});

test('a seed is one history for code that keeps something in /tmp', async () => {
  const source = `const fs = require('fs');
    exports.handler = async () => { const was = fs.existsSync('/tmp/a'); fs.writeFileSync('/tmp/a', ''); return was; };`;
  const deployment = new Deployment(new Assembly(writeAssembly(functionResource('Work'), { Work: source })));
  const results: unknown[] = [];
  const scenario = {
    name: 'tmp',
    async play(cloud: Cloud) {
      cloud.fn('Shop/Work').invoke({}, (result) => results.push(result));
      await cloud.world.settle();
      return [];
    },
  };
  for (let times = 0; times < 3; times++) await playSeed(deployment, { ...scenario, faultProbability: 0 }, '1');
  expect(results).toEqual(Array.from({ length: 3 }, () => ({ kind: 'returned', value: false })));
});
