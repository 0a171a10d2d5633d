import { type DeliveryView, webhooksContract } from '../../../lambdas/webhooks/contract.js';
import { WebhooksMetric } from '../../../lambdas/webhooks/metrics.js';
import { OFFERED_TYPES, type OfferedType } from '../../../lambdas/webhooks/payloads.js';
import type { Violation } from '../../../packages/simulator/search/scenario.js';
import { type Commit, Facts, isCommit } from '../../support/simulation/facts.js';
import type { Orderly } from '../../support/simulation/orderly.js';
import type { Receiver } from '../../support/simulation/receivers.js';
import { violation } from './violation.js';

/** A webhook, and what its receiver got. */
export interface Watched {
  readonly name: string;
  readonly receiver: Receiver;
  readonly webhookId: string;
  /** Customer whose orders it receives events of; absent: all. */
  readonly customerId?: string;
  readonly inOrder: boolean;
  readonly events: readonly OfferedType[];
  /** Whether it ends disabled, so that its receiver needs not have everything. @default false */
  readonly isGivenUp?: boolean;
  /** Virtual time of its registration, milliseconds since 1970. */
  readonly since: number;
}

/** An event that was offered, as it was published. */
interface Offered {
  readonly id: string;
  readonly type: OfferedType;
  readonly orderId: string;
  readonly customerId: string | undefined;
  readonly time: number;
}

/** Returns the offered events that were published so far. An event that was published twice is one. */
function offeredEvents({ cloud }: Orderly): readonly Offered[] {
  const offered = new Map<string, Offered>();
  const customers = new Map<string, string>();
  for (const { event } of cloud.events.accepted) {
    const type = event['detail-type'] as OfferedType;
    if (event.source !== 'orderly.orders' || !OFFERED_TYPES.includes(type)) continue;
    const { id, data, time } = event.detail as {
      id: string;
      time: string;
      data: { readonly orderId: string; readonly customerId?: string };
    };
    if (data.customerId !== undefined) customers.set(data.orderId, data.customerId);
    offered.set(id, { id, type, orderId: data.orderId, customerId: undefined, time: Date.parse(time) });
  }
  return [...offered.values()].map((one) => ({ ...one, customerId: customers.get(one.orderId) }));
}

/**
 * Promises of webhooks, once everything has come to rest: each offered event came to each webhook that receives events of it, with one id and one
 * body; to no other; in order where that was asked; signed; and what came through is shown as such.
 * @param shown deliveries of each webhook, as the API shows them, by its id
 */
export function webhooksKept(
  orderly: Orderly,
  watched: readonly Watched[],
  shown: ReadonlyMap<string, readonly DeliveryView[]>,
): readonly Violation[] {
  const offered = offeredEvents(orderly);
  const open = openMessages(new Facts(orderly));
  const refused = orderly.cloud.faults.injected.filter(({ kind }) => kind === 'refused').length;
  return watched.flatMap((one) => {
    const own = shown.get(one.webhookId) ?? [];
    // It is visible as failed, or waits behind what has failed, until an operator redrives it.
    const isOpen = (id: string) =>
      open.events.has(id) ||
      own.some(({ messageId, deliveryId }) => messageId === id && open.deliveries.has(deliveryId));
    return [
      ...delivered(
        one,
        offered.filter(({ id }) => !isOpen(id)),
      ),
      ...onlyTheirs(one, offered),
      ...sameBody(one),
      ...inOrder(one),
      ...signed(one),
      ...asShown(
        one,
        own.filter(({ deliveryId }) => !open.deliveries.has(deliveryId)),
        refused,
      ),
    ];
  });
}

/** Returns what the inboxes of webhooks have not processed: ids of orders' events, and of deliveries. */
function openMessages(facts: Facts) {
  const isOpenAt = (name: string, id: string) => facts.delivery(facts.listener(name), { id }) !== 'processed';
  const events = new Set<string>();
  const deliveries = new Set<string>();
  for (const [id, { source, detail, 'detail-type': type }] of facts.published) {
    if (source === 'orderly.orders' && OFFERED_TYPES.includes(type as OfferedType) && isOpenAt('webhooks-orders', id))
      events.add(id);
    const { deliveryId } = (detail as { data: { deliveryId?: string } }).data;
    const inbox = INBOXES[type];
    if (inbox !== undefined && deliveryId !== undefined && isOpenAt(inbox, id)) deliveries.add(deliveryId);
  }
  return { events, deliveries };
}

/** Inboxes of the types of due deliveries. */
const INBOXES: Readonly<Record<string, string>> = {
  DeliveryDue: 'webhooks-deliveries',
  OrderedDeliveryDue: 'webhooks-ordered',
};

const hearsOf = ({ customerId, events, since }: Watched, event: Offered): boolean =>
  events.includes(event.type) && event.time > since && (customerId === undefined || customerId === event.customerId);

const delivered = (one: Watched, offered: readonly Offered[]): readonly Violation[] =>
  one.isGivenUp
    ? []
    : offered
        .filter((event) => hearsOf(one, event) && !one.receiver.accepted.has(event.id))
        .map(({ type, orderId, id }) =>
          violation(
            'an offered event is delivered to each webhook that receives events of it',
            `${type} ${id} to ${one.name}`,
            orderId,
          ),
        );

function onlyTheirs(one: Watched, offered: readonly Offered[]): readonly Violation[] {
  const known = new Map(offered.map((event) => [event.id, event]));
  return one.receiver.requests.flatMap(({ id, payload }) => {
    const event = known.get(id);
    const isRight = event !== undefined && one.events.includes(event.type) && event.type === payload.type;
    const isOwn = one.customerId === undefined || event?.customerId === one.customerId;
    return isRight && isOwn
      ? []
      : [
          violation(
            'a webhook receives events of its own orders and of the types that it asked for',
            `${id} at ${one.name}`,
            payload.orderId,
          ),
        ];
  });
}

function sameBody({ name, receiver }: Watched): readonly Violation[] {
  const bodies = new Map<string, string>();
  return receiver.requests.flatMap(({ id, body, payload }) => {
    const first = bodies.get(id) ?? body;
    bodies.set(id, first);
    return first === body
      ? []
      : [violation('a message is the same in each attempt', `${id} at ${name}`, payload.orderId)];
  });
}

/** A later event of an order is sent first after the one before it came through, or was given up. */
function inOrder({ inOrder: isAsked, name, receiver, isGivenUp }: Watched): readonly Violation[] {
  if (!isAsked) return [];
  const last = new Map<string, { readonly sequence: number; readonly id: string }>();
  const accepted = new Set<string>();
  return receiver.requests.flatMap(({ id, payload: { orderId, sequence }, isAccepted }) => {
    const before = last.get(orderId);
    if (isAccepted) accepted.add(id);
    // A repeat after a lost answer is of what came through already.
    if (before !== undefined && before.id !== id && accepted.has(id) && sequence < before.sequence) return [];
    const isNext = before === undefined || before.id === id || sequence > before.sequence;
    const isThrough = before === undefined || before.id === id || isGivenUp || accepted.has(before.id);
    if (before === undefined || sequence > before.sequence) last.set(orderId, { sequence, id });
    return isNext && isThrough
      ? []
      : [
          violation(
            'the events of an order come in their order, where that was asked',
            `${sequence} of ${orderId} at ${name}`,
            orderId,
          ),
        ];
  });
}

const signed = ({ name, receiver }: Watched): readonly Violation[] =>
  receiver.requests
    .filter(({ isGenuine }) => !isGenuine)
    .map(({ id, payload }) =>
      violation('each request is signed by the secret of its webhook', `${id} at ${name}`, payload.orderId),
    );

/**
 * A delivery that is shown as such came through, with the attempts that made it. A crash may hide an attempt, and invents none.
 * @param refused requests that somebody before the receiver has answered
 */
function asShown({ name, receiver }: Watched, shown: readonly DeliveryView[], refused: number): readonly Violation[] {
  return shown.flatMap(({ messageId, status, attempts, orderId }) => {
    const requests = receiver.requests.filter(({ id }) => id === messageId);
    const faults = [
      ...(status === 'PENDING' ? ['is PENDING at the end'] : []),
      ...(status === 'DELIVERED' && !requests.some(({ isAccepted }) => isAccepted)
        ? ['is DELIVERED, and was not accepted']
        : []),
      ...(attempts.filter(({ result }) => result === 'answered').length > requests.length + refused
        ? ['has more answers than requests']
        : []),
    ];
    return faults.map((fault) =>
      violation('what is shown of a delivery is what happened', `${messageId} of ${name} ${fault}`, orderId),
    );
  });
}

/**
 * Each webhook that its receiver ended is counted, perhaps more than once, by the metric of the alarm that mails the operators. A
 * forgotten shop is no matter of theirs.
 */
export function disabledWithMail(orderly: Orderly): readonly Violation[] {
  const table = orderly.services.find(({ name }) => name === webhooksContract.service)?.table ?? '';
  const events = orderly.itemsOf(table).flatMap((item) => (isCommit(item) ? (item as unknown as Commit).events : []));
  const disabled = events.filter(
    ({ type, data }) => type === 'WebhookDisabled' && (JSON.parse(data) as { reason: string }).reason !== 'FORGOTTEN',
  ).length;
  const counted = orderly.cloud.log.filter(({ text }) => text.includes(`"${WebhooksMetric.DISABLED}":`)).length;
  return counted >= disabled
    ? []
    : [violation('a disabled webhook mails the operators', `${counted} counted, ${disabled} disabled`)];
}
