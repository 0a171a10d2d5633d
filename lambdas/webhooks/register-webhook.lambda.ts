import { clock, count, logger, Metric, tableFromEnvironment } from '@orderly/kit/aws';
import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { Problem, toKeyedRequest, toTrace } from '@orderly/kit/http';
import { createOnce, parseIdempotencyKey } from '@orderly/kit/idempotent-receiver';
import { personalKeysFromEnvironment } from '@orderly/kit/personal-data';
import { createWebhookSecret } from '@orderly/kit/webhooks';
import { endpoint } from '../endpoint.js';
import { AppProblem } from '../problems.js';
import { webhooks } from './aggregates.js';
import { MAX_WEBHOOKS } from './contract.js';
import { toView } from './domain/webhook.js';
import { registerWebhook } from './routes.js';
import { readSubscribers, subscriberWrite } from './subscribers.js';
import { scopeOf, showSecret } from './webhook-store.js';

const table = tableFromEnvironment();
const webhookStore = eventStoreFromEnvironment(webhooks);
const personalKeys = personalKeysFromEnvironment();

/** POST /webhooks: the webhook and its row in the list of its events' subscribers, in one transaction. */
export const handler = endpoint(registerWebhook, async (request) => {
  const { body, caller } = request;
  const key = parseIdempotencyKey(toKeyedRequest(request));
  const webhookId = key.scope.slice(0, 32);
  const scope = scopeOf(caller);
  const keys = personalKeys.forRequest();
  const [known, sealedSecret] = await Promise.all([
    readSubscribers(table, scope),
    keys.createUnsealed(webhookId, createWebhookSecret()),
  ]);
  const { inOrder = false, ...wanted } = body;
  const { loaded, replayed } = await createOnce({
    store: webhookStore,
    key,
    trace: toTrace(request),
    refuseNew: known.length < MAX_WEBHOOKS && sealedSecret ? undefined : refuseOneMore,
    command: () => ({
      type: 'Register',
      webhookId,
      inOrder,
      ...wanted,
      ...scope,
      // Without one, the webhook of this key was deleted, and a repeat finds it.
      sealedSecret: sealedSecret ?? refuseOneMore(),
    }),
    alongside: (commit) => {
      const { state, version } = webhookStore.applyCommit(webhookStore.assumeNew(webhookId), commit);
      const view = toView(state, version);
      return { writes: view ? [subscriberWrite(table, view)] : [] };
    },
  });
  if (replayed) count(Metric.DUPLICATES_SUPPRESSED);
  logger.info(replayed ? 'webhook registered before' : 'webhook registered', { webhookId });
  return {
    status: 201,
    body: await showSecret(keys, loaded, clock.now()),
    headers: { Location: `webhooks/${webhookId}`, ...(replayed && { 'Idempotency-Replayed': 'true' }) },
  };
});

/** @throws {Problem} 429, always */
function refuseOneMore(): never {
  throw new Problem(AppProblem['limit-reached'], `there are ${MAX_WEBHOOKS} webhooks: delete one of them first`, {
    limit: 'WEBHOOKS',
  });
}
