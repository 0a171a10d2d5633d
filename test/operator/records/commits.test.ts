import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { readCommits, readCommitsSince } from '../../../packages/operator/records/commits.js';
import { commit, time } from '../../lambdas/operations/facts.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';

const table = { table: 'things' };

test('commits are read oldest first, all of them or back to a moment', async () => {
  const { calls } = inProcessDynamoDb({ things: ['pk', 'sk'] });
  // Over a megabyte: DynamoDB answers in pages.
  const padding = 'x'.repeat(300_000);
  for (let version = 1; version <= 8; version++) {
    const one = { ...commit('Account', version, 'AccountAuthorized', 'm'), at: time(version) };
    await documentClient.send(new PutCommand({ TableName: 'things', Item: { ...one, requestHash: padding } }));
  }
  await documentClient.send(new PutCommand({ TableName: 'things', Item: { pk: 'Account#o1', sk: 'STATE' } }));
  const versionsOf = (commits: Awaited<ReturnType<typeof readCommits>>) =>
    commits.map(({ lastVersion }) => lastVersion);
  expect(versionsOf(await readCommits(documentClient, table, 'Account#o1'))).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  calls.length = 0;
  expect(versionsOf(await readCommitsSince(documentClient, table, 'Account#o1', time(7)))).toEqual([7, 8]);
  // It stops at what is older: an account never ends.
  expect(calls.map(({ operation }) => operation)).toEqual(['Query']);
});
