import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { run } from '../../tools/operator/run.js';
import { line, placed } from '../acceptance/orders.js';
import { world } from '../support/world.js';

const { endpoint } = inject('deployed');
/** A rebuild waits a minute before it deletes: both do at once. */
const LONG = 300_000;

let before: string | undefined;
beforeAll(() => {
  before = process.env.ORDERLY_ENDPOINT;
  process.env.ORDERLY_ENDPOINT = endpoint ?? 'aws';
});
afterAll(() => {
  if (before === undefined) delete process.env.ORDERLY_ENDPOINT;
  else process.env.ORDERLY_ENDPOINT = before;
});

async function orderly(...args: string[]) {
  const out: string[] = [];
  const code = await run([...args, '--json'], { out: (text) => out.push(text), err: () => undefined });
  return { code, found: JSON.parse(out.join('\n')) };
}

interface Page {
  readonly items: readonly { readonly orderId: string }[];
  readonly nextCursor?: string;
}

test.concurrent('a list is rebuilt by the operator while orders come, and whoever pages through it goes on where they were', {
  timeout: LONG,
}, async () => {
  const customer = world.fresh('customer');
  const place = async () => (await placed([line(world.fresh('sku'))], { as: { customer } })).orderId;
  const list = async (query: string) =>
    (await world.call<Page>({ method: 'GET', path: `/orders?${query}`, as: { customer } })).body;
  const ids = [await place(), await place(), await place()];
  for (const id of ids) await world.settled(id);
  const first = await list('limit=1');
  expect(first.items.map(({ orderId }) => orderId)).toEqual([ids[2]]);

  const { found: old } = await orderly('projections', 'show', 'orders-list');
  const rebuilding = orderly('projections', 'rebuild', 'orders-list');
  const during = [await place(), await place()];
  const { code, found } = await rebuilding;
  expect({ code, result: found.rebuild.result }).toEqual({ code: 0, result: 'done' });
  expect(found.rebuild.versions).toEqual({
    reads: old.projection.versions.last + 1,
    last: old.projection.versions.last + 1,
  });
  expect(found.rebuild.rebuild.counts.aggregates).toBeGreaterThanOrEqual(3);

  for (const id of during) await world.settled(id);
  const second = await list(`limit=2&cursor=${first.nextCursor}`);
  expect(second.items.map(({ orderId }) => orderId)).toEqual([ids[1], ids[0]]);
  const all = await list('limit=100');
  expect(all.items.map(({ orderId }) => orderId).toSorted()).toEqual([...ids, ...during].toSorted());

  const { found: both } = await orderly('projections', 'list');
  expect(both.projections.map(({ name }: { name: string }) => name)).toEqual(['accounts-exhausted', 'orders-list']);
});

test.concurrent('the view of used-up credit is checked, and nothing of the check is left', {
  timeout: LONG,
}, async () => {
  const customer = world.fresh('customer');
  const limit = await world.call({
    method: 'PUT',
    path: `/accounts/${customer}/credit-limit`,
    as: 'operator',
    body: { creditLimit: { amount: 0, currency: 'EUR' } },
  });
  expect(limit.status).toBe(200);
  const { code, found } = await orderly('projections', 'rebuild', 'accounts-exhausted', '--check');
  expect({ code, counts: found.rebuild.rebuild.counts }).toMatchObject({ code: 0, counts: { differences: 0 } });
  expect(found.rebuild.versions.builds).toBeUndefined();
  const { body } = await world.call<{ items: readonly { customerId: string }[] }>({
    method: 'GET',
    path: '/accounts?creditExhausted=true&limit=100',
    as: 'operator',
  });
  expect(body.items.map(({ customerId }) => customerId)).toContain(customer);
});
