import type { DeepReadonly } from '@orderly/kit/routes';
import { answerCommand, functionContext } from '@orderly/operator';
import type * as z from 'zod/mini';
import { endpoint } from '../endpoint.js';
import { ADVICE } from './advice.js';
import { TraceId, type TraceView } from './contract.js';
import type { Search } from './find-message.js';
import { command } from './program.js';
import { getTrace } from './routes.js';
import { showTrace } from './trace.js';

const open = functionContext(ADVICE);
/** The bounds of an answer. The command line has wider ones. */
const buildSearch = (id: string): Search => ({
  back: 3_600_000,
  most: 5_000,
  where: 'in the last hour',
  narrower: `run ${command('trace', id)}`,
});

/** GET /operations/trace/{id}: everything that followed from an order, a message or a request. */
export const handler = endpoint(getTrace, async ({ parameter }) => {
  const id = parameter('id', TraceId);
  const request = { id, verbose: false, search: buildSearch(id) };
  return answerCommand<DeepReadonly<z.infer<typeof TraceView>>>(showTrace(await open(), request));
});
