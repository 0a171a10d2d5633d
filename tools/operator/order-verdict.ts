import { firstVersionOf } from '../../lambdas/patterns/event-store/commit.js';
import { secondsBetween } from '../../lambdas/platform/clock.js';
import type { OrderView } from '../../lambdas/services/orders/contract.js';
import { type AggregateFacts, type Delivery, type EventReport, eventsOf, type OrderFacts } from './deliveries.js';
import { command, duration, plural } from './text.js';

/** Two commits of one aggregate with the same cause: what promise G2 or G3 rules out. */
export interface DoneTwice {
  readonly subject: string;
  readonly trigger: string;
  readonly versions: readonly number[];
}

export interface Verdict {
  readonly state: 'complete' | 'pending' | 'failed';
  readonly text: string;
  /** The command to go on with. */
  readonly next?: string;
}

export interface OrderReport {
  readonly orderId: string;
  readonly order: OrderView | undefined;
  readonly shown: ReadonlyMap<string, number>;
  readonly events: readonly EventReport[];
  readonly doneTwice: readonly DoneTwice[];
  readonly verdict: Verdict;
}

/** Where an order is, whether anything was lost, and whether anything was done twice. Pure. */
export function judge(facts: OrderFacts): OrderReport {
  const events = facts.aggregates.flatMap((aggregate) => eventsOf(aggregate, facts));
  const doneTwice = facts.aggregates.flatMap(twiceIn);
  const { orderId, order, shown } = facts;
  return { orderId, order, shown, events, doneTwice, verdict: verdict(facts, events, doneTwice) };
}

/** A cause leads to at most one commit of an aggregate, however often it arrives. */
function twiceIn({ subject, commits }: AggregateFacts): readonly DoneTwice[] {
  const byTrigger = new Map<string, number[]>();
  for (const commit of commits) {
    byTrigger.set(commit.trigger, [...(byTrigger.get(commit.trigger) ?? []), firstVersionOf(commit)]);
  }
  return [...byTrigger].flatMap(([trigger, versions]) => (versions.length > 1 ? [{ subject, trigger, versions }] : []));
}

function verdict(
  { order, orderId, now, aggregates }: OrderFacts,
  events: readonly EventReport[],
  doneTwice: readonly DoneTwice[],
): Verdict {
  const all = events.flatMap((event) => event.deliveries.map((one) => ({ event, one })));
  const of = (state: Delivery['state']) => all.filter(({ one }) => one.state === state);
  const [twice] = doneTwice;
  if (twice) {
    const { trigger, subject, versions } = twice;
    return {
      state: 'failed',
      text: `failed: ${trigger} was applied twice to ${subject}, as versions ${versions.join(' and ')}`,
    };
  }
  const [failed] = of('failed');
  if (failed) {
    const { consumer, messageId } = failed.one;
    return {
      state: 'failed',
      text: `failed: ${list(of('failed').map(({ one, event }) => `${one.consumer} at ${event.type} (${one.reason})`))}`,
      next: command('failures', 'show', consumer, messageId),
    };
  }
  if (of('lost').length > 0) {
    const lost = of('lost').map(({ one, event }) => `${event.type} on its way to ${one.consumer}`);
    return { state: 'failed', text: `failed: lost: ${list(lost)} (RUNBOOK.md, "Was anything lost")` };
  }
  if (!order) {
    const others = aggregates.filter(({ commits }) => commits.length > 0).map(({ subject }) => subject);
    return { state: 'failed', text: `failed: there is no order ${orderId}, but ${others.join(', ')}` };
  }
  if (of('pending').length > 0) {
    const waiting = of('pending').map(
      ({ one, event }) => `${one.consumer} of ${event.type}, for ${duration(secondsBetween(event.at, now))}`,
    );
    return { state: 'pending', text: `pending: ${list(waiting)}`, next: command('order', orderId) };
  }
  if (order.status === 'PENDING') {
    return { state: 'failed', text: 'failed: the order is PENDING, and nothing is on its way that would end that' };
  }
  return { state: 'complete', text: `complete: ${summary(events, of)}` };
}

function summary(events: readonly EventReport[], of: (state: Delivery['state']) => readonly unknown[]): string {
  const counted = [
    `${plural(events.length, 'event')}, ${plural(of('processed').length, 'delivery', 'deliveries')} processed, nothing twice`,
  ];
  const more = [
    ['expired', 'too old to be known'],
    ['discarded', 'discarded'],
    ['unsent', 'not sent, as that was discarded'],
    ['unjudged', 'not known here'],
  ] as const;
  for (const [state, words] of more) if (of(state).length > 0) counted.push(`${of(state).length} ${words}`);
  return counted.join('; ');
}

const list = (parts: readonly string[]): string =>
  parts.length > 3 ? `${parts.slice(0, 3).join('; ')}; and ${parts.length - 3} more` : parts.join('; ');
