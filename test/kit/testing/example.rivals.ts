import { courses } from '../decider/example.js';

// The example of the pattern's README, word for word from here on.

import { readStates } from '@orderly/kit/testing';
import { type Cloud, jsonClient, type Violation } from '@orderly/simulator';

/** Students book the last seats of a course at once, and one of them sends the request twice. */
export async function bookAtOnce(cloud: Cloud): Promise<readonly Violation[]> {
  const clientOf = (sub: string) => jsonClient(cloud, { sub, role: 'student' });
  const [ada, bob, eve] = [clientOf('ada'), clientOf('bob'), clientOf('eve')];
  for (const rival of [ada, bob, eve, ada])
    rival.begin({ method: 'POST', path: '/courses/c1/seats', headers: { 'Idempotency-Key': 'c1' }, body: {} });
  await cloud.world.settle();
  return [...readStates(cloud.listItems('Courses/Outbox/Table'), courses)].flatMap(([id, states]) =>
    states.some((state) => state.status === 'OPEN' && state.students.length > state.seats)
      ? { invariant: 'no course is overbooked', detail: id }
      : [],
  );
}
