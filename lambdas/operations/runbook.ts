import type { Incident } from '@orderly/operator';
import { runbookPage } from '@orderly/operator/definitions';
import { APP } from '../app.js';

/** Names a page of the runbook. @param subject an alarm's name, or the page's title */
export const inRunbook = (subject: string): string => runbookPage(APP.runbook, subject);

/** Page with a heading for each reason of a failure. */
export const FAILURE_REASONS = 'docs/operations/failure-reasons.md';

/** Pages of the runbook about particular failures, by the name of their error. */
const IN_RUNBOOK: ReadonlyMap<string, string> = new Map([
  ['PaymentUnclear', 'A payment is unclear'],
  ['RefundRefused', 'RefundFailed'],
]);

/** Names of errors that are headings of {@link FAILURE_REASONS}. */
export const EXPLAINED: ReadonlySet<string> = new Set([
  'AccountAmbiguous',
  'AccountRefused',
  'ContractViolation',
  'DeadLettered',
  'OrderRefused',
  'PaymentRefused',
  'ProviderUnavailable',
  'ReservationRefused',
  'SagaRefused',
  'Unsendable',
]);

/** Names the page, and its heading if it has several, that says what to do about a failure, or a stuck saga. */
export function findRunbookPage(trouble: Incident): string {
  if (trouble.what === 'stuck saga')
    return inRunbook(trouble.reason === 'REFUND_FAILED' ? 'RefundFailed' : 'SagaStuck');
  const { error } = trouble;
  const heading = IN_RUNBOOK.get(error);
  if (heading !== undefined) return inRunbook(heading);
  const named = EXPLAINED.has(error) ? error : 'Another error';
  return `${FAILURE_REASONS}, "${error === 'TooOld' ? 'Unknown failures' : named}"`;
}
