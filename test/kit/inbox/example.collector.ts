import {
  charged,
  type PackingCommand,
  type PackingEvent,
  type Part,
  packingContract,
  packings,
  placed,
  reserved,
} from './example.collecting.js';

// The example of the pattern's README, word for word from here on.

import { clock, Env, requireEnv, requireIntegerEnv } from '@orderly/kit/aws';
import { decideOn, eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { consumer, type Handling, on } from '@orderly/kit/idempotent-consumer';
import { ownCommands, type Trace } from '@orderly/kit/messages';
import { Timers } from '@orderly/kit/timers';

const packingStore = eventStoreFromEnvironment(packings);
const timers = new Timers({
  app: requireEnv(Env.APP),
  table: requireEnv(Env.RECORDS),
  consumer: { name: requireEnv(Env.CONSUMER), generation: requireIntegerEnv(Env.CONSUMER_GENERATION) },
  contract: packingContract,
});
const in30Minutes = (): string => new Date(Date.parse(clock.now()) + 30 * 60_000).toISOString();

/** The part, what follows from it, and the timer commit together, or not at all. */
const collected = (command: PackingCommand, trace: Trace): Handling => ({
  decide: async () => {
    const { orderId } = command;
    const { events, write } = await decideOn(packingStore, { id: orderId, command, trace });
    const isIn = (type: PackingEvent['type']) => events.some((event) => event.type === type);
    const id = `${orderId}/waiting`;
    if (isIn('PackingBegan')) return [write, timers.clear(id)];
    if (!isIn('PackingAwaited')) return [write];
    const timeout = { type: 'StopWaiting', data: { orderId }, id, subject: `Packing/${orderId}` } as const;
    return [write, timers.set({ ...timeout, executeAt: in30Minutes(), trace })];
  },
});

const take = (part: Part, content: { readonly orderId: string }, trace: Trace): Handling =>
  collected({ type: 'Take', orderId: content.orderId, part, content }, trace);

export const handler = consumer([
  on(placed, { OrderPlaced: ({ event: { type, data }, trace }) => take(type, data, trace) }),
  on(charged, { PaymentCharged: ({ event: { type, data }, trace }) => take(type, data, trace) }),
  on(reserved, { StockReserved: ({ event: { type, data }, trace }) => take(type, data, trace) }),
  on(ownCommands(packingContract), {
    StopWaiting: ({ event: { data }, trace }) => collected({ type: 'StopWaiting', ...data }, trace),
  }),
]);
