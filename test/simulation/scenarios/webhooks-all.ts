import type { Scenario } from '../../../packages/simulator/search/scenario.js';
import { webhookOne } from './webhook-one.js';
import { webhooksDelivered, webhooksGivenUp } from './webhooks.js';
import { webhooksForgotten } from './webhooks-forgotten.js';

/** Scenarios of an environment with webhooks: they need an assembly that has them. */
export const WEBHOOK_SCENARIOS: readonly Scenario[] = [
  webhookOne,
  webhooksDelivered,
  webhooksGivenUp,
  webhooksForgotten,
];
