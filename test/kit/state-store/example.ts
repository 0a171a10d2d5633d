// The example of the pattern's README, word for word from here on.

import { retryOnConflict } from '@orderly/kit/aws';
import type { EventOf, Trace } from '@orderly/kit/messages';
import type { StateStore, Stored } from '@orderly/kit/state-store';
import * as z from 'zod/mini';

const coursesContract = {
  service: 'courses',
  events: {
    SeatsSet: { version: 1, data: z.object({ courseId: z.string(), seats: z.int() }) },
  },
} as const;

export interface Course extends Stored {
  readonly seats: number;
}

/** The declaration. An entry point binds it to its table by `stateStoreFromEnvironment(courses)`. */
export const courses = { aggregate: 'Course', contract: coursesContract };
export type CourseStore = StateStore<Course, EventOf<typeof coursesContract>>;

/** Sets a course's seats: its state and the commit that publishes the change, in one transaction. */
export const setSeats = (courseStore: CourseStore, courseId: string, seats: number, trace: Trace): Promise<Course> =>
  retryOnConflict(async () => {
    const before = await courseStore.read(courseId);
    if (before?.seats === seats) return before;
    const commit = courseStore.buildCommit(courseId, before, [{ type: 'SeatsSet', data: { courseId, seats } }], trace);
    const after: Course = { version: commit.lastVersion, at: commit.at, seats };
    const writes = [courseStore.appendWrite(commit), courseStore.stateWrite(courseId, before, after)];
    await courseStore.table.transact(writes);
    return after;
  });
