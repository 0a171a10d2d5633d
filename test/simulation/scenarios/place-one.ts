import type { Scenario } from '../../../packages/simulator/search/scenario.js';
import { Auditor } from '../../support/simulation/auditor.js';
import { Orderly } from '../../support/simulation/orderly.js';
import { readersSeeTheTruth } from '../../support/simulation/readers.js';
import { findMapping } from '../../support/simulation/reading.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { withLosses } from './losses.js';
import { HOUR, productOf, stocked } from './shop.js';

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
    const orderly = new Orderly(cloud, [], false);
    const auditor = new Auditor(orderly);
    await playPlaceOne(orderly);
    await auditor.heal();
    return brokenPromises(orderly);
  },
};

/** The same, while nobody looks: the delivery audit that runs by itself finds what is lost, and sends it again. */
export const audited: Scenario = {
  ...withLosses(placeOne),
  name: 'audited',
  faultProbability: 0.005,
  // An hour has many pages of the audit.
  conditions: { losses: true, pageItems: 2 },
};

/** The same with two events alone, for many seeds: a product and its stock, which baskets and others hear of. */
export const auditedOne: Scenario = {
  name: 'audited-one',
  faultProbability: 0.01,
  conditions: { losses: true },
  async play(cloud) {
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 5 });
    await orderly.rest();
    return brokenPromises(orderly);
  },
};

/**
 * The same while baskets read nothing for three hours. What waits in their queue so long is not missing, and what was lost on its
 * way there is: the audit may not pass either.
 */
export const auditedLate: Scenario = {
  name: 'audited-late',
  faultProbability: 0.005,
  conditions: { losses: true },
  async play(cloud) {
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 5, 'CUP-1': 5 });
    await bringLate(orderly, 'Baskets/OnProducts', 3 * HOUR);
    return brokenPromises(orderly);
  },
};

/** Lets a consumer read nothing for a time, and then rest. */
export async function bringLate(orderly: Orderly, label: string, milliseconds: number): Promise<void> {
  const { world } = orderly.cloud;
  const reading = findMapping(orderly.cloud, label);
  reading.enabled = false;
  await orderly.call(productOf('TEA-1', 400));
  await orderly.call(productOf('CUP-1', 400));
  await world.pass(milliseconds);
  reading.enabled = true;
  await orderly.rest();
}

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
