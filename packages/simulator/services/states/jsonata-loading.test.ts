import { createRequire } from 'node:module';
import { expect, test, vi } from 'vitest';

const require = createRequire(import.meta.url);

test('the library is loaded by the first expression of a machine, and not before', async () => {
  const file = require.resolve('jsonata');
  delete require.cache[file];
  vi.resetModules();
  const { DefinitionReader } = await import('./definition.js');
  const read = (Output: string) =>
    new DefinitionReader({ isExpress: false, hasFunction: () => true, hasMachine: () => true }).read({
      QueryLanguage: 'JSONata',
      StartAt: 'A',
      States: { A: { Type: 'Succeed', Output } },
    });
  read('no expression');
  expect(require.cache).not.toHaveProperty([file]);
  read('{% 1 %}');
  expect(require.cache).toHaveProperty([file]);
});
