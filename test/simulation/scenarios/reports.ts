import { ordersContract } from '../../../lambdas/orders/contract.js';
import { createDays } from '../../../lambdas/reports/days.js';
import { settingsFor } from '../../../lib/settings.js';
import { eventMessage } from '../../../packages/kit/testing/messages.js';
import type { Cloud } from '../../../packages/simulator/cloud/cloud.js';
import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { toQueueBody } from '../../support/consumed.js';
import { type Answered, type Call, Orderly } from '../../support/simulation/orderly.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { violation } from '../invariants/violation.js';
import { DAY, HOUR, placed, stocked } from './shop.js';

const { timeZone, closeAfter } = settingsFor('prod').reports;
const { windows, closesAt } = createDays({ timeZone, closeAfterSeconds: closeAfter.toSeconds() });

/** More than one page. */
const CHARGES = 21;

/** Publishes that money moved, by payments that only this scenario knows: reports alone hear of it. */
function moved(cloud: Cloud, type: 'PaymentCharged' | 'PaymentRefunded', id: string, time: number): void {
  const amount = { amount: 100 + id.length, currency: id.includes('5') ? 'USD' : 'EUR' };
  const detail = {
    specversion: '1.0',
    id,
    source: 'orderly.payments',
    type,
    subject: `Payment/${id}`,
    time: new Date(time).toISOString(),
    dataschema: `urn:orderly:payments:${type}:1`,
    data: { paymentId: id, amount, ...(type === 'PaymentRefunded' ? { refundId: 'r' } : {}) },
    sequence: 1,
    epoch: 0,
    correlationid: id,
    causationid: id,
    traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
    actor: 'service:payments',
    messagegroup: id,
  };
  const [, name] = [...cloud.deployment.assembly.outputs].find(([key]) => key.endsWith('-Platform.BusName')) ?? [];
  cloud.events.put(cloud.events.busName(String(name)) ?? '', { source: detail.source, detailType: type, detail });
}

/** Brings an event of the orders whose id a payment's event has, too: its publisher numbers its events by itself. */
function approved(orderly: Orderly, id: string, time: number): void {
  const event = { type: 'OrderApproved', data: { orderId: id, customerId: 'alice' } };
  const fields = { id, source: 'orderly.orders', subject: `Order/${id}`, time: new Date(time).toISOString() };
  orderly.findQueue('reports-daily').send({ body: toQueueBody(eventMessage(ordersContract, event, fields)) });
}

const get = (path: string): Call => ({ method: 'GET', path, as: 'operator' });

/**
 * Three days: one of two pages, with an order; one whose only event is late from the first; one without events. A message
 * comes again on a later day. An operator reads the reports while the first one is being made, and in the end.
 */
export const dailyReports: Scenario = {
  name: 'daily-reports',
  faultProbability: 0.01,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud, ['reports']);
    const begun = world.now;
    const first = windows.idOf(new Date(begun).toISOString());
    const [second, third] = [windows.next(first), windows.next(windows.next(first))];
    const at = (time: number, happens: () => void) => world.after(time - world.now, happens);
    orderly.awaitDays(Date.parse(closesAt(third)));
    const closed = Date.parse(closesAt(first));
    for (const minutes of [1, 2, 3]) at(closed + minutes * 60_000, () => orderly.begin(get(pathOf(first))));
    // After the first day has closed, and before the second one does.
    at(closed + 6 * HOUR, () => moved(cloud, 'PaymentCharged', 'late', begun));
    at(closed + DAY + HOUR, () => moved(cloud, 'PaymentCharged', 'charge-1', begun));
    await stocked(orderly, { 'TEA-1': 5 });
    await placed(orderly, 'alice', 'key');
    for (let number = 1; number <= CHARGES; number++) {
      world.after(Math.ceil(number / 7) * 1_000, () => moved(cloud, 'PaymentCharged', `charge-${number}`, world.now));
    }
    moved(cloud, 'PaymentRefunded', 'refund', begun);
    approved(orderly, 'refund', begun);
    await orderly.rest();
    const shown = await Promise.all([first, second, third].map((date) => orderly.call(get(pathOf(date)))));
    const listed = await orderly.call(get('/reports/daily?limit=2'));
    await orderly.rest();
    return [...asExpected(cloud, shown), ...listedAsShown(listed, shown), ...brokenPromises(orderly)];
  },
};

const pathOf = (date: string): string => `/reports/daily/${date}`;

/** Every day is reported in the end; without a fault, with exactly its own events. */
function asExpected(cloud: Cloud, shown: readonly Answered[]): readonly Violation[] {
  const told = shown.map(({ reply: { status, body } }) => {
    const late = body.late as { events: number } | undefined;
    return `${status} number ${String(body.number)}, ${String(body.events)} events, ${String(late?.events)} late`;
  });
  // The order: placed, charged, approved. The refund, and the approval that has its id.
  const expected = [
    `200 number 1, ${CHARGES + 5} events, 0 late`,
    '200 number 2, 1 events, 1 late',
    '200 number 3, 0 events, 0 late',
  ];
  const isRight =
    cloud.faults.injected.length === 0
      ? told.join('; ') === expected.join('; ')
      : told.every((one, at) => one.startsWith(`200 number ${at + 1}, `));
  return isRight ? [] : [violation('each day is reported after it has closed', told.join('; '))];
}

function listedAsShown({ reply }: Answered, shown: readonly Answered[]): readonly Violation[] {
  const [, second, third] = shown.map(({ reply: { body } }) => body);
  const isRight =
    JSON.stringify(reply.body.items) === JSON.stringify([third, second]) && typeof reply.body.nextCursor === 'string';
  return isRight ? [] : [violation('the newest reports are listed first', JSON.stringify(reply.body))];
}
