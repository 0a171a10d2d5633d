import type { DeciderStore } from '../../../packages/kit/event-store/decide-on.js';
import { handleCommand } from '../../../packages/kit/idempotent-consumer/handle-command.js';
import { on } from '../../../packages/kit/idempotent-consumer/message-source.js';
import { subscribe } from '../../../packages/kit/messages/subscriptions.js';
import { type Course, type CourseCommand, type CourseEvent, courseDecider, courses } from '../decider/example.js';
import { ticketsContract } from '../outbox/example.js';

const at = '2026-01-01T00:00:00.000Z';
const opened: CourseEvent = { type: 'CourseOpened', data: { courseId: 'c1', seats: 1, at } };
const booked: CourseEvent = { type: 'SeatBooked', data: { courseId: 'c1', student: 'ada', at } };

/** A handler takes its store as an argument, so that a test can give it another. */
const openings = (courseStore: DeciderStore<Course, CourseCommand, CourseEvent>) =>
  on(subscribe(ticketsContract, ['TicketOpened']), {
    TicketOpened: ({ event: { data }, trace }) =>
      handleCommand(courseStore, {
        id: data.ticketId,
        command: { type: 'Open', courseId: data.ticketId, seats: 1 },
        trace,
      }),
  });

// The example of the pattern's README, word for word from here on.

import { eventMessage, given, InMemoryService } from '@orderly/kit/testing';
import { expect, test } from 'vitest';

const course = given(courseDecider, { now: at });

test('a course has as many students as seats', () => {
  course([opened]).when({ type: 'Book', courseId: 'c1', student: 'ada' }).then([booked]);
  course([opened, booked]).when({ type: 'Book', courseId: 'c1', student: 'bob' }).thenRefused('FULL');
});

test('a ticket opens one course, however often it is delivered', async () => {
  const service = new InMemoryService('courses');
  const courseStore = service.eventStore(courses);
  const deliver = service.consumer([openings(courseStore)]);
  const message = eventMessage(ticketsContract, { type: 'TicketOpened', data: { ticketId: 't1', subject: 'chess' } });
  expect(await deliver(message)).toBe('applied');
  expect(await deliver(message)).toBe('duplicate');
  expect(await courseStore.load('t1')).toMatchObject({ version: 1, state: { status: 'OPEN' } });
  expect(service.drainPublished().map(({ type }) => type)).toEqual(['CourseOpened']);
});
