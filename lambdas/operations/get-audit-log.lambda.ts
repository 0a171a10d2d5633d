import type { DeepReadonly } from '@orderly/kit/routes';
import { answerAuditLog, functionContext } from '@orderly/operator';
import type * as z from 'zod/mini';
import { endpoint } from '../endpoint.js';
import { ADVICE } from './advice.js';
import type { AuditLogView } from './contract.js';
import { getOperatorsLog } from './routes.js';

const open = functionContext(ADVICE);

/** GET /operations/audit-log: what operators did. */
export const handler = endpoint(getOperatorsLog, async ({ query }) =>
  answerAuditLog<DeepReadonly<z.infer<typeof AuditLogView>>>(await open(), query),
);
