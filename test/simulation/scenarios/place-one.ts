import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { violation } from '../invariants/violation.js';
import { Auditor } from '../support/auditor.js';
import { Orderly } from '../support/orderly.js';
import { readersSeeTheTruth } from '../support/readers.js';
import { stocked } from './shop.js';

const LINES = [
  { sku: 'TEA-1', quantity: 2, unitPrice: { amount: 350, currency: 'EUR' } },
  { sku: 'CUP-1', quantity: 1, unitPrice: { amount: 350, currency: 'EUR' } },
];

/** One order with a duplicate, and one cancellation with a duplicate. */
export const placeOne: Scenario = {
  name: 'place-one',
  faultProbability: 0.05,
  async play(cloud) {
    const orderly = new Orderly(cloud);
    await playPlaceOne(orderly);
    return brokenPromises(orderly);
  },
};

/** The same, followed by a read through every reading route. */
export const readOne: Scenario = {
  name: 'read-one',
  faultProbability: 0.05,
  async play(cloud) {
    const orderly = new Orderly(cloud);
    await playPlaceOne(orderly);
    return readersSeeTheTruth(orderly);
  },
};

/** The same, while messages and events are lost; afterwards an operator audits the deliveries. */
export const messagesLost: Scenario = {
  name: 'messages-lost',
  faultProbability: 0.02,
  conditions: { losses: true },
  async play(cloud) {
    const orderly = new Orderly(cloud);
    const auditor = new Auditor(orderly);
    await playPlaceOne(orderly);
    await auditor.heal();
    return brokenPromises(orderly);
  },
};

/** The same, while nobody looks: the delivery audit that runs by itself finds what is lost, and sends it again. */
export const audited: Scenario = {
  name: 'audited',
  // A run has a hundred calls and more, and each of them may end it.
  faultProbability: 0.005,
  conditions: { losses: true },
  async play(cloud) {
    const orderly = new Orderly(cloud, ['rewards', 'reports']);
    orderly.letAudit();
    await playPlaceOne(orderly);
    return afterAudits(orderly);
  },
};

/** The same with two events alone, for many seeds: a product and its stock, which baskets and others hear of. */
export const auditedOne: Scenario = {
  name: 'audited-one',
  faultProbability: 0.01,
  conditions: { losses: true },
  async play(cloud) {
    const orderly = new Orderly(cloud, ['rewards', 'reports']);
    orderly.letAudit();
    await stocked(orderly, { 'TEA-1': 5 });
    await orderly.rest();
    return afterAudits(orderly);
  },
};

/** Returns the promises that are broken once the delivery audit has judged everything. */
function afterAudits(orderly: Orderly): readonly Violation[] {
  const isDone = orderly.nextAudit() === undefined;
  return [
    ...brokenPromises(orderly).filter((broken) => !isOfLostBatch(broken)),
    ...(isDone ? [] : [violation('the delivery audit judges every commit', 'some are not judged', 'audit')]),
  ];
}

/**
 * Whether a promise is broken by a lost batch of an outbox alone: its commits are never published. The audit sends their
 * messages to each consumer that hears them, and to nobody else.
 */
const isOfLostBatch = ({ invariant, detail }: Violation): boolean =>
  invariant === 'a commit is published, or visible as failed' || /Stream: \d+ records LOST/.test(detail);

async function playPlaceOne(orderly: Orderly): Promise<void> {
  await stocked(orderly, { 'TEA-1': 5, 'CUP-1': 5 });
  const place = { method: 'POST', path: '/orders', as: 'alice', key: 'place', body: { lines: LINES } } as const;
  const { reply } = await orderly.call(place);
  orderly.begin(place);
  await orderly.rest();
  const path = `/orders/${String(reply.body.orderId)}/cancellation`;
  const cancel = { method: 'POST', path, as: 'alice', key: 'cancel', body: { reason: 'changed my mind' } } as const;
  await orderly.call(cancel);
  orderly.begin(cancel);
  await orderly.rest();
}

/** An order for missing stock: it is rejected, has a duplicate, and is cancelled too late, twice. */
export const rejectOne: Scenario = {
  name: 'reject-one',
  faultProbability: 0.05,
  async play(cloud) {
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 1, 'CUP-1': 1 });
    const place = { method: 'POST', path: '/orders', as: 'alice', key: 'place', body: { lines: LINES } } as const;
    const { reply } = await orderly.call(place);
    orderly.begin(place);
    await orderly.rest();
    const path = `/orders/${String(reply.body.orderId)}/cancellation`;
    const cancel = { method: 'POST', path, as: 'alice', key: 'cancel', body: {} } as const;
    await orderly.call(cancel);
    orderly.begin(cancel);
    await orderly.rest();
    return brokenPromises(orderly);
  },
};
