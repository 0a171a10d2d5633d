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
let hears: ReturnType<InMemoryService['consumer']>;
beforeEach(() => {
  service = new InMemoryService('payments', modelledTables());
  hears = service.consumer([onAccountEvent(service.table)]);
});
const closed = () => isClosed(service.table, 'alice');

test('an account is open until its closing is heard, and a repeat changes nothing', async () => {
  expect(await closed()).toBe(false);
  const closing = message('AccountClosed', { sequence: 3 });
  expect(await hears(closing)).toBe('applied');
  expect(await hears(closing)).toBe('duplicate');
  expect(await closed()).toBe(true);
});

test.each([
  ['AccountClosed', 'AccountReopened', false],
  ['AccountReopened', 'AccountClosed', true],
] as const)('the newest of %s and %s counts, in whatever order they arrive', async (older, newer, wanted) => {
  await hears(message(newer, { sequence: 8 }));
  expect(await hears(message(older, { sequence: 5 }))).toBe('applied');
  expect(await closed()).toBe(wanted);
});

test('after a restore of the accounts, their versions count again', async () => {
  await hears(message('AccountClosed', { sequence: 8 }));
  await hears(message('AccountReopened', { sequence: 5, epoch: 1 }));
  expect(await closed()).toBe(false);
  // What is sent again from before is as old as it is.
  await hears(message('AccountClosed', { sequence: 9 }));
  expect(await closed()).toBe(false);
});
