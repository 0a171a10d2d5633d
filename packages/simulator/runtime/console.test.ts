import { expect, test } from 'vitest';
import { environment } from '../support/environments.js';

async function logged(body: string): Promise<readonly string[]> {
  const { invoke, log } = environment(`exports.handler = async () => { ${body} };`);
  await invoke();
  return log;
}

test.each([
  ['dir', 'console.dir({ a: { b: 1 } });', ['{ a: { b: 1 } }']],
  [
    'groups',
    "console.group('one'); console.log('two'); console.groupEnd(); console.log('three');",
    ['one', '  two', 'three'],
  ],
  ['count', "console.count(); console.count('a'); console.count();", ['default: 1', 'a: 1', 'default: 2']],
  ['assert', "console.assert(true); console.assert(false, 'no');", ['Assertion failed: no']],
  [
    'time',
    "console.time('a'); await new Promise((done) => setTimeout(done, 250)); console.timeEnd('a');",
    ['a: 250ms'],
  ],
  ['a console of its own', "new (require('console').Console)(process.stdout).log('own');", ['own']],
])('code may use %s', async (_, body, lines) => {
  expect(await logged(body)).toEqual(lines);
});

test('a table is one line of the log', async () => {
  const [table] = await logged('console.table([{ a: 1 }]);');
  expect(table).toContain('│ 0');
});
