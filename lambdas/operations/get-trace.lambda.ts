import { answerOf, contextOfFunction } from '@orderly/kit/operator';
import type { Shown } from '@orderly/kit/routes';
import type * as z from 'zod/mini';
import { endpoint } from '../endpoint.js';
import { ADVICE } from './advice.js';
import type { TraceView } from './contract.js';
import { getTrace } from './routes.js';
import { showTrace } from './trace.js';

const open = contextOfFunction(ADVICE);
/** Milliseconds for which an id without a time is searched. */
const BACK = 3_600_000;

/** GET /operations/trace/{id}: everything that followed from an order, a message or a request. */
export const handler = endpoint(getTrace, async ({ parameter }) => {
  const request = { id: parameter('id'), verbose: false, back: BACK };
  return answerOf<Shown<z.infer<typeof TraceView>>>(showTrace(await open(), request));
});
