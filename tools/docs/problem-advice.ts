/** Explanation of a code: what has happened, and what its receiver does. */
export interface ProblemAdvice {
  readonly means: string;
  readonly remedy: string;
}

const AGAIN = 'Send the same request again, with the same key, after the seconds of `Retry-After`.';
const READ_AGAIN = 'Read the order again. Its status is in `detail`, and a later one may allow what you asked.';

/** Explanations by code. The page of problems is made of them: `npm run docs` fails for a code without one, and for one without a code. */
export const PROBLEM_ADVICE: Readonly<Record<string, ProblemAdvice>> = {
  'invalid-request': {
    means:
      'The body, the query, the path or a header has a fault. `errors` names the place of each and what is expected there.',
    remedy:
      'Correct the request. The same one is refused again. A corrected one may have the same `Idempotency-Key`, since nothing was recorded.',
  },
  'key-missing': {
    means:
      'The route creates or changes something that a repeat must not do twice, and the request has no `Idempotency-Key` and no number of a session.',
    remedy: 'Choose a key for what you want to happen once, store it, and send it with each repeat.',
  },
  unauthenticated: {
    means:
      'There is no token, or it does not prove who calls. `detail` says which: it is missing, malformed, expired (since when, and by whose clock), not valid yet, from another issuer, for another audience, or its signature is wrong. The clock is that of the API; a clock may be ahead by up to 60 seconds.',
    remedy:
      'Get a new token and send the same request again. After `local forward`, the clock of a local cloud is ahead, and each earlier token has expired: `npm run token` makes one.',
  },
  forbidden: {
    means: 'The token is valid, and its role may not call this route, or not for this person.',
    remedy: 'Use a token with one of the roles that `detail` names.',
  },
  blocked: {
    means: 'The firewall takes the request, or its address, for an attack. No function saw it.',
    remedy: 'Slow down, or send the request in another form. The token is not the reason.',
  },
  'not-found': {
    means: 'Nothing with this id exists, or it is not yours: the answer is the same. Or no route has this path.',
    remedy: 'Check the path and the id. What was accepted with 202 exists about a second later.',
  },
  'method-not-allowed': {
    means: 'The path exists, and has no such method.',
    remedy: 'Use a method that the header `Allow` lists.',
  },
  'not-acceptable': {
    means: 'The route can answer with none of the media types of `Accept`.',
    remedy: 'Ask for a media type that `detail` names.',
  },
  conflict: {
    means:
      'What you change is not what you have read: its version is `foundVersion`, and you decided on `expectedVersion`. With `If-Match` that is certain; without, another write came first more often than the API tries. It is 409 for both, and not 412 ([why](decisions/0306-a-stale-if-match-is-a-409.md)).',
    remedy:
      'With `Retry-After`, send the same request again. Without, read the resource, decide again, and send the new version.',
  },
  'in-progress': {
    means: 'The same request, by its key or number, is being carried out at this moment.',
    remedy: `${AGAIN} You get its answer.`,
  },
  'person-forgotten': {
    means: 'The person was forgotten: the data can not be read or written any more.',
    remedy: 'Nothing brings the person back. A new account has a new id.',
  },
  'session-not-open': {
    means: 'The session of the request number was not opened, or it has ended.',
    remedy: 'Open a session, and number your requests in it from 1.',
  },
  'number-out-of-range': {
    means:
      'The number of the request is outside of the window of its session: it is too old to be recognised, or too far ahead.',
    remedy: 'Wait for the answers of earlier numbers. For an old number, read what became of it.',
  },
  'too-large': {
    means: 'The body has more than 64 KB.',
    remedy: 'Send less: the limits of each list are in the schemas.',
  },
  'unsupported-media-type': {
    means: 'The body is of a media type that the route does not read.',
    remedy: 'Send it as the `Content-Type` that `detail` names.',
  },
  'key-reused': {
    means: 'The key belongs to another request: another body, route or version of one.',
    remedy: 'Take a new key for a new request. If you meant a repeat, send the first body unchanged.',
  },
  'key-expired': {
    means: 'The key is too old: whether the request had its effect can not be told any more.',
    remedy: 'Read whether it had. If not, send it with a new key.',
  },
  throttled: {
    means: 'More requests came than the route, the client or the account may send.',
    remedy: AGAIN,
  },
  internal: {
    means: 'The server has a fault. The request may have had its effect.',
    remedy: 'Repeat it with the same key: it has one effect. If the fault stays, quote the `X-Correlation-Id`.',
  },
  'limit-reached': {
    means: 'One customer may do or have only so much at a time. `limit` names the limit.',
    remedy: 'With `Retry-After`, wait. Otherwise end something first, as `detail` says.',
  },
  'account-closed': {
    means: 'The account is closed: it takes no order, limit, bonus or payment.',
    remedy: 'An operator opens it again.',
  },
  'unknown-product': {
    means: 'No product has this SKU.',
    remedy: 'Choose one of `GET /products`.',
  },
  'product-discontinued': {
    means: 'The product is not sold any more.',
    remedy: 'Remove the line, or choose another product.',
  },
  'basket-full': {
    means: 'The basket has as many lines as it may have.',
    remedy: 'Check out, or remove a line.',
  },
  'basket-empty': {
    means: 'There is nothing to check out.',
    remedy: 'Put a line into the basket.',
  },
  'not-orderable': {
    means: 'An order with these lines would be refused. `reason` is the reason that the order would have.',
    remedy: 'Change the lines that `detail` names.',
  },
  'stock-reserved': {
    means: 'Orders have reserved more pieces than the new count has.',
    remedy: 'Count again when these orders have ended, or cancel some.',
  },
  'too-late': {
    means: 'The order has a status in which it can not be cancelled any more. `detail` names it.',
    remedy: 'For goods that are on their way, ask for a refund.',
  },
  'not-approved': {
    means: 'Only an approved order can be dispatched or delivered. `detail` names the present status.',
    remedy: READ_AGAIN,
  },
  'not-under-review': {
    means: 'The order is not under review: it was decided, or never had to be.',
    remedy: READ_AGAIN,
  },
  'user-blocked': {
    means: 'An operator has blocked the user: no new order is taken.',
    remedy: 'An operator makes the user active again.',
  },
  'not-refundable': {
    means: 'The refund is more than what is left of the payment.',
    remedy: 'Ask for at most the amount that `detail` names.',
  },
  'not-closed-yet': {
    means: 'The report of this day does not exist yet. `closesAt` says from when on it does.',
    remedy: 'Ask again after `closesAt`.',
  },
  'webhook-disabled': {
    means: 'The webhook is disabled: its owner has disabled it, or its server failed for three days.',
    remedy: 'Enable the webhook first, and then send the delivery again.',
  },
  'delivery-pending': {
    means: 'The delivery is on its way, or waits for its next attempt.',
    remedy: 'Wait until it has ended: `GET /webhooks/{webhookId}/deliveries` says so.',
  },
};
