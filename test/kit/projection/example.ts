import { type Course, coursesContract } from '../decider/example.js';
import { courseStore } from '../event-store/example.js';

// The example of the pattern's README, word for word from here on.

import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { documentClient } from '@orderly/kit/aws';
import { consumer, onEvery } from '@orderly/kit/idempotent-consumer';
import { subscribeToAll } from '@orderly/kit/messages';
import { type Projection, readVersions, rebuilder, updateProjection, versionedKey } from '@orderly/kit/projection';

/** `courses-list.ts`: a row for each course. */
const courseList: Projection<Course> = {
  name: 'courses-list',
  table: courseStore.table,
  aggregate: courseStore.aggregate,
  store: courseStore,
  partitions: 'COURSES#',
  versionedKeys: ['sk'],
  row: ({ id, state, version }) =>
    state.status === 'NONE'
      ? undefined
      : { pk: 'COURSES#all', sk: `COURSE#${id}`, version, free: state.seats - state.students.length },
  idOf: ({ sk }) => sk.slice('COURSE#'.length),
};

/** `courses-projection.lambda.ts`: any event of a course shows its newest state. */
export const handler = consumer([
  onEvery(subscribeToAll(coursesContract), ({ event: { data } }) => ({
    project: async () => updateProjection(courseList, await courseStore.load(data.courseId)),
  })),
]);

/** `rebuild-courses.lambda.ts` */
export const rebuild = rebuilder(courseList);

/** Reads the list from the version that is current. */
export async function coursesOf(limit: number) {
  const { reads } = await readVersions(courseList, 'soon');
  const query = new QueryCommand({
    TableName: courseList.table,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :courses)',
    ExpressionAttributeValues: { ':pk': 'COURSES#all', ':courses': versionedKey('COURSE#', reads) },
    Limit: limit,
  });
  return (await documentClient.send(query)).Items ?? [];
}
