import { type EventOf, Sealed } from '@orderly/kit/messages';
import { type DeepReadonly, withDescription } from '@orderly/kit/routes';
import { findUrlFault, MAX_URL_LENGTH } from '@orderly/kit/webhooks';
import * as z from 'zod/mini';
import { Text } from '../orders/contract.js';
import { OFFERED_TYPES, OfferedType } from './payloads.js';

/** Webhooks that one customer may have, and webhooks of all orders. */
export const MAX_WEBHOOKS = 10;

const WebhookId = z.string().check(z.maxLength(64));

/** Why a webhook was disabled: its receiver answered 410, nothing came through for three days, or its customer was forgotten. */
export const DisabledReason = z.enum(['GONE', 'EXPIRED', 'FORGOTTEN']);
export type DisabledReason = z.infer<typeof DisabledReason>;

/** Events of webhooks. They stay inside of the service; `subject` is `Webhook/<webhookId>`. */
export const webhooksContract = {
  service: 'webhooks',
  events: {
    /** A webhook was registered. Its secret is sealed by a key of its own, which its deletion deletes. */
    WebhookRegistered: {
      version: 1,
      onBus: false,
      data: z.object({
        webhookId: WebhookId,
        /** {@link Receiver}. It may name a person, so it is sealed beside the secret. */
        sealedReceiver: Sealed,
        events: z.array(OfferedType),
        inOrder: z.boolean(),
        /** Customer whose orders it receives events of. Absent: all orders. */
        customerId: z.exactOptional(z.string().check(z.maxLength(128))),
        sealedSecret: Sealed,
      }),
      personal: { sealedReceiver: 'webhookId', sealedSecret: 'webhookId' },
      shownAs: { sealedReceiver: 'receiver', sealedSecret: 'secret' },
    },
    /** Requests are signed by a new secret, and for some time by the former one as well. */
    WebhookSecretRotated: {
      version: 1,
      onBus: false,
      data: z.object({
        webhookId: WebhookId,
        sealedSecret: Sealed,
        /** Time until which requests are signed by the former secret as well. */
        formerUntil: z.iso.datetime(),
      }),
      personal: { sealedSecret: 'webhookId' },
      shownAs: { sealedSecret: 'secret' },
    },
    /** Nothing is sent any more. FORGOTTEN is for ever: the key of the address and of the secrets is deleted. */
    WebhookDisabled: { version: 1, onBus: false, data: z.object({ webhookId: WebhookId, reason: DisabledReason }) },
    /** A disabled webhook gets new events again. */
    WebhookEnabled: { version: 1, onBus: false, data: z.object({ webhookId: WebhookId }) },
    /** The webhook is deleted, and the key of its secrets. */
    WebhookDeleted: { version: 1, onBus: false, data: z.object({ webhookId: WebhookId }) },
  },
} as const;
export type WebhookEvent = EventOf<typeof webhooksContract>;

const OneOfferedType = z.enum(OfferedType.options, {
  error: ({ input }) =>
    `${typeof input === 'string' ? input.slice(0, 64) : 'this'} is not offered: expected one of ${OFFERED_TYPES.join(', ')}`,
});

/** Body of `POST /webhooks`. */
export const RegisterWebhook = z.strictObject({
  url: withDescription(
    'Address that gets the requests: `https`, a host of the public internet, without a user name.',
    z.string().check(
      z.maxLength(MAX_URL_LENGTH),
      z.superRefine((url, context) => {
        const fault = findUrlFault(url);
        if (fault !== undefined) context.addIssue({ code: 'custom', message: fault, path: [] });
      }),
    ),
  ),
  events: withDescription(
    'Types of events that are sent, each once.',
    z.array(OneOfferedType).check(
      z.minLength(1),
      z.maxLength(OfferedType.options.length),
      z.refine((types) => new Set(types).size === types.length, 'expected each type once'),
    ),
  ),
  inOrder: z.exactOptional(
    withDescription(
      'Whether the events of each order are sent in their order. Each then waits until the one before it came through.',
      z.boolean(),
    ),
  ),
  description: z.exactOptional(Text.check(z.minLength(1), z.maxLength(200))),
});
export type RegisterWebhook = z.infer<typeof RegisterWebhook>;

/** Body of the routes that need none; an absent body is the same. */
export const ChangeWebhook = z.strictObject({});

/** Who gets a webhook's requests, as it is sealed. */
export type Receiver = Pick<RegisterWebhook, 'url' | 'description'>;

/** A webhook as every answer shows it. */
export const WebhookView = z.object({
  webhookId: z.string(),
  url: z.exactOptional(withDescription('Absent if its customer was forgotten.', z.string())),
  events: z.array(OfferedType),
  inOrder: z.boolean(),
  description: z.exactOptional(z.string()),
  customerId: z.exactOptional(
    withDescription(
      'Customer whose orders it receives events of. Absent: it receives events of all orders.',
      z.string(),
    ),
  ),
  status: withDescription(
    'DISABLED: nothing is sent. Its receiver answered 410, nothing came through for three days, or its customer was forgotten.',
    z.enum(['ACTIVE', 'DISABLED']),
  ),
  disabledReason: z.exactOptional(DisabledReason),
  formerSecretUntil: z.exactOptional(
    withDescription('Time until which requests are signed by the former secret as well.', z.iso.datetime()),
  ),
  version: withDescription('Number of its changes, from 1.', z.int()),
});
export type WebhookView = DeepReadonly<z.infer<typeof WebhookView>>;

/** A webhook with its secret, which no other answer shows. */
export const WebhookWithSecret = z.extend(WebhookView, {
  secret: z.exactOptional(
    withDescription(
      'Secret of Standard Webhooks, by which each request is verified. Keep it: it is not shown again. Absent if the webhook was deleted meanwhile.',
      z.string(),
    ),
  ),
});
export type WebhookWithSecret = DeepReadonly<z.infer<typeof WebhookWithSecret>>;

/** One attempt of a delivery. */
export const AttemptView = z.object({
  at: z.iso.datetime(),
  result: withDescription(
    '`answered`: see `status`. `timeout`: no answer within 10 s. `private`: the host has an address outside of the public internet. `unknown-host`: it has none. `connection`: refused, broken, or no valid certificate.',
    z.enum(['answered', 'timeout', 'private', 'unknown-host', 'connection', 'url']),
  ),
  status: z.exactOptional(withDescription('HTTP status of the answer.', z.int())),
  milliseconds: z.int(),
});
export type AttemptView = DeepReadonly<z.infer<typeof AttemptView>>;

export const DeliveryStatus = z.enum(['PENDING', 'DELIVERED', 'FAILED', 'SKIPPED']);
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;

/** One event for one webhook, as every answer shows it. */
export const DeliveryView = z.object({
  deliveryId: z.string(),
  messageId: withDescription('The same in each attempt: `webhook-id` of the requests.', z.string()),
  type: OfferedType,
  orderId: z.string(),
  occurredAt: z.iso.datetime(),
  status: withDescription(
    'PENDING: it is tried. DELIVERED: the receiver answered 2xx. FAILED: it was given up, and the webhook disabled. SKIPPED: the webhook was disabled or deleted before.',
    DeliveryStatus,
  ),
  attempts: z.array(AttemptView),
});
export type DeliveryView = DeepReadonly<z.infer<typeof DeliveryView>>;
