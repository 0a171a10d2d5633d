import { expect, test } from 'vitest';
import { InMemoryService } from '../../../packages/kit/testing/in-memory-service.js';
import { buildTrace } from '../../support/tally.js';
import { type CourseStore, courses, setSeats } from './example.js';

test("the README's example writes each change once, and nothing where nothing changes", async () => {
  const service = new InMemoryService('courses');
  const courseStore: CourseStore = service.stateStore(courses);
  const versionAfter = async (seats: number) =>
    (await setSeats(courseStore, 'c1', seats, buildTrace('request'))).version;
  expect([await versionAfter(20), await versionAfter(20), await versionAfter(25)]).toEqual([1, 1, 2]);
});
