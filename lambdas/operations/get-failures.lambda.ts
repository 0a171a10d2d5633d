import type { DeepReadonly } from '@orderly/kit/routes';
import { answerFailureGroups, functionContext } from '@orderly/operator';
import type * as z from 'zod/mini';
import { endpoint } from '../endpoint.js';
import { ADVICE } from './advice.js';
import type { FailureGroupsView } from './contract.js';
import { customersOfOrderly } from './failure-customers.js';
import { getFailureGroups } from './routes.js';

const open = functionContext(ADVICE);

/** GET /operations/failures: failures and stuck sagas by their causes, with the next command for each. */
export const handler = endpoint(getFailureGroups, async ({ query }) =>
  answerFailureGroups<DeepReadonly<z.infer<typeof FailureGroupsView>>>(await open(), query, customersOfOrderly),
);
