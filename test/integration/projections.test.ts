import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { command } from '../../lambdas/operations/program.js';
import { servicesIn } from '../../packages/operator/deployment/services.js';
import { projectionNamed, projectionsOf } from '../../packages/operator/projections/projections.js';
import { type RebuildOrder, rebuild } from '../../packages/operator/projections/rebuild.js';
import { run } from '../../tools/operator/command-line.js';
import { line, placed } from '../acceptance/orders.js';
import { world } from '../support/world.js';

const { endpoint, region, outputs } = inject('deployed');

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

/**
 * Runs a rebuild until it has switched or refused. Then a minute passes before the old rows are deleted; the
 * simulator's clock covers that.
 */
async function rebuiltUpToItsWait(name: string, action: RebuildOrder['action']) {
  const context = { endpoint: { url: endpoint, region }, services: servicesIn(outputs) };
  const projection = projectionNamed(projectionsOf(context), name);
  let waits = false;
  const wait = async () => {
    waits = true;
  };
  const rebuildContext = { command, say: () => undefined, wait, stopped: () => waits };
  const { json } = await rebuild(projection, { action }, rebuildContext);
  return JSON.parse(JSON.stringify(json)).rebuild;
}

interface Page {
  readonly items: readonly { readonly orderId: string }[];
  readonly nextCursor?: string;
}

test('an operator rebuilds a list while orders come, and readers continue to page from their position', async () => {
  const customer = world.fresh('customer');
  const place = async () => (await placed([line(world.fresh('sku'))], { as: { customer } })).orderId;
  const list = async (query: string) =>
    (await world.call<Page>({ method: 'GET', path: `/orders?${query}`, as: { customer } })).body;
  const ids = [await place(), await place(), await place()];
  for (const id of ids) await world.settled(id);
  const first = await list('limit=1');
  expect(first.items.map(({ orderId }) => orderId)).toEqual([ids[2]]);

  const { found: old } = await orderly('projections', 'show', 'orders-list');
  const rebuilding = rebuiltUpToItsWait('orders-list', 'rebuild');
  const during = [await place(), await place()];
  const built = await rebuilding;
  expect(built.rebuild.phase).toBe('DELETE');
  expect(built.versions).toEqual({ reads: old.projection.versions.last + 1, last: old.projection.versions.last + 1 });
  expect(built.rebuild.counts.aggregates).toBeGreaterThanOrEqual(3);

  for (const id of during) await world.settled(id);
  const second = await list(`limit=2&cursor=${first.nextCursor}`);
  expect(second.items.map(({ orderId }) => orderId)).toEqual([ids[1], ids[0]]);
  const all = await list('limit=100');
  expect(all.items.map(({ orderId }) => orderId).toSorted()).toEqual([...ids, ...during].toSorted());

  const { found: both } = await orderly('projections', 'list');
  expect(both.projections.map(({ name }: { name: string }) => name)).toEqual(['accounts-exhausted', 'orders-list']);
});

test('an operator checks the view of exhausted credit', async () => {
  const customer = world.fresh('customer');
  const limit = await world.call({
    method: 'PUT',
    path: `/accounts/${customer}/credit-limit`,
    as: 'operator',
    body: { creditLimit: { amount: 0, currency: 'EUR' } },
  });
  expect(limit.status).toBe(200);
  const { rebuild, versions } = await rebuiltUpToItsWait('accounts-exhausted', 'check');
  expect(rebuild).toMatchObject({ phase: 'DELETE', counts: { differences: 0 } });
  expect(versions.builds).toBeUndefined();
  const { body } = await world.call<{ items: readonly { customerId: string }[] }>({
    method: 'GET',
    path: '/accounts?creditExhausted=true&limit=100',
    as: 'operator',
  });
  expect(body.items.map(({ customerId }) => customerId)).toContain(customer);
});
