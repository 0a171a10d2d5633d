import type { Violation } from '../../simulator/search/scenario.js';
import { CONSUMERS, Facts } from './facts.js';
import type { Orderly } from './orderly.js';

type Check = (facts: Facts) => readonly Violation[];

/**
 * What must be true once every fault has healed and everything has come to rest (design, section 1; G7 and G8 aren't
 * built yet).
 * @param failuresAreMeant the scenario makes failures by itself, such as a poison message
 * @returns every broken promise
 */
export function brokenPromises(orderly: Orderly, failuresAreMeant = false): readonly Violation[] {
  const facts = new Facts(orderly);
  const broken = CHECKS.flatMap((check) => check(facts));
  return failuresAreMeant ? broken : [...broken, ...nothingFailsUnprovoked(orderly, facts)];
}

const violation = (invariant: string, detail: string, about?: string): Violation => ({
  invariant,
  detail,
  ...(about === undefined ? {} : { about }),
});

/** G1: an acknowledged request is one gapless commit. */
const acknowledgedIsCommitted: Check = (facts) =>
  facts.orderly.answered.flatMap(({ method, path, reply, key }) => {
    const { orderId = '' } = reply.body as { orderId?: string };
    if (method === 'POST' && path === '/orders' && reply.status === 201) {
      const events = facts.orders.get(orderId)?.flatMap(({ events }) => events) ?? [];
      const placed = events.filter(({ type }) => type === 'OrderPlaced').length;
      if (placed !== 1) return [violation('an acknowledged order is one commit', `${placed} of ${key}`, orderId)];
    }
    if (path.endsWith('/cancellation') && reply.status === 200 && facts.order(orderId)?.status !== 'CANCELLED') {
      return [
        violation('an acknowledged cancellation is committed', `status ${facts.order(orderId)?.status}`, orderId),
      ];
    }
    return [];
  });

const gapless: Check = ({ orders, reservations }) =>
  [...orders, ...reservations].flatMap(([id, commits]) => {
    let version = 0;
    for (const { sk, events, lastVersion } of commits) {
      const whole = Number(sk.slice('COMMIT#'.length)) === version + 1 && lastVersion === version + events.length;
      if (!whole) return [violation('commits are gapless', `${sk} after version ${version}`, id)];
      version = lastVersion;
    }
    return [];
  });

/** G2: the same key has one effect and one answer. */
const oneAnswer: Check = ({ orderly, orders }) => {
  const first = new Map<string, string>();
  const found = orderly.answered.flatMap(({ key, as, method, path, reply }) => {
    if (key === undefined) return [];
    const scope = `${as} ${method} ${path} ${key}`;
    // Each answer of a refusal is an occurrence of its own (RFC 9457, instance).
    const { instance: _, ...body } = reply.body;
    const answer = `${reply.status} ${JSON.stringify(body)}`;
    const earlier = first.get(scope) ?? answer;
    first.set(scope, earlier);
    return earlier === answer
      ? []
      : [violation('a key has one answer', `${scope}: ${earlier} and ${answer}`, String(reply.body.orderId))];
  });
  const sent = [...orderly.answered, ...orderly.unanswered].filter(
    ({ method, path }) => method === 'POST' && path === '/orders',
  );
  const keys = new Set(sent.map(({ as, key }) => `${as} ${key}`));
  return orders.size > keys.size
    ? [...found, violation('a key has one order', `${orders.size} orders of ${keys.size} keys`)]
    : found;
};

/** G1, G5: a commit is published, or visible as failed. */
const published: Check = ({ commits, published, records, orderly }) => {
  const saved = [...orderly.cloud.buckets.all().values()];
  return commits.flatMap(({ pk, sk, events }) => {
    const id = pk.slice(pk.indexOf('#') + 1);
    const failed = records.has(`relay@0#${pk}/${sk}`) || saved.some((body) => body.includes(pk) && body.includes(sk));
    return events
      .filter((event) => !published.has(event.id) && !failed)
      .map((event) => violation('a commit is published, or visible as failed', `${event.type} of ${pk} ${sk}`, id));
  });
};

/** G3, G5: each event has its effect at each consumer once, or is visible as failed or pending. */
const processed: Check = (facts) => {
  const { published, records, orderly } = facts;
  return CONSUMERS.flatMap(({ name, source, types, construct }) =>
    [...published].flatMap(([id, event]) => {
      if (event.source !== source || !types.some((type) => type === event['detail-type'])) return [];
      if (records.has(`${name}@0#${id}`)) return [];
      // The projection keeps no record of what it did: its rows are looked at below.
      if (name === 'orders-list') return [];
      const queues = [...orderly.cloud.queues.values()].filter(({ label }) => label.startsWith(construct));
      if (queues.some((queue) => queue.all().some(({ body }) => body.includes(id)))) return [];
      return [
        violation(
          'an event is processed, or visible as failed or pending',
          `${event['detail-type']} ${id} at ${name}`,
          subjectOf(event.detail),
        ),
      ];
    }),
  );
};

const oncePerConsumer: Check = ({ orders, reservations }) =>
  [orders, reservations].flatMap((aggregates) => {
    const byTrigger = new Map<string, string>();
    return [...aggregates].flatMap(([id, commits]) =>
      commits.flatMap(({ trigger, sk }) => {
        const earlier = byTrigger.get(trigger);
        byTrigger.set(trigger, `${id} ${sk}`);
        return earlier === undefined
          ? []
          : [violation('a message has one effect', `${trigger}: ${earlier} and ${id} ${sk}`, id)];
      }),
    );
  });

/** G3: once a record says that a message was processed, nobody processes it again. */
const recordedOnce: Check = ({ orderly }) => {
  const { tableCalls } = orderly.cloud;
  const records: readonly string[] = [orderly.tables.ordersRecords, orderly.tables.inventoryRecords];
  return tableCalls.flatMap(({ effects, fn }) =>
    effects.changes.flatMap(({ table, key, before }): readonly Violation[] => {
      const processed = before?.status !== undefined && 'S' in before.status && before.status.S === 'PROCESSED';
      if (!records.includes(table) || !processed) return [];
      return [violation('a message is recorded as processed once', `${JSON.stringify(key)} again by ${fn}`)];
    }),
  );
};

const stockIsConserved: Check = (facts) => {
  const live = new Map<string, number>();
  for (const id of facts.reservations.keys()) {
    const last = facts.reservation(id);
    if (last?.type !== 'StockReserved') continue;
    for (const { sku, quantity } of last.lines) live.set(sku, (live.get(sku) ?? 0) + quantity);
  }
  return facts.counters.flatMap(({ sku, onHand, reserved, available }) => {
    const told = `${sku}: on hand ${onHand}, reserved ${reserved}, available ${available}, by reservations ${live.get(sku) ?? 0}`;
    const found: Violation[] = [];
    if (available < 0 || reserved < 0) found.push(violation('stock is never below zero', told, sku));
    if (onHand !== available + reserved) found.push(violation('on hand = available + reserved', told, sku));
    if (reserved !== (live.get(sku) ?? 0)) found.push(violation('what is reserved belongs to reservations', told, sku));
    return found;
  });
};

/** Every order ends, and what is reserved belongs to a live order. */
const ordersEnd: Check = (facts) =>
  [...facts.orders.keys()].flatMap((id) => {
    const status = facts.order(id)?.status;
    const reserved = facts.reservation(id)?.type === 'StockReserved';
    if (facts.isVisible(id)) return [];
    if (status === 'PENDING') return [violation('an order ends', 'still PENDING, and nothing visible as failed', id)];
    if (reserved !== (status === 'APPROVED')) {
      return [violation('what is reserved belongs to a live order', `${status}, ${facts.reservation(id)?.type}`, id)];
    }
    return [];
  });

/** A projection equals its rebuild. */
const listsAreRight: Check = (facts) =>
  [...facts.orders.keys()].flatMap((id) => {
    const order = facts.order(id);
    const rows = facts.rows.filter(({ sk }) => String(sk).endsWith(`#${id}`));
    if (facts.isVisible(id) && rows.length <= 1) return [];
    const [row] = rows;
    const right =
      rows.length === 1 && row?.pk === `CUSTOMER#${order?.customerId}` && row?.order === JSON.stringify(order);
    return right
      ? []
      : [
          violation(
            'a list equals its rebuild',
            `rows ${JSON.stringify(rows.map(({ order }) => order))}, order ${JSON.stringify(order)}`,
            id,
          ),
        ];
  });

/** G5, as the transports tell it; and no right is missing. */
const nothingLost: Check = ({ orderly }) => {
  const { cloud, unanswered } = orderly;
  const lost = cloud.world.trace.lines.filter((line) => / LOST\b/.test(line));
  const denied = cloud.world.trace.lines.filter((line) => / DENIED | may not /.test(line));
  const expired = [...cloud.queues.values()].flatMap(({ fates }) => fates.filter(({ fate }) => fate === 'expired'));
  const overlaps = cloud.world.trace.lines.filter((line) => line.includes(' OVERLAP'));
  return [
    ...overlaps.map((line) => violation('a message is handled by one invocation at a time', line)),
    ...lost.map((line) => violation('nothing is lost on the way', line)),
    ...denied.slice(0, 3).map((line) => violation('no right is missing', line)),
    ...expired.map(({ message }) => violation('no message expires unseen', message.id)),
    ...unanswered.map(({ method, path }) => violation('every call is answered at last', `${method} ${path}`)),
  ];
};

/** Where no fault was made, and the scenario makes none by itself, nothing fails. */
function nothingFailsUnprovoked({ cloud }: Orderly, facts: Facts): readonly Violation[] {
  if (cloud.faults.made.length > 0) return [];
  const failed = cloud.world.trace.lines.filter((line) => / invocation \d+ failed/.test(line));
  const records = [...facts.records.values()].filter(({ status }) => status === 'FAILED');
  return [
    ...failed.slice(0, 3).map((line) => violation('nothing fails unprovoked', line)),
    ...records.slice(0, 3).map(({ pk }) => violation('nothing fails unprovoked', `failure record ${pk}`)),
  ];
}

const subjectOf = (detail: unknown): string => String((detail as { subject?: string }).subject).replace(/^\w+\//, '');

const CHECKS: readonly Check[] = [
  acknowledgedIsCommitted,
  gapless,
  oneAnswer,
  published,
  processed,
  oncePerConsumer,
  recordedOnce,
  stockIsConserved,
  ordersEnd,
  listsAreRight,
  nothingLost,
];
