import { summarize } from '../../../lambdas/orders/domain/order-summary.js';
import { placedPartition } from '../../../lambdas/orders/keys.js';
import { versionedKey } from '../../../packages/kit/projection/versions.js';
import { type Check, violation } from './violation.js';

/** Checks the tables at the end. A failed or pending message excuses only the effects of that one message. */
export const state: Check = (facts) => [
  ...gapless(facts),
  ...stockIsConserved(facts),
  ...stockLeavesOnce(facts),
  ...dispatchedOnce(facts),
  ...listsAreRight(facts),
  ...nothingIsLeft(facts),
];

/** G1: an aggregate's commits have no gap. */
const gapless: Check = ({ orders, sagas, reservations }) =>
  [...orders, ...sagas, ...reservations].flatMap(([id, commits]) => {
    let version = 0;
    for (const { sk, events, lastVersion } of commits) {
      const whole = Number(sk.slice('COMMIT#'.length)) === version + 1 && lastVersion === version + events.length;
      if (!whole) return [violation('commits are gapless', `${sk} after version ${version}`, id)];
      version = lastVersion;
    }
    return [];
  });

const stockIsConserved: Check = (facts) => {
  const live = new Map<string, number>();
  for (const id of facts.reservations.keys()) {
    const last = facts.reservation(id);
    if (last?.type !== 'StockReserved') continue;
    for (const { sku, quantity } of last.lines) live.set(sku, (live.get(sku) ?? 0) + quantity);
  }
  return facts.counters.flatMap(({ sku, onHand, reserved, available }) => {
    const told = `${sku}: on hand ${onHand}, reserved ${reserved}, available ${available}, by reservations ${live.get(sku) ?? 0}`;
    const found = [];
    if (available < 0 || reserved < 0) found.push(violation('stock is never below zero', told, sku));
    if (onHand !== available + reserved) found.push(violation('on hand = available + reserved', told, sku));
    if (reserved !== (live.get(sku) ?? 0))
      found.push(violation('reserved stock is the sum of the reservations', told, sku));
    return found;
  });
};

/** An order has one of its ends: it is dispatched once, and not cancelled then, or the other way round. */
const dispatchedOnce: Check = ({ orders }) =>
  [...orders].flatMap(([id, commits]) => {
    const ends = commits
      .flatMap(({ events }) => events.map(({ type }) => type))
      .filter((type) => type === 'OrderDispatched' || type === 'OrderCancelled');
    return ends.length <= 1 || !ends.includes('OrderDispatched')
      ? []
      : [violation('an order is dispatched once, and not cancelled as well', ends.join(', '), id)];
  });

/** Reserved pieces leave the stock once, for an order that was dispatched, and were not released before. */
const stockLeavesOnce: Check = (facts) =>
  [...facts.reservations].flatMap(([id, commits]) => {
    const types = commits.flatMap(({ events }) => events.map(({ type }) => type));
    const left = types.filter((type) => type === 'StockDispatched').length;
    const isRight = left === 1 && !types.includes('StockReleased') && facts.order(id)?.status === 'DISPATCHED';
    const told = `${types.join(', ')}, order ${facts.order(id)?.status}`;
    return left === 0 || isRight ? [] : [violation('stock leaves once, for a dispatched order', told, id)];
  });

/** A list equals its rebuild, up to the last event that reached it. */
const listsAreRight: Check = (facts) =>
  [...facts.orders].flatMap(([id, commits]) => {
    const listener = facts.listener('orders-list');
    const reached = commits
      .flatMap(({ events }) => events)
      .reduce((last, event, at) => (facts.delivery(listener, event) === 'processed' ? at + 1 : last), 0);
    const rows = facts.rows.filter(({ sk }) => sk.endsWith(`#${id}`));
    const [row] = rows;
    const version = row?.version ?? 0;
    const order = facts.order(id, version);
    const right =
      rows.length <= 1 &&
      version >= reached &&
      (!row || (row.pk === `CUSTOMER#${order?.customerId}` && row.order === JSON.stringify(order)));
    const told = `rows ${JSON.stringify(rows.map(({ order }) => order))}, order at ${reached} ${JSON.stringify(facts.order(id))}`;
    if (!right) return [violation('a list equals its rebuild', told, id)];
    if (!row || !order) return [];
    // What operators find is in an index of the version that is read, and says what the order says.
    const versions = facts.versionsOf('orders-list');
    const partition = versionedKey(placedPartition(order), versions.reads);
    const own = commits.filter(({ lastVersion }) => lastVersion <= version);
    const isOfEarlierRelease = row.placedPk === undefined && row.summary === undefined && versions.shape === undefined;
    const found =
      isOfEarlierRelease || (row.placedPk === partition && row.summary === JSON.stringify(summarize(order, own)));
    const shown = `${row.placedPk} ${row.summary}, wanted ${partition} ${JSON.stringify(summarize(order, own))}`;
    return found ? [] : [violation('operators find each order of a list, as it is', shown, id)];
  });

/** A finished rebuild leaves no row of another version: no erasure would ever reach it. */
const nothingIsLeft: Check = ({ unreadRows, versionsOf }) =>
  unreadRows
    .filter(({ pk }) => versionsOf(viewIn(String(pk))).builds === undefined)
    .map(({ pk, sk }) =>
      violation('a finished rebuild leaves no row of another version', `${String(pk)} ${String(sk)}`),
    );

const viewIn = (pk: string): string => (pk.startsWith('CUSTOMER#') ? 'orders-list' : 'accounts-exhausted');
