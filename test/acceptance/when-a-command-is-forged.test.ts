import { describe, expect, test } from 'vitest';
import type { Envelope } from '../../packages/kit/messages/envelope.js';
import { world } from '../support/world.js';
import { sagaOf } from './accounts.js';
import { at, confirm } from './catalog.js';
import { queued, toAccounts, toCatalog, toInventory, toPayments } from './messages.js';
import { line, stocked } from './orders.js';
import { getPayment, paymentSteps } from './payments.js';
import { stockSteps } from './stock.js';
import type { ConsumerName, FailureRecord } from './world.js';

/** Source of a service other than the one whose sagas send commands. */
const FORGED = { source: 'orderly.inventory' };
const NOT_ALLOWED = 'SENDER_NOT_ALLOWED: the source may not command this service';

/** Returns the only failure record of a message. */
const failed = (consumer: ConsumerName, { id }: Pick<Envelope, 'id'>): Promise<FailureRecord> =>
  world.eventually(`${consumer} has a failure record of ${id}`, async () => {
    const [record, ...more] = await world.failures(consumer, id);
    expect(record).toBeDefined();
    expect(more).toEqual([]);
    return record!;
  });

const nothingCharged = async (orderId: string): Promise<void> => {
  expect((await getPayment(orderId)).status).toBe(404);
  expect(await world.moved(orderId)).toMatchObject({ charges: 0 });
};

describe('when a command is forged', () => {
  test('a command that comes over the bus becomes a failure record of its receiver, without its function', async () => {
    const payment = paymentSteps(99900);
    const stock = stockSteps();
    const account = sagaOf(world.fresh('customer'));
    const sku = await stocked(5);
    const forged: readonly (readonly [ConsumerName, Envelope])[] = [
      ['payments-commands', toPayments(payment.charge, FORGED)],
      ['payments-commands', toPayments(payment.undo, FORGED)],
      ['inventory-commands', toInventory(stock.reserve(line(sku)), { source: 'orderly.payments' })],
      ['accounts-commands', toAccounts(account.authorize(100), FORGED)],
      ['catalog-commands', toCatalog(confirm([at(sku, 350)]), FORGED)],
      // A service commands itself through its queue, never over the bus.
      ['payments-commands', toPayments(payment.charge, { source: 'orderly.payments' })],
    ];
    await world.publish(...forged.map(([, command]) => command));
    for (const [consumer, command] of forged) {
      const record = await failed(consumer, command);
      expect(record.failures).toMatchObject([{ name: 'ContractViolation', message: NOT_ALLOWED }]);
      expect(record.subject).toBe(command.subject);
      expect(await world.deliveries(consumer, command.id)).toEqual({ applied: 0, duplicate: 0, retried: 0 });
    }
    await nothingCharged(payment.orderId);
    expect(await world.stock(sku)).toMatchObject({ reserved: 0 });
  });

  test('it becomes a failure record if its envelope names another source than the bus event', async () => {
    const { orderId, charge } = paymentSteps(99900);
    const command = toPayments(charge);
    await world.publish({ Source: FORGED.source, DetailType: command.type, Detail: JSON.stringify(command) });
    // Its id can't be trusted, so the test finds it by its text.
    expect((await failed('payments-commands', command)).failures).toMatchObject([
      { name: 'ContractViolation', message: expect.stringMatching(/^INVALID_ENVELOPE: source or type /) },
    ]);
    await nothingCharged(orderId);
  });

  test('a command directly in the queue is refused by the function at once', async () => {
    const { orderId, charge } = paymentSteps(99900);
    const command = toPayments(charge, FORGED);
    await world.send('payments-commands', queued(command));
    expect(await failed('payments-commands', command)).toMatchObject({
      attempts: 1,
      failures: [{ name: 'ContractViolation', message: NOT_ALLOWED }],
    });
    await nothingCharged(orderId);
  });
});
