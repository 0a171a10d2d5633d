import type { Loaded } from '@orderly/kit/event-store';
import { type Caller, Problem } from '@orderly/kit/http';
import { aggregateKey } from '@orderly/kit/messages';
import type { PersonalKeys } from '@orderly/kit/personal-data';
import type { Role } from '../app.js';
import type { WebhookView, WebhookWithSecret } from './contract.js';
import { findLive, type LiveWebhook, selectSecrets, toView, type Webhook } from './domain/webhook.js';
import { WEBHOOK, WEBHOOK_ID } from './keys.js';
import type { Scope } from './subscribers.js';

const refuseUnknown = (): never => {
  throw new Problem('not-found', 'no webhook has this id');
};

/** Checks that an id has the form of this service's ids; any other text isn't looked up. @throws {Problem} 404 */
export const parseWebhookId = (parameter: string): string => (WEBHOOK_ID.test(parameter) ? parameter : refuseUnknown());

/** Returns whose orders a caller's webhooks hear of: an operator's of all orders, a shop's of its own. */
export const scopeOf = ({ role, id }: Caller<Role>): Scope => (role === 'operator' ? {} : { customerId: id });

/**
 * Returns the webhook as its owner or an operator may see it.
 * @throws {Problem} 404 if it doesn't exist or belongs to someone else; both answers look the same
 */
export function requireVisible({ id, role }: Caller<Role>, { state, version }: Loaded<Webhook>): WebhookView {
  const view = toView(state, version);
  return view && (role === 'operator' || view.customerId === id) ? view : refuseUnknown();
}

/**
 * Opens the secrets that sign at a time, the newest one first.
 * @returns nothing if the webhook was deleted, and its key with it
 */
export async function openSecrets(
  keys: Pick<PersonalKeys, 'openAll'>,
  webhook: LiveWebhook,
  now: string,
): Promise<readonly string[]> {
  const place = { aggregate: aggregateKey(WEBHOOK, webhook.webhookId), field: 'sealedSecret' };
  const sealed = selectSecrets(webhook, now).map((secret) => ({ sealed: secret, place }));
  const opened = await keys.openAll(webhook.webhookId, sealed);
  return opened.filter((secret) => typeof secret === 'string');
}

/** Returns a webhook with the newest secret, for the answer to the request that made it. */
export async function showSecret(
  keys: Pick<PersonalKeys, 'openAll'>,
  { state, version }: Loaded<Webhook>,
  now: string,
): Promise<WebhookWithSecret> {
  const [live, view] = [findLive(state), toView(state, version)];
  if (!live || !view) return refuseUnknown();
  const [secret] = await openSecrets(keys, live, now);
  return { ...view, ...(secret !== undefined && { secret }) };
}
