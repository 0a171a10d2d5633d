import { clock, count, logger, Metric, tableFromEnvironment } from '@orderly/kit/aws';
import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { Problem, toKeyedRequest, toTrace } from '@orderly/kit/http';
import { createOnce, parseIdempotencyKey } from '@orderly/kit/idempotent-receiver';
import { type PersonalKeys, personalKeysFromEnvironment } from '@orderly/kit/personal-data';
import { createWebhookSecret } from '@orderly/kit/webhooks';
import { endpoint } from '../endpoint.js';
import { AppProblem } from '../problems.js';
import { webhooks } from './aggregates.js';
import { MAX_WEBHOOKS, type Receiver } from './contract.js';
import { toStored } from './domain/webhook.js';
import { registerWebhook } from './routes.js';
import { notForgottenCheck, readSubscribers, subscriberWrite } from './subscribers.js';
import { refuseForgotten, scopeOf, showSecret } from './webhook-store.js';

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
  const { inOrder = false, events, ...receiver } = body;
  const [known, sealed] = await Promise.all([
    readSubscribers(table, scope),
    sealAll(keys, webhookId, { sealedReceiver: receiver, sealedSecret: createWebhookSecret() }),
  ]);
  const { loaded, replayed } = await createOnce({
    store: webhookStore,
    key,
    trace: toTrace(request),
    refuseNew: known.length < MAX_WEBHOOKS && sealed ? undefined : refuseOneMore,
    command: () => ({
      type: 'Register',
      webhookId,
      inOrder,
      events,
      ...scope,
      // Without a key, the webhook of this key was deleted, and a repeat finds it.
      ...(sealed ?? refuseOneMore()),
    }),
    alongside: (commit) => {
      const { state, version } = webhookStore.applyCommit(webhookStore.assumeNew(webhookId), commit);
      const stored = toStored(state, version);
      const { customerId } = scope;
      return {
        writes: [
          ...(stored ? [subscriberWrite(table, stored)] : []),
          ...(customerId === undefined ? [] : [notForgottenCheck(table, customerId)]),
        ],
        refuse: refuseForgotten,
      };
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

/** Prepares the sealed fields one after the other, so that the first one creates their key. @returns nothing if the key was deleted */
async function sealAll(
  keys: PersonalKeys,
  webhookId: string,
  { sealedReceiver, sealedSecret }: { readonly sealedReceiver: Receiver; readonly sealedSecret: string },
) {
  const receiver = await keys.createUnsealed(webhookId, sealedReceiver);
  const secret = await keys.createUnsealed(webhookId, sealedSecret);
  return receiver && secret && { sealedReceiver: receiver, sealedSecret: secret };
}

/** @throws {Problem} 429, always */
function refuseOneMore(): never {
  throw new Problem(AppProblem['limit-reached'], `there are ${MAX_WEBHOOKS} webhooks: delete one of them first`, {
    limit: 'WEBHOOKS',
  });
}
