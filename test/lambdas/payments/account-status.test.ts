import { beforeEach, expect, test } from 'vitest';
import { type AccountEvent, accountsContract } from '../../../lambdas/accounts/contract.js';
import { isClosed } from '../../../lambdas/payments/account-status.js';
import { onAccountEvent } from '../../../lambdas/payments/on-account-event.js';
import { InMemoryService } from '../../../packages/kit/testing/in-memory-service.js';
import { eventMessage, type MessageFields } from '../../../packages/kit/testing/messages.js';
import { modelledTables } from '../../support/modelled-tables.js';

/** Copies of accounts in this service, in tables of the simulator's model. */

const data = { customerId: 'alice', at: '2026-03-01T00:00:00.000Z' };
const message = (type: 'AccountClosed' | 'AccountReopened', fields: MessageFields) =>
  eventMessage(accountsContract, { type, data } satisfies AccountEvent, fields);
let service: InMemoryService;
let receives: ReturnType<InMemoryService['consumer']>;
beforeEach(() => {
  service = new InMemoryService('payments', modelledTables());
  receives = service.consumer([onAccountEvent(service.table)]);
});
const closed = () => isClosed(service.table, 'alice');

test('an account is open until the event of its closing, and a repeat changes nothing', async () => {
  expect(await closed()).toBe(false);
  const closing = message('AccountClosed', { sequence: 3 });
  expect(await receives(closing)).toBe('applied');
  expect(await receives(closing)).toBe('duplicate');
  expect(await closed()).toBe(true);
});

test.each([
  ['AccountClosed', 'AccountReopened', false],
  ['AccountReopened', 'AccountClosed', true],
] as const)('the newest of %s and %s counts, in whatever order they arrive', async (older, newer, wanted) => {
  await receives(message(newer, { sequence: 8 }));
  expect(await receives(message(older, { sequence: 5 }))).toBe('applied');
  expect(await closed()).toBe(wanted);
});

test('versions of accounts count again after a restore of the accounts', async () => {
  await receives(message('AccountClosed', { sequence: 8 }));
  await receives(message('AccountReopened', { sequence: 5, epoch: 1 }));
  expect(await closed()).toBe(false);
  // What is sent again from before is as old as it is.
  await receives(message('AccountClosed', { sequence: 9 }));
  expect(await closed()).toBe(false);
});
