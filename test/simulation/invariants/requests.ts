import type { Answered, Call } from '../../support/simulation/orderly.js';
import { type Check, violation } from './violation.js';

/** Answers to clients: G1, G2, and no client sees another's data. */
export const requests: Check = (facts) => [
  ...acknowledgedIsCommitted(facts),
  ...oneAnswer(facts),
  ...oneRequestOfAKey(facts),
  ...successIsNeverRefused(facts),
  ...oneOrder(facts),
  ...reusedByAnother(facts),
  ...ownThingsOnly(facts),
  ...nothingOfReviews(facts),
  ...facts.orderly.unanswered.map(({ method, path }) =>
    violation('every request is answered eventually', `${method} ${path}`),
  ),
];

/** G1: an acknowledged request is committed. */
const acknowledgedIsCommitted: Check = (facts) =>
  facts.orderly.answered.flatMap(({ method, path, body, reply, key }) => {
    const { orderId = '' } = reply.body as { orderId?: string };
    if (method === 'POST' && path === '/orders' && reply.status === 201) {
      const events = facts.orders.get(orderId)?.flatMap(({ events }) => events) ?? [];
      const placed = events.filter(({ type }) => type === 'OrderPlaced').length;
      if (placed !== 1) return [violation('an acknowledged order is one commit', `${placed} of ${key}`, orderId)];
    }
    if (path.endsWith('/cancellation') && reply.status === 200 && facts.order(orderId)?.status !== 'CANCELLED') {
      const { status } = facts.order(orderId) ?? {};
      return [violation('an acknowledged cancellation is committed', `status ${status}`, orderId)];
    }
    if (path.endsWith('/dispatch') && reply.status === 200 && facts.order(orderId)?.status !== 'DISPATCHED') {
      const { status } = facts.order(orderId) ?? {};
      return [violation('an acknowledged dispatch is committed, and final', `status ${status}`, orderId)];
    }
    if (method === 'PUT' && path.startsWith('/stock/') && reply.status === 200) {
      const { onHand } = body as { onHand: number };
      const pk = `StockItem#${path.slice('/stock/'.length)}`;
      const wasSet = facts.writes.some(({ changes }) =>
        changes.some(({ after }) => after?.pk === pk && after.sk === 'STATE' && after.onHand === onHand),
      );
      if (!wasSet) return [violation('acknowledged stock is committed', `${path} ${onHand}`, pk)];
    }
    return [];
  });

/**
 * Returns the request that a key or a number identifies: `auto` is the body's hash, and a key with another body is
 * refused.
 */
const scopeOf = ({ as, method, path, key, numbered, body }: Call): string =>
  `${as} ${method} ${path} ${key ?? `${numbered?.session} ${numbered?.number}`} ${JSON.stringify(body)}`;

/** G2: the same request has one answer, and at most one of its answers is the first. */
const oneAnswer: Check = ({ orderly }) => {
  const first = new Map<string, string>();
  const firsts = new Set<string>();
  return orderly.answered.flatMap((call) => {
    const { key, numbered, reply } = call;
    if ((key === undefined && !numbered) || isForgotten(call)) return [];
    const scope = scopeOf(call);
    const about = String(reply.body.orderId);
    // Each refusal is a separate occurrence (RFC 9457, instance). Answers contain personal data until the person is
    // forgotten: invariants/people.ts.
    const { instance: _, ...body } = orderly.forgotten.includes(call.as) ? impersonal(reply.body) : reply.body;
    const answer = `${reply.status} ${JSON.stringify(body)}`;
    const earlier = first.get(scope) ?? answer;
    first.set(scope, earlier);
    // A refusal is not stored, so the session's end may be another one.
    if (earlier.startsWith('4') && String(body.type).endsWith(':session-not-open')) return [];
    if (earlier !== answer)
      return [violation('an idempotency key has one answer', `${scope}: ${earlier} and ${answer}`, about)];
    if (!isSuccess(call) || headerOf(call, 'idempotency-replayed') === 'true') return [];
    if (firsts.has(scope)) return [violation('a replayed answer is marked as replayed', scope, about)];
    firsts.add(scope);
    return [];
  });
};

function impersonal({ deliverTo: _, clientReference: __, reason: ___, ...body }: Answered['reply']['body']) {
  return body;
}

/** G2: the key or the number of a request that succeeded does not stand for another request as well. */
const oneRequestOfAKey: Check = ({ orderly }) => {
  const contents = new Map<string, string>();
  return orderly.answered.flatMap((call) => {
    if (!isSuccess(call) || (call.key === undefined && !call.numbered) || call.key === 'auto') return [];
    const content = contentOf(call);
    const earlier = contents.get(placeOf(call)) ?? content;
    contents.set(placeOf(call), earlier);
    if (earlier === content) return [];
    return [violation('a key stands for one request', `${placeOf(call)}: ${earlier} and ${content}`)];
  });
};

/** G2: a request that succeeded is not refused when it comes again, although the version that it names is an old one by then. */
const successIsNeverRefused: Check = ({ orderly }) => {
  const scopes = (calls: readonly Answered[]): ReadonlySet<string> =>
    new Set(calls.map((call) => `${scopeOf(call)} at ${call.ifMatch}`));
  const keyed = orderly.answered.filter(({ key, numbered }) => key !== undefined || numbered);
  const refused = scopes(keyed.filter(({ reply }) => String(reply.body.type).endsWith(':conflict')));
  return [...scopes(keyed.filter(isSuccess))].flatMap((scope) =>
    refused.has(scope) ? [violation('a request that succeeded is not refused when it comes again', scope)] : [],
  );
};

/** G2: no key has two orders, and every order has a request. */
const oneOrder: Check = ({ orderly, orders }) => {
  const sent = [...orderly.answered, ...orderly.unanswered].filter(
    (call) => call.method === 'POST' && /^\/(orders|basket\/checkout)$/.test(call.path) && !isRefusal(call),
  );
  const keys = new Set(sent.map(scopeOf));
  return orders.size > keys.size
    ? [violation('an idempotency key creates one order', `${orders.size} orders of ${keys.size} keys`)]
    : [];
};

/** A request is refused for a reused key or number only if another request really came with it. */
const reusedByAnother: Check = ({ orderly }) =>
  orderly.answered
    .filter(({ reply }) => String(reply.body.type).endsWith(':key-reused'))
    .flatMap((call) => {
      const others = [...orderly.answered, ...orderly.unanswered].filter((other) => placeOf(other) === placeOf(call));
      if (others.some((other) => contentOf(other) !== contentOf(call))) return [];
      return [violation('a key counts as reused only after another request', `${placeOf(call)} ${contentOf(call)}`)];
    });

/** Returns what a key or a number is for: a key belongs to a client and a route, a number to a client's session. */
const placeOf = ({ as, method, path, key, numbered }: Call): string =>
  numbered ? `${as} ${numbered.session} ${numbered.number}` : `${as} ${method} ${path} ${key}`;
const contentOf = ({ method, path, body }: Call): string => `${method} ${path} ${JSON.stringify(body)}`;

/** No client reads another's order, in any answer. */
const ownThingsOnly: Check = ({ orderly }) =>
  orderly.answered.flatMap(({ as, method, path, reply }) => {
    if (as === 'operator') return [];
    const shown = [reply.body, ...((reply.body.items ?? []) as readonly Record<string, unknown>[])];
    return shown
      .filter(({ customerId = as }) => customerId !== as)
      .map(({ customerId, orderId }) =>
        violation(
          "no customer reads another customer's order",
          `${as} saw ${customerId}'s by ${method} ${path}`,
          String(orderId),
        ),
      );
  });

/** No customer reads why an order is reviewed, nor what an operator noted about it. */
const nothingOfReviews: Check = ({ orderly }) =>
  orderly.answered.flatMap(({ as, method, path, reply }) => {
    if (as === 'operator') return [];
    const items = (reply.body.items ?? []) as readonly { readonly data?: object }[];
    const shown = [reply.body, ...items, ...items.map(({ data = {} }) => data)];
    const told = shown.some((one) => ['reviewReasons', 'reasons', 'note', 'sealedNote'].some((field) => field in one));
    return told ? [violation('no customer reads the reasons of a review', `${as} by ${method} ${path}`)] : [];
  });

const isSuccess = ({ reply }: Answered): boolean => reply.status < 300;
const isRefusal = (call: Call | Answered): boolean => 'reply' in call && call.reply.status >= 400 && !isForgotten(call);

/**
 * An answer that isn't stored: a conflict names the version that was found; a function that still has the key in memory
 * may accept what another one has just refused; the answers of numbers are deleted after their client has them; a stored
 * user can't be read any more; a blocked user may be active again; a basket may be filled after it was refused; an order may
 * be approved after its dispatch was refused; and dispatched after an operator's refund was.
 */
const isForgotten = ({ as, reply }: Answered): boolean =>
  reply.body.forgotten === true ||
  /:(person-forgotten|number-out-of-range|conflict|user-blocked|basket-empty|not-approved)$/.test(
    String(reply.body.type),
  ) ||
  (as === 'operator' && String(reply.body.type).endsWith(':not-refundable'));

function headerOf({ reply }: Answered, name: string): string | undefined {
  const [, value] = Object.entries(reply.headers).find(([header]) => header.toLowerCase() === name) ?? [];
  return value === undefined ? undefined : String(value);
}
