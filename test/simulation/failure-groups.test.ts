import { describe, expect, test, vi } from 'vitest';
import { customersOfOrderly } from '../../lambdas/operations/failure-customers.js';
import { command } from '../../lambdas/operations/program.js';
import { findRunbookPage } from '../../lambdas/operations/runbook.js';
import { listAuditLog } from '../../packages/operator/audit-log/audit-log.js';
import type { Outcome } from '../../packages/operator/cli/outcome.js';
import { listFailureGroups } from '../../packages/operator/groups/list.js';
import { redriveGroup } from '../../packages/operator/groups/redrive.js';
import { Cloud } from '../../packages/simulator/cloud/cloud.js';
import { DynamoDbError } from '../../packages/simulator/services/dynamodb/errors.js';
import { loadSharedDeployment } from '../support/simulation/app-code.js';
import { prodAssembly } from '../support/simulation/assembly.js';
import { createDocumentClient } from '../support/simulation/operator.js';
import { Orderly } from '../support/simulation/orderly.js';
import { orderOf, stocked } from './scenarios/shop.js';

/** Customers of the orders: one has two. */
const CUSTOMERS = ['alice', 'bob', 'carol', 'dave', 'alice'];

const deployment = loadSharedDeployment(prodAssembly());

/** Makes the writes of reservations fail, as a role that lacks a permission does, until it is called. */
function denyingReservations({ dynamodb }: Cloud): () => void {
  const call = dynamodb.call.bind(dynamodb);
  dynamodb.call = (operation, input, ...more) => {
    if (operation === 'TransactWriteItems' && JSON.stringify(input).includes('"Reservation#'))
      throw new DynamoDbError('com.amazon.coral.service#AccessDeniedException', 'not authorized');
    return call(operation, input, ...more);
  };
  return () => {
    dynamodb.call = call;
  };
}

describe('an operator whose consumer could not write for an hour', () => {
  test('sees one cause, sends a probe in vain, mends it, and redrives all: each has its effect once', async () => {
    const cloud = new Cloud(deployment, { seed: 'groups' });
    const orderly = new Orderly(cloud);
    const { world } = cloud;
    const documents = createDocumentClient(cloud);
    /** Runs a command in this process, at the world's time. Its waiting lets the world go on. */
    const at = async (work: () => Promise<Outcome>): Promise<Outcome> => {
      vi.useFakeTimers({ toFake: ['Date'], now: world.now });
      try {
        return await work();
      } finally {
        vi.useRealTimers();
      }
    };
    const clock = { now: () => new Date(world.now).toISOString() };
    const context = {
      app: 'orderly',
      documents,
      clock,
      services: orderly.services,
      command,
      pageOn: findRunbookPage,
      actor: async () => 'olga',
      say: () => {},
      stopped: () => false,
      wait: async (seconds: number) => {
        await world.pass(seconds * 1000);
        vi.setSystemTime(world.now);
      },
    };
    const ways = {
      documents,
      clock,
      send: async (queueUrl: string, body: string, attributes: Readonly<Record<string, string>> = {}) => {
        const consumer = orderly.services
          .flatMap(({ consumers }) => consumers)
          .find((one) => one.queueUrl === queueUrl);
        const sent = Object.entries(attributes).map(([name, StringValue]) => [
          name,
          { DataType: 'String', StringValue },
        ]);
        orderly.findQueue(consumer?.name ?? '').send({ body, attributes: Object.fromEntries(sent) });
      },
      invoke: () => Promise.reject(new Error('no failure of a relay')),
    };
    const groups = () => at(() => listFailureGroups(context, { consumer: undefined }, customersOfOrderly));
    const redrive = (group: string) => at(() => redriveGroup(context, { group, rate: 10, dryRun: false }, ways));

    await stocked(orderly, { 'TEA-1': 50 });
    await orderly.rest();
    const allow = denyingReservations(cloud);
    const orders: string[] = [];
    for (let n = 0; n < 5; n++) {
      const { reply } = await orderly.call(orderOf(CUSTOMERS[n] ?? '', `order-${n}`, ['TEA-1']));
      orders.push(String(reply.body.orderId));
    }
    const { records = '' } = orderly.services.find(({ name }) => name === 'inventory') ?? {};
    const failed = () => orderly.itemsOf(records).filter(({ status }) => status === 'FAILED');
    const subjects = () => new Set(failed().map(({ subject }) => subject));
    for (let minutes = 0; minutes < 120 && subjects().size < orders.length; minutes++) await world.pass(60_000);
    const count = failed().length;

    const found = await groups();
    expect(found.exitCode).toBe(4);
    const [group] = found.json.groups as readonly { id: string; count: number; consumer: string; subjects: object }[];
    expect(found.text).toMatch(
      /^\d+ failures in 1 group, \d+ in the last hour\n\n[0-9a-f]{7} {2}\d+ failures {2}inventory\/inventory-commands\n/,
    );
    // A reservation names its order, and the order its customer.
    const customers = { count: 4, newest: expect.arrayContaining([expect.stringMatching(/^(alice|bob|carol|dave)$/)]) };
    expect(group).toMatchObject({
      count,
      consumer: 'inventory-commands',
      subjects: { count: orders.length },
      customers,
    });
    expect(found.text).toMatch(/\n {2}customers {2}\w+, \w+, \w+ and 1 more\n/);
    const id = group?.id.slice(0, 7) ?? '';

    const probed = await redrive(id);
    // Its consumer tries it several times, and its queue waits in between.
    expect(probed.exitCode).toBe(3);
    expect(probed.text).toMatch(
      /stopped, since the probe has no result within 20 s.*\n {2}sent 1: 0 processed, 0 failed/,
    );
    const hasFailedAgain = () => failed().some(({ failures }) => (failures as readonly unknown[]).length === 2);
    for (let minutes = 0; minutes < 60 && !hasFailedAgain(); minutes++) await world.pass(60_000);
    expect(hasFailedAgain()).toBe(true);

    allow();
    const after = await groups();
    const [same] = after.json.groups as readonly { id: string }[];
    const redriven = await redrive(same?.id ?? '');
    expect(redriven).toMatchObject({ exitCode: 0, json: { redriveGroup: { sent: count, processed: count } } });

    await orderly.rest();
    expect((await groups()).text).toBe('no failures');
    const stock = await orderly.call({ method: 'GET', path: '/stock/TEA-1', as: 'operator' });
    const answers = await Promise.all(
      orders.map((orderId) => orderly.call({ method: 'GET', path: `/orders/${orderId}`, as: 'operator' })),
    );
    // Sagas that gave up meanwhile have released what the redrive reserved for them.
    const reserved = answers.filter(({ reply }) => reply.body.status === 'APPROVED').length;
    expect(stock.reply.body).toMatchObject({ reserved });
    const log = await at(() => listAuditLog(context, { back: 366 * 86_400 }));
    expect((log.json.actions as readonly { result: string }[]).map(({ result }) => result)).toEqual([
      ...Array<string>(count).fill('processed'),
      undefined,
    ]);
  });
});
