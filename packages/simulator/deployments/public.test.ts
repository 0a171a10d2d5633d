import { expect, test } from 'vitest';
import { Account, cdkDeployAll, playMixedSets, readStacks } from '../index.js';
import { TICKETS, writeTicketRelease } from '../support/ticket-releases.js';

test('a user of the package deploys one assembly over another, and plays work in each set between them', async () => {
  const [before, after] = [writeTicketRelease(), writeTicketRelease({ queue: 'Tasks' })];
  const account = new Account();
  const first = cdkDeployAll(account, readStacks(before));
  expect(first.map(({ stack, status }) => [stack, status])).toEqual([
    ['Shop', 'CREATE_COMPLETE'],
    ['Desk', 'CREATE_COMPLETE'],
  ]);
  account.fill('Desk', 'Queue', 2);
  const deleted = cdkDeployAll(account, readStacks(after)).flatMap(({ changes }) =>
    changes.filter(({ action }) => action === 'delete'),
  );
  expect(deleted).toMatchObject([{ stack: 'Desk', logicalId: 'Queue', contents: 2 }]);
  const { troubles } = await playMixedSets({ before, after }, TICKETS);
  expect(new Set(troubles.map(({ kind }) => kind))).toEqual(new Set(['lost']));
});
