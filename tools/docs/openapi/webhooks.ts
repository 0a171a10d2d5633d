import { PAYLOADS } from '../../../lambdas/webhooks/payloads.js';
import type { Json, Schemas } from './schemas.js';

/** Schemas of the bodies of webhooks. */
export const WEBHOOK_SCHEMAS = Object.values(PAYLOADS);

const header = (name: string, description: string, pattern: string): Json => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', pattern },
});

/** Headers of each request: Standard Webhooks 1.0.0. */
const HEADERS = [
  header(
    'webhook-id',
    'Id of the message, the same in each attempt: a request with a known one is a repeat.',
    '^[0-9a-f-]{36}$',
  ),
  header(
    'webhook-timestamp',
    'Time of this attempt, in seconds since 1970. One of more than five minutes ago proves nothing.',
    '^\\d+$',
  ),
  header(
    'webhook-signature',
    'Signatures with a space between them: `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` by the secret, as base64. During a rotation there are two, and one has to fit.',
    '^v1,\\S+( v1,\\S+)?$',
  ),
];

/** Returns the name of a type as paths have it: `order-placed`. */
const toKebabCase = (type: string): string => type.replaceAll(/\B[A-Z]/g, '-$&').toLowerCase();

/** Generates the requests that receivers of webhooks get, by the types of their events (OpenAPI 3.1, `webhooks`). */
export const buildWebhooks = (schemas: Schemas): Json =>
  Object.fromEntries(
    Object.entries(PAYLOADS).map(([type, payload]) => [
      toKebabCase(type),
      {
        post: {
          operationId: `on${type}`,
          tags: ['webhooks'],
          summary: `${type}, as a webhook that asked for it gets it`,
          description:
            'At least once, tried for three days. Personal data is left out: read the order, if you need it. Members may be added: ignore what you do not know.',
          security: [],
          parameters: HEADERS,
          requestBody: { required: true, content: { 'application/json': { schema: schemas.of(payload) } } },
          responses: {
            '2XX': { description: 'The message was kept. Answer within 10 seconds, and work afterwards.' },
            410: { description: 'Nobody wants these messages any more: the webhook is disabled at once.' },
            default: {
              description:
                'It is tried again, after 5 seconds at first and 6 hours at last. `Retry-After` of 429 and 503 is kept.',
            },
          },
        },
      },
    ]),
  );
