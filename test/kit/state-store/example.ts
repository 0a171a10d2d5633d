// The example of the pattern's README, word for word from here on.

import { retryOnConflict, transact } from '@orderly/kit/aws';
import type { EventOf, Trace } from '@orderly/kit/messages';
import { StateStore, type Stored } from '@orderly/kit/state-store';
import * as z from 'zod/mini';

const coursesContract = {
  service: 'courses',
  events: {
    SeatsSet: { version: 1, data: z.object({ courseId: z.string(), seats: z.int() }) },
  },
} as const;

interface Course extends Stored {
  readonly seats: number;
}

const courses = new StateStore<Course, EventOf<typeof coursesContract>>('Course', coursesContract);

/** Sets a course's seats: its state and the commit that publishes the change, in one transaction. */
export const setSeats = (courseId: string, seats: number, trace: Trace): Promise<Course> =>
  retryOnConflict(async () => {
    const before = await courses.read(courseId);
    if (before?.seats === seats) return before;
    const commit = courses.commit(courseId, before, [{ type: 'SeatsSet', data: { courseId, seats } }], trace);
    const after: Course = { version: commit.lastVersion, at: commit.at, seats };
    await transact([courses.appendWrite(commit), courses.stateWrite(courseId, before, after)]);
    return after;
  });
