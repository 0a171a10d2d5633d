import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/**
 * Commands take the time from their context only, as a local cloud may be ahead of this machine. Whatever they write or
 * compare is of the cloud's time.
 */
const COMMANDS = ['packages/operator', 'tools/operator', 'lambdas/operations', 'bin/orderly.ts'];

/** Files that read the clock of the machine, and why. */
const MAY: Readonly<Record<string, string>> = {
  'packages/operator/deployment/endpoint.ts': 'the clock of a context is made here',
  'packages/operator/doctor/doctor.ts': 'it compares the clock of this machine with that of the endpoint',
  'packages/operator/console/counts.ts': 'how long a page keeps what it has read',
  'packages/operator/auditor/auditor.lambda.ts': 'a function, which has the clock of its environment',
};

/** The time by this machine: a date of now, the clock of functions, and ids that show the time. */
const OF_MACHINE =
  /\bDate\.now\b|\bnew Date\(\s*\)|\bDate\(\s*\)|\bnewId\(\s*\)|import \{[^}]*\bclock\b[^}]*\} from '[^']*(?:aws\/clock\.js|@orderly\/(?:kit\/aws|operator))'/;

const filesIn = (path: string): readonly string[] =>
  path.endsWith('.ts')
    ? [path]
    : readdirSync(path, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => join(path, name));

test.each([
  'const now = Date.now();',
  'const at = new Date().toISOString();',
  "import { clock, secondsBetween } from '../aws/clock.js';",
  "import {\n  clock,\n  plural,\n} from '@orderly/operator';",
  'const run = newId();',
])('%j is the clock of the machine', (line) => expect(line).toMatch(OF_MACHINE));

test.each([
  'const now = clock.now();',
  'new Date(Date.parse(now) - seconds)',
  "import { secondsBetween } from '../aws/clock.js';",
  'newId(Date.parse(at))',
])('%j is not', (line) => expect(line).not.toMatch(OF_MACHINE));

test('commands do not ask the clock of the machine', () => {
  const files = COMMANDS.flatMap(filesIn);
  expect(files.length).toBeGreaterThan(150);
  const asking = files.filter((file) => OF_MACHINE.test(readFileSync(file, 'utf8')));
  expect(asking.toSorted()).toEqual(Object.keys(MAY).toSorted());
});
