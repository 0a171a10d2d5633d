import type { Decider, Now } from '@orderly/kit/decider';
import type { Sealed } from '@orderly/kit/messages';
import type { DisabledReason, WebhookEvent, WebhookView } from '../contract.js';

/** Hours for which requests are signed by the former secret as well, after a rotation. */
export const ROTATION_HOURS = 24;

type RegisteredData = Extract<WebhookEvent, { type: 'WebhookRegistered' }>['data'];
type Registered = Readonly<Omit<RegisteredData, 'events'>> & {
  readonly events: readonly RegisteredData['events'][number][];
};

/** A webhook, folded from its events. */
export type Webhook =
  | { readonly status: 'NONE' | 'DELETED' }
  | ({
      readonly status: 'ACTIVE' | 'DISABLED';
      readonly disabledReason?: DisabledReason;
      /** Secret before the newest one, and the time until which it signs. */
      readonly former?: { readonly sealedSecret: Sealed; readonly until: string };
    } & Registered);

/** A webhook that exists. */
export type LiveWebhook = Exclude<Webhook, { readonly status: 'NONE' | 'DELETED' }>;

export type WebhookCommand =
  | ({ readonly type: 'Register' } & Registered)
  | { readonly type: 'RotateSecret'; readonly sealedSecret: Sealed }
  | { readonly type: 'Disable'; readonly reason: DisabledReason }
  | { readonly type: 'Enable' }
  | { readonly type: 'Delete' };

/** Returns the webhook, if it exists. */
export const findLive = (webhook: Webhook): LiveWebhook | undefined =>
  webhook.status === 'ACTIVE' || webhook.status === 'DISABLED' ? webhook : undefined;

/** A webhook without its secrets, as the list of subscribers keeps it: its receiver is sealed. */
export type StoredWebhook = Omit<WebhookView, 'url' | 'description'> & Pick<Registered, 'sealedReceiver'>;

/** Returns the events that follow from a command. A webhook that does not exist changes no more. */
function decide(webhook: Webhook, command: WebhookCommand, { now }: Now): readonly WebhookEvent[] {
  if (command.type === 'Register') {
    const { type: _, ...data } = command;
    return [{ type: 'WebhookRegistered', data: { ...data, events: [...data.events] } }];
  }
  const live = findLive(webhook);
  if (!live) return [];
  const { webhookId } = live;
  switch (command.type) {
    case 'RotateSecret': {
      const formerUntil = new Date(Date.parse(now) + ROTATION_HOURS * 3_600_000).toISOString();
      return [{ type: 'WebhookSecretRotated', data: { webhookId, sealedSecret: command.sealedSecret, formerUntil } }];
    }
    case 'Disable':
      if (isForgotten(live) || (live.status === 'DISABLED' && command.reason !== 'FORGOTTEN')) return [];
      return [{ type: 'WebhookDisabled', data: { webhookId, reason: command.reason } }];
    case 'Enable':
      return live.status === 'ACTIVE' || isForgotten(live) ? [] : [{ type: 'WebhookEnabled', data: { webhookId } }];
    case 'Delete':
      return [{ type: 'WebhookDeleted', data: { webhookId } }];
  }
}

/** A webhook whose customer was forgotten never becomes active again. */
const isForgotten = ({ disabledReason }: LiveWebhook): boolean => disabledReason === 'FORGOTTEN';

/** Folds an event into a state. It is total: it accepts any event in any state. */
function evolve(webhook: Webhook, event: WebhookEvent): Webhook {
  if (event.type === 'WebhookRegistered') return { status: 'ACTIVE', ...event.data };
  if (event.type === 'WebhookDeleted') return { status: 'DELETED' };
  const live = findLive(webhook);
  if (!live) return webhook;
  switch (event.type) {
    case 'WebhookSecretRotated': {
      const { sealedSecret, formerUntil: until } = event.data;
      return { ...live, sealedSecret, former: { sealedSecret: live.sealedSecret, until } };
    }
    case 'WebhookDisabled':
      return { ...live, status: 'DISABLED', disabledReason: event.data.reason };
    case 'WebhookEnabled': {
      const { disabledReason: _, ...enabled } = live;
      return { ...enabled, status: 'ACTIVE' };
    }
  }
}

/** Rules of a webhook. */
export const webhookDecider: Decider<Webhook, WebhookCommand, WebhookEvent> = {
  initialState: { status: 'NONE' },
  evolve,
  decide,
  stateSchema: 1,
};

/** Returns the sealed secrets that sign at a time, the newest one first. */
export const selectSecrets = ({ sealedSecret, former }: LiveWebhook, now: string): readonly Sealed[] =>
  former !== undefined && now < former.until ? [sealedSecret, former.sealedSecret] : [sealedSecret];

/** Returns a webhook as the list of subscribers keeps it; nothing if it does not exist. */
export function toStored(webhook: Webhook, version: number): StoredWebhook | undefined {
  const live = findLive(webhook);
  if (!live) return undefined;
  const { sealedSecret: _, former, ...stored } = live;
  return { ...stored, ...(former && { formerSecretUntil: former.until }), version };
}
