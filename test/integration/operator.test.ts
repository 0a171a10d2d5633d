import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Envelope } from '../../packages/kit/messages/envelope.js';
import { run } from '../../tools/operator/command-line.js';
import { queued, toInventory } from '../acceptance/messages.js';
import { line, placed, stocked } from '../acceptance/orders.js';
import { stockSteps } from '../acceptance/stock.js';
import { world } from '../support/world.js';

const { endpoint, region } = inject('deployed');

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
  const err: string[] = [];
  const code = await run([...args, '--yes'], { out: (text) => out.push(text), err: (text) => err.push(text) });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

/** Runs the command with `--json`, and returns its one object. */
async function asked(...args: string[]) {
  const { code, out } = await orderly(...args, '--json');
  return { code, found: JSON.parse(out) };
}

const ownFailures = async (including: string) => {
  const { found } = await asked('failures', 'list');
  return found.failures.filter(({ messageId }: { messageId: string }) => messageId.includes(including));
};

/** A consumer, and a saga's step that it accepts. */
const CONSUMER = 'inventory-commands';
const stepFor = (sku: string, change: Partial<Envelope> = {}): Envelope =>
  toInventory(stockSteps().reserve(line(sku)), change);

/** Waits until a failure is recorded. One query asks for it; the command line makes one for each consumer. */
const recorded = (of: typeof CONSUMER | 'orders/relay', id: string) =>
  world.eventually(`${id} is recorded`, async () => expect(await world.failures(of, id)).toHaveLength(1));

/** Puts a message into the consumer's queue and waits until it is recorded as failed. */
async function failing(step: Envelope): Promise<string> {
  await world.send(CONSUMER, queued(step));
  await recorded(CONSUMER, step.id);
  return step.id;
}

describe('an order that is done', () => {
  const clientReference = world.fresh('secret');
  const customer = world.fresh('customer');
  let orderId = '';

  beforeAll(async () => {
    ({ orderId } = await placed([line(await stocked(1))], { as: { customer }, clientReference }));
    await world.settled(orderId);
  });

  test('orderly order shows where a completed order is, but not whose it is', async () => {
    const { code, found } = await asked('order', orderId);
    expect(code).toBe(0);
    expect(found).toMatchObject({
      orderId,
      order: { status: 'APPROVED', version: 2 },
      listedVersion: 2,
      sagas: [{ saga: 'CreateOrderSaga', id: orderId, status: 'COMPLETED' }],
      doneTwice: [],
      verdict: { state: 'complete' },
    });
    const deliveries = found.events.flatMap(({ type, deliveries }: Told) =>
      deliveries.map(({ consumer, state }) => `${type} -> ${consumer}: ${state}`),
    );
    expect(deliveries.toSorted()).toEqual([
      'AccountAuthorized -> accounts-exhausted: unjudged',
      'AccountAuthorized -> orders-saga: processed',
      'AccountAuthorized -> rewards-accounts: processed',
      'AccountOpened -> accounts-exhausted: unjudged',
      'AccountOpened -> rewards-accounts: processed',
      'AuthorizationCaptured -> accounts-exhausted: unjudged',
      'AuthorizationCaptured -> rewards-accounts: processed',
      'AuthorizeAccount -> accounts-commands: processed',
      'ChargePayment -> payments-commands: processed',
      'ConfirmPrices -> catalog-commands: processed',
      'CreditSettled -> accounts-exhausted: unjudged',
      'CreditSettled -> rewards-accounts: processed',
      'OrderApproved -> accounts-orders: processed',
      'OrderApproved -> orders-list: processed',
      'OrderApproved -> reports-daily: collected',
      'OrderPlaced -> baskets-orders: processed',
      'OrderPlaced -> orders-list: processed',
      'OrderPlaced -> orders-saga: processed',
      'OrderPlaced -> reports-daily: collected',
      'PaymentCharged -> accounts-payments: processed',
      'PaymentCharged -> reports-daily: collected',
      'PaymentPrepared -> payments-provider: processed',
      'PaymentRequested -> payments-provider: processed',
      'PricesConfirmed -> orders-saga: processed',
      'ReserveStock -> inventory-commands: processed',
      'SagaReplyRequested -> orders-saga: processed',
      'StockReserved -> orders-saga: processed',
    ]);

    const { out } = await orderly('order', orderId);
    expect(out).toMatch(
      /^complete: 23 events, 4 commands, 20 deliveries processed, nothing twice; 3 collected until their windows close\norder .*APPROVED, version 2[\s\S]*\nits saga completed /,
    );
    for (const text of [out, JSON.stringify(found)]) {
      expect(text).not.toContain(clientReference);
      expect(text).not.toContain(customer);
    }
    const payload = (await orderly('order', orderId, '--payload')).out;
    expect(payload).toContain(customer);
    // A command that shows events decrypts nothing: `person export` does that.
    expect(payload).not.toContain(clientReference);
  });

  test('orderly audit finds that every delivery of a completed order is processed, also in the projections', async () => {
    const { code, found } = await asked('audit', '--subject', `Order/${orderId}`, '--grace', '0s');
    expect({ code, missing: found.audit.missing }).toEqual({ code: 0, missing: [] });
    expect(found.audit.deliveries).toMatchObject({ missing: 0, failed: 0, 'too new': 0 });
    expect(found.audit.deliveries.processed).toBeGreaterThan(3);
  });
});

interface Told {
  readonly type: string;
  readonly deliveries: readonly { readonly consumer: string; readonly state: string }[];
}

test('orderly runs through the npm script, with its exit code', async () => {
  const script = fileURLToPath(new URL('../../tools/run.mjs', import.meta.url));
  const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
    const env = { ...process.env, AWS_REGION: region };
    execFile(process.execPath, [script, 'orderly', 'order', 'nobody'], { env }, (error, _, stderr) =>
      resolve({ code: error?.code, stderr }),
    );
  });
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("There is no order 'nobody'.") });
});

describe('orderly failures', () => {
  test('keeps both reasons of a message that fails again; once discarded, a late copy is recognised', async () => {
    const secret = world.fresh('secret');
    const whole = stepFor('sku');
    const broken = { ...whole, data: { customerId: secret } };
    const id = await failing(broken);

    const shown = await asked('failures', 'show', CONSUMER, id);
    expect(shown.found.failure).toMatchObject({
      status: 'FAILED',
      redrivable: true,
      failures: [{ name: 'ContractViolation' }],
    });
    expect(JSON.stringify(shown.found)).not.toContain(secret);
    expect((await orderly('failures', 'show', CONSUMER, id, '--payload')).out).toContain(secret);

    const dry = await asked('failures', 'redrive', CONSUMER, id, '--dry-run');
    expect(dry).toMatchObject({ code: 0, found: { redrive: { result: 'dry-run' } } });
    const again = await asked('failures', 'redrive', CONSUMER, id);
    expect(again).toMatchObject({ code: 4, found: { redrive: { result: 'failed-again' } } });
    const { found } = await asked('failures', 'show', CONSUMER, id);
    expect(found.failure.failures).toHaveLength(2);

    expect((await orderly('failures', 'discard', CONSUMER, id, '--reason', 'a test', '--dry-run')).code).toBe(0);
    expect(await ownFailures(id)).toHaveLength(1);
    expect((await orderly('failures', 'discard', CONSUMER, id, '--reason', 'a test')).code).toBe(0);
    expect(await ownFailures(id)).toEqual([]);

    // A discarded message is not processed any more, even in a valid form.
    await world.send(CONSUMER, queued(broken), queued(whole));
    await world.eventually('both late deliveries are duplicates', async () =>
      expect((await world.deliveries(CONSUMER, id)).duplicate).toBe(2),
    );
    expect((await asked('failures', 'show', CONSUMER, id)).found.failure).toMatchObject({
      status: 'DISCARDED',
      discardReason: 'a test',
      discardedBy: expect.any(String),
      discardedAt: expect.any(String),
    });
    const redriven = await asked('failures', 'redrive', CONSUMER, id);
    expect(redriven).toMatchObject({ code: 1, found: { error: { code: 'refused' } } });
  });
});

describe('orderly person', () => {
  const deliverTo = { name: 'Ada', street: '12 Main St', city: 'London', postalCode: 'SW1Y', country: 'GB' };

  test('export returns all data of a person, and forget erases the personal data for ever', async () => {
    const customer = world.fresh('customer');
    const { orderId } = await placed([line(await stocked(1))], { as: { customer }, deliverTo });
    await world.settled(orderId);
    const addressIn = (found: { aggregates: { events: { data: { deliverTo?: object } }[] }[] }) =>
      found.aggregates.flatMap(({ events }) => events.flatMap(({ data }) => data.deliverTo ?? []));
    const before = await asked('person', 'export', customer);
    expect(before).toMatchObject({ code: 0, found: { person: customer, personalData: { state: 'has a key' } } });
    expect(addressIn(before.found)).toEqual([deliverTo]);

    const tried = await asked('person', 'forget', customer, '--dry-run');
    expect(tried).toMatchObject({ code: 0, found: { forget: { person: customer, result: 'dry-run' } } });
    expect(addressIn((await asked('person', 'export', customer)).found)).toEqual([deliverTo]);

    const done = await asked('person', 'forget', customer);
    expect(done).toMatchObject({ code: 0, found: { forget: { person: customer, result: 'forgotten' } } });
    expect((await asked('person', 'forget', customer)).found.forget.result).toBe('forgotten-before');
    const after = await asked('person', 'export', customer);
    expect(after.found.personalData.state).toBe('forgotten');
    expect(addressIn(after.found)).toEqual([{ forgotten: true }]);
  });
});
