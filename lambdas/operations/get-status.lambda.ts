import type { DeepReadonly } from '@orderly/kit/routes';
import { answerStatus, functionContext } from '@orderly/operator';
import type * as z from 'zod/mini';
import { endpoint } from '../endpoint.js';
import { ADVICE } from './advice.js';
import type { OperationsStatusView } from './contract.js';
import { readOrdersSection } from './orders-status.js';
import { getOperationsStatus } from './routes.js';

const open = functionContext(ADVICE);

/** GET /operations/status: whether the system is healthy, and if not, the next command. */
export const handler = endpoint(getOperationsStatus, async () =>
  answerStatus<DeepReadonly<z.infer<typeof OperationsStatusView>>>(await open(), [readOrdersSection]),
);
