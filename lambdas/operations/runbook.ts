import type { Trouble } from '@orderly/kit/operator';
import { APP } from '../app.js';

/** Names a place in the runbook. @param heading of the runbook, word for word */
export const inRunbook = (heading: string): string => `${APP.runbook}, "${heading}"`;

/** Page with a row for each reason of a failure. */
export const FAILURE_REASONS = 'docs/operations/failure-reasons.md';

/** Headings about particular failures, by the name of their error. Every other error has its row in {@link FAILURE_REASONS}. */
const HEADINGS: Readonly<Record<string, string>> = {
  PaymentUnclear: 'A payment is unclear',
  RefundRefused: 'RefundFailed',
};

/** Names the page that says what to do about a failure, or a stuck saga. */
export function pageOn(trouble: Trouble): string {
  if (trouble.what === 'stuck saga')
    return inRunbook(trouble.reason === 'REFUND_FAILED' ? 'RefundFailed' : 'SagaStuck');
  const heading = HEADINGS[trouble.error];
  if (heading !== undefined) return inRunbook(heading);
  return trouble.error === 'TooOld' ? `${FAILURE_REASONS}, "Unknown failures"` : `${FAILURE_REASONS}, ${trouble.error}`;
}
