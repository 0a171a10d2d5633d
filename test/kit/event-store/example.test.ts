import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { clock } from '../../../packages/kit/aws/clock.js';
import { Env } from '../../../packages/kit/aws/environment.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { buildTrace } from '../../support/tally.js';

beforeAll(() => {
  vi.stubEnv(Env.TABLE, 'courses');
  vi.stubEnv(Env.FEED_SHARDS, JSON.stringify([{ from: '1970-01-01T00:00:00.000Z', shards: 8 }]));
  vi.stubEnv(Env.EPOCH, '0');
});
afterAll(() => {
  vi.unstubAllEnvs();
});

test("the README's example books a seat once, and returns its holder", async () => {
  inProcessDynamoDb({ courses: ['pk', 'sk'] });
  const { bookSeat, courseStore, studentsAt } = await import('./example.js');
  const trace = buildTrace('request');
  const opened = { type: 'CourseOpened', data: { courseId: 'c1', seats: 2, at: clock.now() } } as const;
  await courseStore.append(courseStore.buildCommit(await courseStore.load('c1'), [opened], trace));
  const versionAfter = async (student: string) => (await bookSeat('c1', student, trace)).version;
  expect([await versionAfter('ada'), await versionAfter('ada'), await versionAfter('bob')]).toEqual([2, 2, 3]);
  expect(await studentsAt('c1', clock.now())).toEqual(['ada', 'bob']);
  expect(await studentsAt('c1', '2020-01-01T00:00:00.000Z')).toEqual([]);
});
