import { clock, secondsBetween } from '../aws/clock.js';
import { SafeError, safeText } from '../aws/safe-error.js';
import { createOutboundSender, type OutboundOptions, type OutboundResult } from './outbound-request.js';
import { signWebhook } from './signature.js';

/** Seconds for which a delivery is tried: three days. */
export const GIVE_UP_AFTER_SECONDS = 3 * 86_400;

/** A message for one receiver. */
export interface WebhookMessage {
  /** Id of the message: the same in each attempt, and for each receiver. */
  readonly id: string;
  readonly url: string;
  /** JSON. */
  readonly body: string;
  /** Secrets of the receiver: the newest one first, and during a rotation the former one as well. */
  readonly secrets: readonly string[];
}

/**
 * Creates the sender of webhooks: it signs each attempt with the time of its own, and sends it as
 * {@link createOutboundSender} does.
 * @param userAgent name of the application, for the receiver's log
 */
export function createWebhookSender(
  userAgent: string,
  options: OutboundOptions = {},
): (message: WebhookMessage) => Promise<OutboundResult> {
  const send = createOutboundSender(options);
  return ({ id, url, body, secrets }) =>
    send({
      url,
      body,
      headers: {
        'content-type': 'application/json',
        'user-agent': userAgent,
        ...signWebhook({ id, timestamp: clock.epochSeconds(), body }, secrets),
      },
    });
}

/** Next step after an attempt. */
export type NextStep =
  | { readonly next: 'delivered' }
  | {
      readonly next: 'retry';
      /** No attempt is made before this time (ISO 8601), because the receiver asks for it. Absent: the usual pause. */
      readonly notBefore?: string;
    }
  | {
      readonly next: 'disable';
      /** `gone`: the receiver answered 410. `expired`: nothing came through for {@link GIVE_UP_AFTER_SECONDS}. */
      readonly reason: 'gone' | 'expired';
    };

/**
 * Decides what follows from an attempt. 2xx is a success. 410 says that nobody wants the messages any more. Everything else is tried
 * again, also a redirect and a refusal: most receivers that refuse are deployed wrongly, and are repaired.
 * @param since time from which on the delivery has been tried (ISO 8601)
 */
export function decideNext(result: OutboundResult, since: string): NextStep {
  const now = clock.now();
  if (result.kind === 'answered') {
    if (result.status >= 200 && result.status < 300) return { next: 'delivered' };
    if (result.status === 410) return { next: 'disable', reason: 'gone' };
  }
  if (secondsBetween(since, now) >= GIVE_UP_AFTER_SECONDS) return { next: 'disable', reason: 'expired' };
  const { retryAfterSeconds } = result.kind === 'answered' ? result : {};
  if (retryAfterSeconds === undefined) return { next: 'retry' };
  return { next: 'retry', notBefore: new Date(Date.parse(now) + retryAfterSeconds * 1000).toISOString() };
}

/** Error of an attempt that the receiver did not accept. Its inbox pauses, and tries again. */
export class NotDelivered extends SafeError {
  override readonly name = 'NotDelivered';

  constructor(result: OutboundResult) {
    super(
      result.kind === 'answered'
        ? safeText`the receiver answered ${result.status}`
        : safeText`the receiver was not reached: ${result.reason}`,
    );
  }
}

/** Error of an attempt that was not made, because the receiver has asked for a later one. */
export class NotYet extends SafeError {
  override readonly name = 'NotYet';

  constructor() {
    super(safeText`the receiver has asked for a later attempt`);
  }
}
