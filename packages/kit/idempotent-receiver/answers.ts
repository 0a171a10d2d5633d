import * as z from 'zod/mini';
import { withDescription } from '../http/with-description.js';

const opened = {
  sessionId: withDescription('Id of the session, for the header `Session-Id`.', z.string()),
  expiresAt: withDescription(
    'Time at which the session ends unless a request is accepted or repeated before, ISO 8601, UTC.',
    z.iso.datetime(),
  ),
};

/** Answer of the route that opens sessions. */
export const OpenedSession = z.object(opened);

/** Answer of the route that shows a session to its client. */
export const SessionView = z.object({
  ...opened,
  lastAccessAt: withDescription(
    'Time of the last access: when the session was opened, or when a request was last accepted or repeated. ISO 8601, UTC.',
    z.iso.datetime(),
  ),
});

/** Answer of a route that issues idempotency keys. */
export const IssuedKey = z.object({
  idempotencyKey: withDescription('Key for one request, for the header `Idempotency-Key`.', z.string()),
  expiresAt: withDescription(
    'Time until which the key must be used for the first time, ISO 8601, UTC.',
    z.iso.datetime(),
  ),
});
