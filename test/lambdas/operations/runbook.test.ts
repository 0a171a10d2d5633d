import { readdirSync, readFileSync } from 'node:fs';
import type { Trouble } from '@orderly/kit/operator';
import { expect, test } from 'vitest';
import { EXPLAINED, FAILURE_REASONS, pageOn } from '../../../lambdas/operations/runbook.js';

const failure = (error: string) => pageOn({ what: 'failure', consumer: 'payments-provider', error });
const stuck = (reason?: string) => pageOn({ what: 'stuck saga', reason });

test.each([
  [failure('PaymentUnclear'), 'docs/operations/runbook.md', '## A payment is unclear'],
  [failure('RefundRefused'), 'docs/operations/runbook.md', '## RefundFailed'],
  [failure('TooOld'), FAILURE_REASONS, '## Unknown failures'],
  [failure('ContractViolation'), FAILURE_REASONS, '## ContractViolation'],
  [failure('DeadLettered'), FAILURE_REASONS, '## DeadLettered'],
  [failure('AccessDeniedException'), FAILURE_REASONS, '## Another error'],
  [stuck('REFUND_FAILED'), 'docs/operations/runbook.md', '## RefundFailed'],
  [stuck('UNANSWERED'), 'docs/operations/runbook.md', '## SagaStuck'],
  [stuck(), 'docs/operations/runbook.md', '## SagaStuck'],
])('%s exists', (named, page, text) => {
  expect(named).toMatch(new RegExp(`^${page}, `));
  expect(readFileSync(page, 'utf8')).toContain(text);
});

const headingsOf = (page: string): readonly string[] =>
  [...readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);

/** Names of all errors that the kit and the services declare, and some of the language and the SDK. */
const NAMES = [
  ...['packages/kit', 'lambdas'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => [...readFileSync(`${folder}/${file}`, 'utf8').matchAll(/\bclass (\w+) extends \w*Error\b/g)])
      .map(([, name = '']) => name),
  ),
  ...['Error', 'SafeError', 'TypeError', 'ThrottlingException', 'constructor', ''],
];

const TROUBLES: readonly Trouble[] = [
  ...NAMES.map((error) => ({ what: 'failure', consumer: 'orders-saga', error }) as const),
  ...['REFUND_FAILED', 'NO_ANSWER', undefined].map((reason) => ({ what: 'stuck saga', reason }) as const),
];

test('each advice leads to a heading that exists', () => {
  expect(NAMES.length).toBeGreaterThan(30);
  for (const trouble of TROUBLES) {
    const [, page = '', heading = ''] = /^(\S+\.md), "(.+)"$/.exec(pageOn(trouble)) ?? [];
    expect(headingsOf(page), JSON.stringify(trouble)).toContain(heading);
  }
});

test('each error with a heading of its own is declared, and its heading exists', () => {
  for (const name of EXPLAINED) {
    expect(NAMES).toContain(name);
    expect(headingsOf(FAILURE_REASONS)).toContain(name);
  }
});
