import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { Commit } from '../../../packages/kit/messages/commit.js';
import { ContractViolation, earlierShape } from '../../../packages/kit/messages/contract.js';
import { InMemoryEventStore } from '../../../packages/kit/testing/in-memory-event-store.js';
import { readEvents, readStates } from '../../../packages/kit/testing/stored-streams.js';
import { buildTrace } from '../../support/tally.js';
import { type Course, type CourseEvent, courses } from '../decider/example.js';

const at = '2026-01-01T00:00:00.000Z';
const opened: CourseEvent = { type: 'CourseOpened', data: { courseId: 'c1', seats: 2, at } };
const booked = (student: string): CourseEvent => ({ type: 'SeatBooked', data: { courseId: 'c1', student, at } });

const store = new InMemoryEventStore<Course, CourseEvent>(courses);

/** Items of a table in which a course has these commits. */
function storedCommits(id: string, ...commits: readonly (readonly CourseEvent[])[]): readonly Commit[] {
  let loaded = store.assumeNew(id);
  return commits.map((events) => {
    const commit = store.buildCommit(loaded, events, buildTrace('message'));
    loaded = store.applyCommit(loaded, commit);
    return Commit.parse(store.appendWrite(commit).Put?.Item);
  });
}

const course = storedCommits('c1', [opened, booked('ada')], [booked('bob')]);
const others = [
  { pk: 'Course#c1', sk: 'STATE', version: 3 },
  { pk: 'CourseList#c1', sk: 'COMMIT#0000000001', version: 1 },
  { pk: 'consumer@0#m1', status: 'PROCESSED' },
];

test('events are those of all commits of an aggregate, in their order', () => {
  const items = [...others, ...course.toReversed(), ...storedCommits('c2', [opened])];
  expect([...readEvents(items, courses)].toSorted()).toEqual([
    ['c1', [opened, booked('ada'), booked('bob')]],
    ['c2', [opened]],
  ]);
});

test('the tenth commit comes behind the second one', () => {
  const students = [...'abcdefghijkl'];
  const [...commits] = storedCommits('c1', ...students.map((student) => [booked(student)]));
  expect(readEvents(commits.toReversed(), courses).get('c1')).toEqual(students.map(booked));
});

test('states are those after each event, the last one as the store loads it', async () => {
  const states = readStates([...others, ...course], courses).get('c1');
  expect(states).toEqual([
    { status: 'OPEN', seats: 2, students: [] },
    { status: 'OPEN', seats: 2, students: ['ada'] },
    { status: 'OPEN', seats: 2, students: ['ada', 'bob'] },
  ]);
  for (const commit of course) await store.append(commit);
  expect((await store.load('c1')).state).toEqual(states?.at(-1));
});

test('events of earlier shapes are upcast, as when a function reads them', () => {
  const shape = z.object({ student: z.string(), at: z.string() });
  const upcast = ({ student, at }: z.infer<typeof shape>) => ({ courseId: 'unknown', student, at });
  const contract = {
    service: 'courses',
    events: {
      CourseOpened: courses.contract.events.CourseOpened,
      SeatBooked: { ...courses.contract.events.SeatBooked, version: 2, earlier: { 1: earlierShape(shape, upcast) } },
    },
  } as const;
  expect(readEvents(course, { aggregate: 'Course', contract }).get('c1')?.[1]).toEqual({
    type: 'SeatBooked',
    data: { courseId: 'unknown', student: 'ada', at },
  });
});

test('an event that its contract does not know is an error', () => {
  const [{ events = [], ...commit } = {}] = course;
  const unknown = { ...commit, events: events.map((event) => ({ ...event, type: 'CourseClosed' })) };
  expect(() => readEvents([unknown], courses)).toThrow(ContractViolation);
});
