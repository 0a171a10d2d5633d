import { expect, test } from 'vitest';
import { Assembly } from '../assembly/assembly.js';
import { Cloud, Deployment } from '../cloud/cloud.js';
import { addAssetFiles, functionResource, resultsOf, writeAssembly } from '../support/clouds.js';
import { environment, value } from '../support/environments.js';

test('a module of Node is resolved by its name, and one that is nowhere is missing', async () => {
  const { invoke } = environment(`exports.handler = async (name) => require.resolve(name);`);
  expect(value(await invoke('node:fs'))).toBe('node:fs');
  expect(await invoke('handlebars')).toMatchObject({ message: "Cannot find module 'handlebars'" });
});

/** Returns what the function of an app answers. @param files of assets */
async function answerOf(code: string, files: Readonly<Record<string, string>>): Promise<unknown> {
  const app = writeAssembly(functionResource('Work'), { Work: code });
  addAssetFiles(app, files);
  const cloud = new Cloud(new Deployment(new Assembly(app)), { seed: '1' });
  return resultsOf(cloud);
}

test('a package compiles a changed copy of another one, as jsonpath does with esprima', async () => {
  const code = `const Module = require('module');
    const file = require.resolve('grammar');
    const source = require('fs').readFileSync(file, 'utf8').replace('1', '2');
    const changed = new Module('changed');
    changed._compile(source, file);
    exports.handler = async () => [file, changed.exports.version(), changed instanceof Module.Module];`;
  const files = {
    'Work/node_modules/grammar/index.js':
      "module.exports = { version: () => [1, typeof process.env.AWS_REGION, __dirname].join(' ') };",
  };
  expect(await answerOf(code, files)).toEqual([
    {
      kind: 'returned',
      value: ['/var/task/node_modules/grammar/index.js', '2 string /var/task/node_modules/grammar', true],
    },
  ]);
});

test('a file of a package is found beside the file that asks for it', async () => {
  const files = {
    'Work/node_modules/grammar/lib/index.js':
      "exports.text = () => require('fs').readFileSync(require.resolve('../include/words.json'), 'utf8');",
    'Work/node_modules/grammar/include/words.json': '["a"]',
  };
  const code = "const { text } = require('grammar/lib/index.js'); exports.handler = async () => text();";
  expect(await answerOf(code, files)).toEqual([{ kind: 'returned', value: '["a"]' }]);
});
