import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readCommandLine } from '../../../packages/operator/cli/command-line.js';
import { ORDERLY } from '../../../tools/operator/command-line.js';
import { findCalls, splitWords } from '../../support/runbook-commands.js';

const PLACEHOLDERS = {
  'order id': '5d41402abc4b2a76b9719d911017c592',
  consumer: 'inventory-commands',
  'message id': '019aa4f2-6c1e-7d53-9f0e-2b8a4c6d8e10',
  'person id': 'alice',
  id: '1f3a9c2',
  why: 'test data',
  name: 'orders-list',
  'first day': '2026-11-21',
  time: '2026-11-21T07:00:00Z',
};

/** Pages of the runbook with the calls of the command line in them. */
const pages = readdirSync('docs/operations', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md'))
  .map((page) => ({
    page,
    calls: findCalls(readFileSync(`docs/operations/${page}`, 'utf8')).filter((call) => call !== '<command>'),
  }))
  .filter(({ calls }) => calls.length > 0);

test('the pages of the runbook have calls of the command line', () => {
  expect(pages.map(({ page }) => page)).toEqual(
    expect.arrayContaining(['a-day.md', 'alarms/SagaStuck.md', 'restore-to-a-point-in-time.md']),
  );
  expect(pages.flatMap(({ calls }) => calls).length).toBeGreaterThan(50);
});

describe.each(pages)('each call of the command line in $page can be read', ({ calls }) => {
  test.each(calls)('%s', (call) => {
    const line = readCommandLine(splitWords(call, PLACEHOLDERS), ORDERLY);
    expect(line.help).toBeUndefined();
  });
});

test('a call with an unknown option, a word too few or an unknown placeholder would be found', () => {
  const parsing = (call: string) => () => readCommandLine(splitWords(call, PLACEHOLDERS), ORDERLY);
  expect(
    findCalls('    npm run -s orderly -- order <order id>   # where\nsee `npm run -s orderly -- sagas\nlist`'),
  ).toEqual(['order <order id> # where', 'sagas list']);
  expect(parsing('order <order id> --verbosely # where')).toThrow(/--verbosely/);
  expect(parsing('failures show <consumer>')).toThrow(/needs the message id/);
  expect(parsing('order <nobody>')).toThrow(/unknown placeholder <nobody>/);
});
