import { Paging, pageSchema, withDescription } from '@orderly/kit/routes';
import * as z from 'zod/mini';
import type { Route } from '../route.js';
import { ChangeWebhook, DeliveryView, RegisterWebhook, WebhookView, WebhookWithSecret } from './contract.js';
import type { WebhooksProblem } from './problems.js';

type WebhooksRoute = Route<typeof WebhooksProblem>;

const WHO = "An operator's webhook receives events of all orders, a shop's of those whose customer it is.";

export const registerWebhook = {
  method: 'POST',
  path: '/webhooks',
  id: 'registerWebhook',
  summary: 'Register a webhook',
  description: `${WHO} The answer shows the secret by which each request is verified (Standard Webhooks), and no later one does. At most 10 for a shop, and 10 of all orders.`,
  roles: ['operator', 'shop'],
  body: RegisterWebhook,
  repeat: 'key',
  answers: {
    201: {
      description: 'The webhook, with its secret',
      body: WebhookWithSecret,
      headers: { Location: '`webhooks/<webhookId>`, relative to the stage.' },
    },
  },
  problems: ['limit-reached', 'not-found', 'person-forgotten'],
} as const satisfies WebhooksRoute;

export const listWebhooks = {
  method: 'GET',
  path: '/webhooks',
  id: 'listWebhooks',
  summary: 'List webhooks',
  description: `Strongly consistent, on one page. ${WHO} With \`customerId\`, operators read those of a shop.`,
  roles: ['operator', 'shop'],
  query: z.strictObject({
    customerId: z.exactOptional(
      withDescription(
        'Shop whose webhooks to list; for operators.',
        z.string().check(z.minLength(1), z.maxLength(128)),
      ),
    ),
  }),
  answers: { 200: { description: 'The webhooks', body: z.object({ items: z.array(WebhookView) }) } },
} as const satisfies WebhooksRoute;

export const getWebhook = {
  method: 'GET',
  path: '/webhooks/{webhookId}',
  id: 'getWebhook',
  summary: 'Read a webhook',
  description: 'Strongly consistent.',
  roles: ['operator', 'shop'],
  answers: { 200: { description: 'The webhook', body: WebhookView } },
  problems: ['not-found'],
} as const satisfies WebhooksRoute;

export const deleteWebhook = {
  method: 'DELETE',
  path: '/webhooks/{webhookId}',
  id: 'deleteWebhook',
  summary: 'Delete a webhook',
  description: 'Its secret is deleted for ever. What was not sent yet is not sent any more.',
  roles: ['operator', 'shop'],
  repeat: 'key',
  answers: { 204: { description: 'The webhook is deleted' } },
  problems: ['not-found'],
} as const satisfies WebhooksRoute;

export const rotateWebhookSecret = {
  method: 'POST',
  path: '/webhooks/{webhookId}/secret-rotation',
  id: 'rotateWebhookSecret',
  summary: "Give a webhook's requests a new secret",
  description:
    'For 24 hours each request has two signatures, by the new secret and by the former one, so a receiver changes its secret without a gap.',
  roles: ['operator', 'shop'],
  body: ChangeWebhook,
  repeat: 'key',
  answers: { 200: { description: 'The webhook, with its new secret', body: WebhookWithSecret } },
  problems: ['not-found', 'person-forgotten'],
} as const satisfies WebhooksRoute;

export const enableWebhook = {
  method: 'POST',
  path: '/webhooks/{webhookId}/activation',
  id: 'enableWebhook',
  summary: 'Enable a disabled webhook',
  description: 'New events are sent again. What was skipped meanwhile is sent by its redelivery.',
  roles: ['operator', 'shop'],
  body: ChangeWebhook,
  repeat: 'key',
  answers: { 200: { description: 'The webhook', body: WebhookView } },
  problems: ['not-found', 'person-forgotten'],
} as const satisfies WebhooksRoute;

export const listDeliveries = {
  method: 'GET',
  path: '/webhooks/{webhookId}/deliveries',
  id: 'listWebhookDeliveries',
  summary: "List a webhook's deliveries",
  description: 'With each attempt; the newest delivery first. Strongly consistent. A delivery is shown for 35 days.',
  roles: ['operator', 'shop'],
  query: z.strictObject(Paging),
  answers: { 200: { description: 'The deliveries', body: pageSchema(DeliveryView) } },
  problems: ['not-found'],
} as const satisfies WebhooksRoute;

export const redeliver = {
  method: 'POST',
  path: '/webhooks/{webhookId}/deliveries/{deliveryId}/redelivery',
  id: 'redeliverWebhook',
  summary: 'Send a delivery again',
  description:
    'With the same `webhook-id`, so a receiver recognises what it has. It is sent alone, also to a webhook that asked for the order of events.',
  roles: ['operator', 'shop'],
  body: ChangeWebhook,
  repeat: 'key',
  answers: { 202: { description: 'The delivery, PENDING', body: DeliveryView } },
  problems: ['not-found', 'webhook-disabled', 'delivery-pending'],
} as const satisfies WebhooksRoute;
