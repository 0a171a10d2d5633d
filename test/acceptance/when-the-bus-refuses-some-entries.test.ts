import { afterEach, describe, expect, test } from 'vitest';
import { needsFaults, world } from '../support/world.js';
import { get, line, placed, stocked } from './orders.js';

afterEach(() => world.heal());

describe.skipIf(!world.makesFaults)(`when the bus refuses some entries ${needsFaults}`, () => {
  for (const errorCode of ['InternalFailure', 'ThrottlingException']) {
    test(`sends them again after ${errorCode}; other entries don't wait for them`, async () => {
      const [refused, other] = [await stocked(10), await stocked(10)];
      await world.failEntries({ detailType: 'OrderPlaced', including: refused }, { errorCode, times: 4 });
      const [late, prompt] = await Promise.all([placed([line(refused)]), placed([line(other)])]);
      await world.settled(prompt.orderId);
      await world.settled(late.orderId);
      for (const { orderId } of [late, prompt]) {
        expect((await get(orderId)).body).toMatchObject({ status: 'APPROVED', version: 2 });
      }
      expect(await world.stock(refused)).toMatchObject({ reserved: 1 });
    });
  }

  test('an entry that the bus will never accept becomes a failure record, and no other entry waits', async () => {
    const [hopeless, other] = [await stocked(10), await stocked(10)];
    const match = { detailType: 'OrderPlaced', including: hopeless };
    await world.failEntries(match, { errorCode: 'MalformedDetail', times: 1 });
    const lost = await placed([line(hopeless)]);
    const prompt = await placed([line(other)]);
    await world.settled(prompt.orderId);

    const [failure, ...more] = await world.eventually('the relay has a failure record', async () => {
      const found = await world.failures('orders/relay', lost.orderId);
      expect(found).not.toHaveLength(0);
      return found;
    });
    expect(more).toEqual([]);
    expect(failure).toMatchObject({
      status: 'FAILED',
      messageId: `Order#${lost.orderId}/COMMIT#0000000001`,
      failures: [{ name: 'Unsendable', message: 'MalformedDetail' }],
    });
    expect(failure).not.toHaveProperty('expiresAt');
    expect(failure!.payload).toContain(hopeless);
    expect((await get(lost.orderId)).body.status).toBe('PENDING');
  });

  test('a relay without permission to publish fails as a whole, and sends everything once permitted', async () => {
    const sku = await stocked(10);
    await world.failEntries({ including: sku }, { errorCode: 'NotAuthorizedForSource', times: 2 });
    const { orderId } = await placed([line(sku)]);
    await world.settled(orderId);
    expect((await get(orderId)).body).toMatchObject({ status: 'APPROVED', version: 2 });
    expect(await world.failures('orders/relay', orderId)).toEqual([]);
  });

  test("sends the other service's entries again in the same way", async () => {
    const sku = await stocked(10);
    const match = { detailType: 'StockReserved', including: sku };
    await world.failEntries(match, { errorCode: 'InternalFailure', times: 3 });
    const { orderId } = await placed([line(sku)]);
    await world.settled(orderId);
    expect((await get(orderId)).body).toMatchObject({ status: 'APPROVED', version: 2 });
  });
});
