import * as z from 'zod/mini';
import type { DeciderStore } from '../../../packages/kit/event-store/decide-on.js';

const Booking = z.object({ bookingId: z.string() });
const bookingsContract = {
  service: 'bookings',
  events: {},
  commands: {
    HoldSeat: { version: 1, data: Booking },
    PaySeat: { version: 1, data: Booking },
    ExpireHold: { version: 1, data: Booking },
  },
} as const;
type BookingCommand = { readonly type: 'HoldSeat' | 'PaySeat' | 'ExpireHold'; readonly data: z.infer<typeof Booking> };
declare const bookings: DeciderStore<
  'HELD' | 'PAID' | 'FREE',
  BookingCommand,
  { readonly type: string; readonly data: unknown }
>;

// The example of the pattern's README, word for word from here on.

import { clock, Env, requireEnv, requireIntegerEnv } from '@orderly/kit/aws';
import { decideOn } from '@orderly/kit/event-store';
import { consumer, handleCommand, on } from '@orderly/kit/idempotent-consumer';
import { commandsTo } from '@orderly/kit/messages';
import { Timers } from '@orderly/kit/timers';

const timers = new Timers({
  app: requireEnv(Env.APP),
  table: requireEnv(Env.RECORDS),
  consumer: { name: requireEnv(Env.CONSUMER), generation: requireIntegerEnv(Env.CONSUMER_GENERATION) },
  contract: bookingsContract,
});
/** A booking is held once, so this id is used once. */
const holdOf = (bookingId: string): string => `${bookingId}/hold`;
const in15Minutes = (): string => new Date(Date.parse(clock.now()) + 15 * 60_000).toISOString();

export const handler = consumer([
  on(commandsTo(bookingsContract, { from: [{ service: 'travel', events: {} }] }), {
    HoldSeat: ({ event: command, trace }) => ({
      decide: async () => {
        const { bookingId } = command.data;
        const { events, write } = await decideOn(bookings, { id: bookingId, command, trace });
        if (events.length === 0) return [write];
        const expiry = { type: 'ExpireHold', data: { bookingId }, id: holdOf(bookingId) } as const;
        const subject = `Booking/${bookingId}`;
        return [write, timers.set({ ...expiry, subject, executeAt: in15Minutes(), trace })];
      },
    }),
    PaySeat: ({ event: command, trace }) => ({
      decide: async () => {
        const { bookingId } = command.data;
        const { write } = await decideOn(bookings, { id: bookingId, command, trace });
        return [write, timers.clear(holdOf(bookingId))];
      },
    }),
    // The timer. The decider looks at the booking first, and changes nothing if the seat is paid.
    ExpireHold: ({ event: command, trace }) => handleCommand(bookings, { id: command.data.bookingId, command, trace }),
  }),
]);
