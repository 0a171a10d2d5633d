import { courses } from '../decider/example.js';

// The example of the pattern's README, word for word from here on.

import { clock, retryOnConflict } from '@orderly/kit/aws';
import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import type { Trace } from '@orderly/kit/messages';

/** The store of the aggregate, in the table of this function's service. */
export const courseStore = eventStoreFromEnvironment(courses);

/** Books a seat. Of two writers at one version one wins; the other loads and decides again. */
export const bookSeat = (courseId: string, student: string, trace: Trace) =>
  retryOnConflict(async () => {
    const before = await courseStore.load(courseId);
    const command = { type: 'Book', courseId, student } as const;
    const events = courseStore.decider.decide(before.state, command, { now: clock.now() });
    if (events.length === 0) return before;
    const commit = courseStore.buildCommit(before, events, trace);
    await courseStore.append(commit);
    return courseStore.applyCommit(before, commit);
  });

/** The students of a course at a time (ISO 8601, UTC, with milliseconds). */
export async function studentsAt(courseId: string, at: string): Promise<readonly string[]> {
  const course = await courseStore.loadAt(courseId, at);
  return course?.state.status === 'OPEN' ? course.state.students : [];
}
