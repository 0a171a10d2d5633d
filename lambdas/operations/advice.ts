import type { AppAdvice } from '@orderly/operator';
import { APP } from '../app.js';
import { PROGRAM } from './program.js';
import { findRunbookPage } from './runbook.js';

/** Names of Orderly's command line and of the pages of its runbook, for advice on the command line and over the API. */
export const ADVICE = {
  program: PROGRAM,
  runbook: APP.runbook,
  // The aggregates of an order have its id.
  reportOn: (subject: string) => ['order', subject.slice(subject.indexOf('/') + 1)],
  pageOn: findRunbookPage,
} as const satisfies AppAdvice;
