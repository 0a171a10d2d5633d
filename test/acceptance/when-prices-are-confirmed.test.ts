import { afterEach, describe, expect, test } from 'vitest';
import { needsFaults, world } from '../support/world.js';
import { answerOf, at, checked, confirm, priced } from './catalog.js';
import { queued, toCatalog } from './messages.js';

const CONSUMER = 'catalog-commands';

describe('when prices are confirmed', () => {
  afterEach(() => world.heal());

  test("confirms them if each line has the catalogue's price", async () => {
    const command = confirm([at(await priced(350), 350), at(await priced(0), 0)]);
    const { orderId, stepId } = command.data;
    expect(await checked(command)).toMatchObject([
      {
        type: 'PricesConfirmed',
        subject: `PriceCheck/${orderId}`,
        sequence: 1,
        correlationid: 'scenario',
        actor: 'service:catalog',
        data: { orderId, stepId },
      },
    ]);
  });

  test('refuses them if one has changed, up or down, or to another currency', async () => {
    const [kept, up, down, dollars] = [await priced(1), await priced(2), await priced(3), await priced(4)];
    const lines = [at(kept, 1), at(up, 1), at(down, 4), { sku: dollars, unitPrice: { amount: 4, currency: 'USD' } }];
    expect(await checked(confirm(lines))).toMatchObject([
      { type: 'PricesRefused', data: { reason: 'PRICE_CHANGED', skus: [up, down, dollars] } },
    ]);
  });

  test('refuses them if the catalogue lacks a product, whatever the other prices are', async () => {
    const none = world.fresh('sku');
    expect(await checked(confirm([at(await priced(350), 1), at(none, 1)]))).toMatchObject([
      { type: 'PricesRefused', data: { reason: 'UNKNOWN_PRODUCT', skus: [none] } },
    ]);
  });

  test('repeats the first answer, even if the price has changed meanwhile', async () => {
    const [one, other] = [await priced(350), await priced(350)];
    const [good, bad] = [confirm([at(one, 350)]), confirm([at(other, 400)])];
    await checked(good);
    await checked(bad);
    await priced(400, one);
    await priced(400, other);
    const answer = ({ data: { orderId, stepId } }: typeof good, outcome: object) => [
      { type: 'SagaReplyRequested', sequence: 2, data: { orderId, stepId, ...outcome } },
    ];
    expect(await checked(good)).toMatchObject(answer(good, { outcome: 'DONE' }));
    const refused = { outcome: 'REFUSED', reason: 'PRICE_CHANGED', skus: [other] };
    expect(await checked(bad)).toMatchObject(answer(bad, refused));
  });

  test.runIf(world.makesFaults)(`an order of fifty lines is read in one call ${needsFaults}`, async () => {
    const skus: string[] = [];
    while (skus.length < 50) skus.push(await priced(1));
    const calls = await world.callsDuring(() => checked(confirm(skus.map((sku) => at(sku, 1)))));
    const reads = calls.filter(({ fn, operation }) => fn === 'catalog/on-command' && operation === 'BatchGetItem');
    expect(reads).toHaveLength(1);
  });

  test('five concurrent deliveries of one message, and its retries, are one check', async () => {
    const command = confirm([at(await priced(350), 350)]);
    const [message, ...retries] = [1, 2, 3].map(() => toCatalog(command));
    await world.send(CONSUMER, ...Array.from({ length: 5 }, () => queued(message!)), ...retries.map(queued));
    for (const one of [message!, ...retries]) await answerOf(one);
    await world.eventually('each delivery came to an end', async () => {
      const { applied, duplicate } = await world.deliveries(CONSUMER, message!.id);
      expect(applied + duplicate).toBe(5);
    });
    const events = await world.events({ aggregate: 'PriceCheck', id: command.data.orderId });
    expect(events.map(({ type }) => type)).toEqual(['PricesConfirmed', 'SagaReplyRequested', 'SagaReplyRequested']);
  });

  test('an invalid command becomes a failure', async () => {
    const sku = await priced(350);
    const command = confirm([at(sku, 350)]);
    const twice = { ...command.data, lines: [at(sku, 350), at(sku, 350)] };
    const message = toCatalog(command, { data: twice });
    await world.publish(message);
    await world.eventually('it is recorded', async () => {
      const [record] = await world.failures(CONSUMER, message.id);
      expect(record?.failures[0]?.message).toMatch(/^INVALID_DATA: /);
    });
    expect(await world.commits('PriceCheck', command.data.orderId)).toEqual([]);
  });

  test.runIf(world.makesFaults)(
    `crashes between the write and its acknowledgement: there is one answer ${needsFaults}`,
    async () => {
      const message = toCatalog(confirm([at(await priced(350), 350)]));
      await world.crash('catalog/on-command', 'afterWrite', { including: message.id });
      await world.publish(message);
      await world.faultsMet();
      await world.eventually('it was delivered again', async () => {
        expect(await world.deliveries(CONSUMER, message.id)).toMatchObject({ applied: 0, duplicate: 1 });
      });
      expect(await answerOf(message)).toMatchObject([{ type: 'PricesConfirmed' }]);
    },
  );
});
