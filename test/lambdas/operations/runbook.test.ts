import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FAILURE_REASONS, pageOn } from '../../../lambdas/operations/runbook.js';

const failure = (error: string) => pageOn({ what: 'failure', consumer: 'payments-provider', error });
const stuck = (reason?: string) => pageOn({ what: 'stuck saga', reason });

test.each([
  [failure('PaymentUnclear'), 'docs/operations/runbook.md', '## A payment is unclear'],
  [failure('RefundRefused'), 'docs/operations/runbook.md', '## RefundFailed'],
  [failure('TooOld'), FAILURE_REASONS, '## Unknown failures'],
  [failure('ContractViolation'), FAILURE_REASONS, '| `ContractViolation'],
  [failure('DeadLettered'), FAILURE_REASONS, '| `DeadLettered`'],
  [failure('AccessDeniedException'), FAILURE_REASONS, '| another name |'],
  [stuck('REFUND_FAILED'), 'docs/operations/runbook.md', '## RefundFailed'],
  [stuck('UNANSWERED'), 'docs/operations/runbook.md', '## SagaStuck'],
  [stuck(), 'docs/operations/runbook.md', '## SagaStuck'],
])('%s exists', (named, page, text) => {
  expect(named).toMatch(new RegExp(`^${page}, `));
  expect(readFileSync(page, 'utf8')).toContain(text);
});
