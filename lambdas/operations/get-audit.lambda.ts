import type { DeepReadonly } from '@orderly/kit/routes';
import { answerAudit, functionContext } from '@orderly/operator';
import type * as z from 'zod/mini';
import { endpoint } from '../endpoint.js';
import { ADVICE } from './advice.js';
import type { AuditView } from './contract.js';
import { ordersTwiceCheck } from './done-twice.js';
import { OF_ORDER } from './keys.js';
import { getDeliveryAudit } from './routes.js';

const open = functionContext(ADVICE);

/** GET /operations/audit: what became of each message at each consumer, and what was done twice. */
export const handler = endpoint(getDeliveryAudit, async ({ query }) =>
  answerAudit<DeepReadonly<z.infer<typeof AuditView>>>(await open(), query, { order: OF_ORDER }, ordersTwiceCheck),
);
