import type { AccountEvent } from '../../../lambdas/accounts/contract.js';
import type { RewardsView } from '../../../lambdas/rewards/contract.js';
import {
  buildEntry,
  COUNTED_TYPES,
  type CountedEvent,
  orderIdOf,
  type PaidOrder,
} from '../../../lambdas/rewards/domain/entries.js';
import { addEntry, initialStanding } from '../../../lambdas/rewards/domain/standing.js';
import { settingsFor } from '../../../lib/settings.js';
import { placeKey } from '../../../packages/kit/inbox/sequence-keys.js';
import type { Envelope } from '../../../packages/kit/messages/envelope.js';
import { type Facts, idIn } from '../../support/simulation/facts.js';
import type { Row } from '../../support/simulation/orderly.js';
import { type Check, violation } from './violation.js';

/** Invariants of customers' rewards, whatever order their events were delivered in, and however often. */
export const rewards: Check = (facts) =>
  facts.isAwake('rewards') ? [...rewardsAreAFold(facts), ...nothingWaitsForItsTurn(facts), ...answersAddUp(facts)] : [];

const INBOX = 'rewards-accounts';
const TIERS = settingsFor('prod').rewardTiers;

interface Placed {
  readonly sequence: number;
  readonly at: string;
  readonly event: AccountEvent;
}

/** Returns the published events of each account, once each, in the order of its history. */
function eventsByCustomer({ published }: Facts): ReadonlyMap<string, readonly Placed[]> {
  const found = new Map<string, Map<number, Placed>>();
  for (const { source, detail } of published.values()) {
    if (source !== 'orderly.accounts') continue;
    const { type, subject, sequence, time: at, data } = detail as unknown as Envelope;
    const events = found.get(idIn(subject)) ?? new Map<number, Placed>();
    found.set(idIn(subject), events.set(sequence, { sequence, at, event: { type, data } as AccountEvent }));
  }
  return new Map(
    [...found].map(([id, events]) => [id, [...events.values()].sort((one, other) => one.sequence - other.sequence)]),
  );
}

const isCounted = (event: AccountEvent): event is CountedEvent =>
  (COUNTED_TYPES as readonly string[]).includes(event.type);

/** Returns the items of a customer's rewards that follow from their account's events, as text by sort key. */
function itemsOf(events: readonly Placed[]): ReadonlyMap<string, string> {
  const items = new Map<string, string>();
  const orders = new Map<string, PaidOrder>();
  let standing = initialStanding;
  for (const { event, sequence, at } of events) {
    if (!isCounted(event)) continue;
    const { entry, order } = buildEntry(event, at, orders.get(orderIdOf(event) ?? ''));
    standing = addEntry(standing, entry, TIERS);
    items.set(`ENTRY#${String(sequence).padStart(10, '0')}`, JSON.stringify(entry));
    items.set('STANDING', `${sequence} ${JSON.stringify(standing)}`);
    if (!order) continue;
    orders.set(order.orderId, order);
    items.set(`ORDER#${order.orderId}`, JSON.stringify(order));
  }
  return items;
}

const textOf = ({ sk, sequence, standing, entry, order }: Row): readonly [string, string] => [
  String(sk),
  standing === undefined ? String(entry ?? order) : `${String(sequence)} ${String(standing)}`,
];

/** The stored rewards equal, byte for byte, a fold of the account's events up to the cursor, but for the discarded ones. */
function rewardsAreAFold(facts: Facts): ReturnType<Check> {
  const table = facts.orderly.services.find(({ name }) => name === 'rewards')?.table ?? '';
  const stored = new Map<string, Map<string, string>>();
  for (const item of facts.orderly.itemsOf(table)) {
    const customer = String(item.pk).slice('REWARDS#'.length);
    stored.set(customer, (stored.get(customer) ?? new Map()).set(...textOf(item)));
  }
  const listener = facts.listener(INBOX);
  const published = eventsByCustomer(facts);
  return [...published].flatMap(([customer, all]) => {
    const position = facts.lastPosition(listener, `Account/${customer}`);
    const isDiscarded = (sequence: number) =>
      facts.records.get(placeKey(listener, { subject: `Account/${customer}`, sequence, epoch: 0 }))?.status ===
      'DISCARDED';
    const events = all.filter(({ sequence }) => sequence <= position && !isDiscarded(sequence));
    const told = (items: Iterable<readonly [string, string]>) => JSON.stringify([...items].sort());
    const [found, wanted] = [told(stored.get(customer) ?? []), told(itemsOf(events))];
    return found === wanted
      ? []
      : [violation("rewards equal a fold of the account's events in their order", `${found}, not ${wanted}`, customer)];
  });
}

/** A stored event whose predecessors were processed or discarded doesn't wait any more. */
const nothingWaitsForItsTurn: Check = (facts) => {
  const listener = facts.listener(INBOX);
  return [...eventsByCustomer(facts).keys()].flatMap((customer) => {
    const subject = `Account/${customer}`;
    let sequence = facts.lastPosition(listener, subject) + 1;
    const recordAt = (place: number) => facts.records.get(placeKey(listener, { subject, sequence: place, epoch: 0 }));
    while (recordAt(sequence)?.status === 'DISCARDED') sequence++;
    return recordAt(sequence)?.status === 'PENDING'
      ? [violation('an event whose turn it is does not wait', `${sequence} of ${idIn(subject)}`, customer)]
      : [];
  });
};

/** All entries of an answer add up to its points. */
const answersAddUp: Check = ({ orderly }) =>
  orderly.answered.flatMap(({ path, reply }) => {
    if (!/^\/rewards\/[^?]+$/.test(path) || reply.status !== 200) return [];
    const { customerId, points, entries, nextCursor } = reply.body as unknown as RewardsView;
    const sum = entries.reduce((all, entry) => all + entry.points, 0);
    return nextCursor !== undefined || sum === points
      ? []
      : [violation("a customer's entries add up to their points", `${points}, entries ${sum}`, customerId)];
  });
