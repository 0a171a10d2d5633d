import * as z from 'zod/mini';
import type { DeciderStore } from '../../../packages/kit/event-store/decide-on.js';

const BookSeat = z.object({ bookingId: z.string(), showId: z.string() });
const bookingsContract = {
  service: 'bookings',
  events: {},
  commands: { BookSeat: { version: 1, data: BookSeat } },
} as const;
type BookingEvent = { readonly type: 'SeatBooked' | 'ShowSoldOut'; readonly data: unknown };
declare const bookings: DeciderStore<
  'NONE' | 'BOOKED',
  { readonly type: 'Book'; readonly isFree: boolean },
  BookingEvent
>;
declare const takeSeats: (
  showId: string,
  seats: number,
) => { readonly Update: NonNullable<TransactWriteItem['Update']> };

// The example of the pattern's README, word for word from here on.

import type { TransactWriteItem } from '@orderly/kit/aws';
import { decideOnNew } from '@orderly/kit/event-store';
import { consumer, on } from '@orderly/kit/idempotent-consumer';
import { createLane, createLaneEntrance, laneWriter } from '@orderly/kit/lane';
import { commandsTo } from '@orderly/kit/messages';

const commands = commandsTo(bookingsContract, { from: [{ service: 'shop', events: {} }] });

/** The lane: what its requests contend for, and how up to 30 of them are decided in one transaction. */
export const showLane = createLane(commands, 'BookSeat', {
  keyOf: ({ showId }) => showId,
  decide: (requests, refused) => {
    // The first attempt reads nothing and assumes that there are seats for all. A refusal shows the show as it is.
    const free = refused ? Number(refused.found?.free ?? 0) : requests.length;
    const seats = Math.min(free, requests.length);
    const showId = requests[0]?.command.data.showId ?? '';
    return {
      // Its condition is `free >= :seats`.
      ...(seats > 0 ? { shared: takeSeats(showId, seats) } : {}),
      effects: requests.map(({ command: { data }, trace }, at) => {
        const command = { type: 'Book', isFree: at < seats } as const;
        return [decideOnNew(bookings, { id: data.bookingId, command, trace }).write];
      }),
    };
  },
});

/** book-seat.lambda.ts: the consumer. It books by a plain transaction, and stores requests for busy shows. */
export const handler = consumer(
  [
    on(commands, {
      BookSeat: ({ event: { data }, trace }) => {
        const seat = takeSeats(data.showId, 1);
        return {
          decide: async (refused) => {
            const command = { type: 'Book', isFree: !refused?.conditionFailedFor(seat) } as const;
            const { write } = decideOnNew(bookings, { id: data.bookingId, command, trace });
            return command.isFree ? [write, seat] : [write];
          },
        };
      },
    }),
  ],
  { lane: createLaneEntrance(showLane) },
);

/** book-seats.lambda.ts: the writer. */
export const writer = laneWriter(showLane);
