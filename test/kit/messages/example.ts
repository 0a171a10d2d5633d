// The example of the pattern's README, word for word from here on.
import { commandsTo, earlierShape, ownCommands, subscribe } from '@orderly/kit/messages';
import * as z from 'zod/mini';

const Seat = { courseId: z.string(), student: z.string() };

/** `lambdas/courses/contract.ts`: what the service publishes and accepts. */
export const coursesContract = {
  service: 'courses',
  events: {
    SeatBooked: {
      version: 2,
      data: z.object({ ...Seat, price: z.int() }),
      // Stored events keep their version for ever. Courses were free when version 1 was written.
      earlier: { 1: earlierShape(z.object(Seat), (seat) => ({ ...seat, price: 0 })) },
    },
  },
  commands: {
    BookSeat: { version: 1, data: z.object({ ...Seat, stepId: z.string() }) },
    CloseBooking: { version: 1, data: z.object({ courseId: z.string() }) },
  },
} as const;

/** `lambdas/desk/subscriptions.ts`: a misspelt type does not compile. */
export const bookedSeats = subscribe(coursesContract, ['SeatBooked']);

/** `lambdas/courses/subscriptions.ts`: commands that other services send, and commands of the service to itself. */
export const courseCommands = commandsTo(coursesContract, { from: [{ service: 'travel', events: {} }] });
export const courseTimers = ownCommands(coursesContract);
