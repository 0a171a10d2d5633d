import { CourseRefused } from '../decider/example.js';
import { courseStore } from '../event-store/example.js';
import { ticketsContract } from '../outbox/example.js';

// The example of the pattern's README, word for word from here on.

import { consumer, handleCommand, on } from '@orderly/kit/idempotent-consumer';
import { subscribe } from '@orderly/kit/messages';

const openedTickets = subscribe(ticketsContract, ['TicketOpened']);

export const handler = consumer(
  [
    on(openedTickets, {
      TicketOpened: ({ event: { data }, trace }) =>
        handleCommand(courseStore, {
          id: data.subject,
          command: { type: 'Book', courseId: data.subject, student: data.ticketId },
          trace,
        }),
    }),
  ],
  // A refusal is a failure record at once. Throttling, conflicts and unknown errors are tried again first.
  { isRefusal: (error) => error instanceof CourseRefused },
);
