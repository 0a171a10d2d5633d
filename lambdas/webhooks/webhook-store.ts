import type { Loaded } from '@orderly/kit/event-store';
import { type Caller, Problem } from '@orderly/kit/http';
import { aggregateKey } from '@orderly/kit/messages';
import type { PersonalKeys } from '@orderly/kit/personal-data';
import type { Role } from '../app.js';
import type { Receiver, WebhookView, WebhookWithSecret } from './contract.js';
import {
  findLive,
  type LiveWebhook,
  type StoredWebhook,
  selectSecrets,
  toStored,
  type Webhook,
} from './domain/webhook.js';
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
export function requireVisible({ id, role }: Caller<Role>, { state, version }: Loaded<Webhook>): StoredWebhook {
  const stored = toStored(state, version);
  return stored && (role === 'operator' || stored.customerId === id) ? stored : refuseUnknown();
}

/** Keys that open what a webhook has sealed. */
type Keys = Pick<PersonalKeys, 'openAll'>;

const placeOf = (webhookId: string, field: 'sealedReceiver' | 'sealedSecret') => ({
  aggregate: aggregateKey(WEBHOOK, webhookId),
  field,
});

/** Returns the receiver of a webhook; nothing if its customer was forgotten. */
const toReceiver = (opened: unknown): Receiver | undefined =>
  typeof opened === 'object' && opened !== null && 'url' in opened ? (opened as Receiver) : undefined;

/**
 * Opens the address of a webhook and the secrets that sign at a time, the newest one first.
 * @returns nothing if their key was deleted: the customer was forgotten, or the webhook deleted
 */
export async function openWebhook(
  keys: Keys,
  webhook: LiveWebhook,
  now: string,
): Promise<{ readonly url: string; readonly secrets: readonly string[] } | undefined> {
  const { webhookId, sealedReceiver } = webhook;
  const sealedSecrets = selectSecrets(webhook, now);
  const [receiver, ...secrets] = await keys.openAll(webhookId, [
    { sealed: sealedReceiver, place: placeOf(webhookId, 'sealedReceiver') },
    ...sealedSecrets.map((sealed) => ({ sealed, place: placeOf(webhookId, 'sealedSecret') })),
  ]);
  const url = toReceiver(receiver)?.url;
  return url === undefined ? undefined : { url, secrets: secrets.map(String) };
}

/** Returns a webhook as answers show it. One whose customer was forgotten is DISABLED, whatever its events say, and has no address. */
export async function showWebhook(keys: Keys, stored: StoredWebhook): Promise<WebhookView> {
  const { sealedReceiver: sealed, ...shown } = stored;
  const { webhookId } = shown;
  const [opened] = await keys.openAll(webhookId, [{ sealed, place: placeOf(webhookId, 'sealedReceiver') }]);
  const receiver = toReceiver(opened);
  return receiver ? { ...shown, ...receiver } : { ...shown, status: 'DISABLED', disabledReason: 'FORGOTTEN' };
}

/** Returns a webhook with the newest secret, for the answer to the request that made it. */
export async function showSecret(
  keys: Keys,
  { state, version }: Loaded<Webhook>,
  now: string,
): Promise<WebhookWithSecret> {
  const [live, stored] = [findLive(state), toStored(state, version)];
  if (!live || !stored) return refuseUnknown();
  const { secrets: [secret] = [] } = (await openWebhook(keys, live, now)) ?? {};
  return { ...(await showWebhook(keys, stored)), ...(secret !== undefined && { secret }) };
}

/** @throws {Problem} 409, always: the webhook's customer was forgotten, and its address and secrets with them */
export function refuseForgotten(): never {
  throw new Problem(
    'person-forgotten',
    'the customer of this webhook was forgotten, so nothing is sent to it any more',
  );
}
