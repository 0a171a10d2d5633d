import { subscribe } from '@orderly/kit/messages';
import * as z from 'zod/mini';

const answer = {
  version: 1,
  data: z.object({
    tripId: z.string(),
    stepId: z.string(),
    outcome: z.enum(['DONE', 'REFUSED']),
    reason: z.exactOptional(z.string()),
  }),
} as const;
const step = { tripId: z.string(), stepId: z.string() };
export const flights = {
  service: 'flights',
  events: { FlightAnswered: answer },
  commands: {
    BookFlight: { version: 1, data: z.object({ ...step, seats: z.int() }) },
    CancelFlight: { version: 1, data: z.object(step) },
  },
} as const;
export const hotels = {
  service: 'hotels',
  events: { HotelAnswered: answer },
  commands: {
    BookHotel: { version: 1, data: z.object({ ...step, nights: z.int() }) },
    CancelHotel: { version: 1, data: z.object(step) },
  },
} as const;
export const flightAnswers = subscribe(flights, ['FlightAnswered']);
export const hotelAnswers = subscribe(hotels, ['HotelAnswered']);
