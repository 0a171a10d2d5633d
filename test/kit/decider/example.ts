// The example of the pattern's README, word for word from here on.

import type { Decider } from '@orderly/kit/decider';
import type { EventOf } from '@orderly/kit/messages';
import * as z from 'zod/mini';

const At = z.iso.datetime();
export const coursesContract = {
  service: 'courses',
  events: {
    CourseOpened: { version: 1, data: z.object({ courseId: z.string(), seats: z.int(), at: At }) },
    SeatBooked: { version: 1, data: z.object({ courseId: z.string(), student: z.string(), at: At }) },
  },
} as const;
export type CourseEvent = EventOf<typeof coursesContract>;

export type Course =
  | { readonly status: 'NONE' }
  | { readonly status: 'OPEN'; readonly seats: number; readonly students: readonly string[] };

export type CourseCommand =
  | { readonly type: 'Open'; readonly courseId: string; readonly seats: number }
  | { readonly type: 'Book'; readonly courseId: string; readonly student: string };

/** A command that a rule of courses forbids. */
export class CourseRefused extends Error {
  constructor(readonly code: 'UNKNOWN_COURSE' | 'FULL') {
    super(code);
  }
}

export const courseDecider: Decider<Course, CourseCommand, CourseEvent> = {
  initialState: { status: 'NONE' },
  evolve: (course, { type, data }) => {
    if (type === 'CourseOpened') return { status: 'OPEN', seats: data.seats, students: [] };
    return course.status === 'NONE' ? course : { ...course, students: [...course.students, data.student] };
  },
  decide: (course, command, { now: at }) => {
    const { courseId } = command;
    if (command.type === 'Open') {
      return course.status === 'NONE' ? [{ type: 'CourseOpened', data: { courseId, seats: command.seats, at } }] : [];
    }
    const { student } = command;
    if (course.status === 'NONE') throw new CourseRefused('UNKNOWN_COURSE');
    if (course.students.includes(student)) return [];
    if (course.students.length >= course.seats) throw new CourseRefused('FULL');
    return [{ type: 'SeatBooked', data: { courseId, student, at } }];
  },
  stateSchema: 1,
};

/** The aggregate without its store. At an entry point: `eventStoreFromEnvironment(courses)`. */
export const courses = { aggregate: 'Course', contract: coursesContract, decider: courseDecider };
