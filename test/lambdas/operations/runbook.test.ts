import { readdirSync, readFileSync } from 'node:fs';
import type { Incident } from '@orderly/operator';
import { expect, test } from 'vitest';
import { EXPLAINED, FAILURE_REASONS, findRunbookPage, inRunbook } from '../../../lambdas/operations/runbook.js';

const failure = (error: string) => findRunbookPage({ what: 'failure', consumer: 'payments-provider', error });
const stuck = (reason?: string) => findRunbookPage({ what: 'stuck saga', reason });

test.each([
  [failure('PaymentUnclear'), 'docs/operations/a-payment-is-unclear.md'],
  [failure('RefundRefused'), 'docs/operations/alarms/RefundFailed.md'],
  [failure('TooOld'), `${FAILURE_REASONS}, "Unknown failures"`],
  [failure('ContractViolation'), `${FAILURE_REASONS}, "ContractViolation"`],
  [failure('DeadLettered'), `${FAILURE_REASONS}, "DeadLettered"`],
  [failure('AccessDeniedException'), `${FAILURE_REASONS}, "Another error"`],
  [stuck('REFUND_FAILED'), 'docs/operations/alarms/RefundFailed.md'],
  [stuck('UNANSWERED'), 'docs/operations/alarms/SagaStuck.md'],
  [stuck(), 'docs/operations/alarms/SagaStuck.md'],
])('advice names %s', (named, page) => expect(named).toBe(page));

const headingsOf = (page: string): readonly string[] =>
  [...readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);

/** Names of all errors that the kit and the services declare, and some of the language and the SDK. */
const NAMES = [
  ...['packages/kit', 'packages/operator', 'lambdas'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => [...readFileSync(`${folder}/${file}`, 'utf8').matchAll(/\bclass (\w+) extends \w*Error\b/g)])
      .map(([, name = '']) => name),
  ),
  ...['Error', 'SafeError', 'TypeError', 'ThrottlingException', 'constructor', ''],
];

const TROUBLES: readonly Incident[] = [
  ...NAMES.map((error) => ({ what: 'failure', consumer: 'orders-saga', error }) as const),
  ...['REFUND_FAILED', 'NO_ANSWER', undefined].map((reason) => ({ what: 'stuck saga', reason }) as const),
];

test('each advice leads to a page, and to a heading of it, that exist', () => {
  expect(NAMES.length).toBeGreaterThan(30);
  for (const trouble of TROUBLES) {
    const [, page = '', heading] = /^(\S+\.md)(?:, "(.+)")?$/.exec(findRunbookPage(trouble)) ?? [];
    const headings = headingsOf(page);
    expect(headings, JSON.stringify(trouble)).toContain(heading ?? headings[0]);
  }
});

test('each error with a heading of its own is declared, and its heading exists', () => {
  for (const name of EXPLAINED) {
    expect(NAMES).toContain(name);
    expect(headingsOf(FAILURE_REASONS)).toContain(name);
  }
});

test.each(['Was anything lost', 'An order is under review', 'Restore to a point in time', 'TimersLate'])(
  '%s is the title of its page',
  (subject) => expect(headingsOf(inRunbook(subject))[0]).toBe(subject),
);
