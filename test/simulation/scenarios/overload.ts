import type { Reply } from '../../../packages/simulator/client/client.js';
import type { Cloud } from '../../../packages/simulator/cloud/cloud.js';
import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import type { Load } from '../../../packages/simulator/services/lambda/load.js';
import { Orderly } from '../../support/simulation/orderly.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { MINUTE, orderOf, stocked } from './shop.js';

const NAME = /^overload-of-(\d+)$/;
/** Requests for each order that the API admits: it sheds the others. */
const OFFERED = 2;
/** Of how many commands of steps one may be sent again, although a backlog explains the silence: queues keep no order. */
const AGAIN = 15;
/** Rate of `POST /orders` in `prod` (lib/settings.ts), in orders per second. */
const RATE = 200;

/** Orders that the API admits, and the minutes in which it does so. */
interface Wave {
  readonly orders: number;
  readonly minutes: number;
  /** Minutes for which the saga's consumer then stands still, as after a bad deployment. @default 0 */
  readonly standstill?: number;
}

/**
 * Orderly as small as AWS lets it be: the saga's consumer handles two messages at once, and a call takes two seconds. So it
 * takes about 5 orders a minute. The API's limit is scaled down to what it is to admit.
 */
const loadOf = ({ orders, minutes }: Wave): Load => ({
  calls: { median: 1_800, p99: 3_200 },
  cpu: 1,
  queues: { 'Orders/OnSaga': { concurrency: 2, batchSize: 1 } },
  apiShare: orders / (minutes * 60) / RATE,
});

/** Returns the scenario called `overload-of-150`, of ten minutes; `undefined` for the name of another one. */
export function overloadCalled(name: string): Scenario | undefined {
  const [, orders] = NAME.exec(name) ?? [];
  return orders === undefined ? undefined : { ...overloadOf({ orders: Number(orders), minutes: 10 }), name };
}

/**
 * The API admits several times the orders that their saga takes, and is asked for twice as many as it admits. All that it
 * admits are decided, the last of them much later than a saga is patient with a participant. None is rejected by its own
 * delay, and the delay makes no work.
 */
export const overloadOf = (wave: Wave): Scenario => ({
  name: 'overload',
  faultProbability: 0.0005,
  conditions: { keepTrace: false, load: loadOf(wave) },
  async play(cloud) {
    const { world } = cloud;
    const { orders, minutes, standstill = 0 } = wave;
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 1_000_000 });
    await world.pass(MINUTE);
    const replies: Reply[] = [];
    const requests = OFFERED * orders;
    for (let number = 0; number < requests; number++) {
      const order = orderOf(`customer-${number}`, 'order', ['TEA-1']);
      const heard = (reply: Reply): void => {
        replies.push(reply);
        if (reply.status === 201) orderly.answered.push({ ...order, reply, tries: 1 });
      };
      world.after((number * minutes * MINUTE) / requests, () => orderly.send(order, heard));
    }
    await world.pass(minutes * MINUTE);
    if (standstill > 0) await standsStill(cloud, standstill * MINUTE);
    await orderly.rest();
    // A fault may keep an answer away, and then a step is sent again, or given up.
    const calm = cloud.faults.injected.length > 0 ? [] : [...decided(cloud, replies), ...sentOnce(cloud)];
    return [...shed(replies, orders), ...calm, ...brokenPromises(orderly)];
  },
});

/** Keeps the saga's consumer from its queue. */
async function standsStill({ sources, world }: Cloud, milliseconds: number): Promise<void> {
  const source = sources.find(({ fn }) => fn.label === 'Orders/OnSaga');
  if (!source) throw new Error('no source of Orders/OnSaga');
  source.enabled = false;
  await world.pass(milliseconds);
  source.enabled = true;
}

/** The API admits what its limit says, and tells the others when to come back. */
function shed(replies: readonly Reply[], orders: number): readonly Violation[] {
  const refused = replies.filter(({ status }) => status === 429);
  const violations: Violation[] = [];
  const admitted = replies.length - refused.length;
  // The burst, and what is refilled while the last requests come.
  if (admitted > orders + 2) {
    violations.push({ invariant: 'the API sheds orders above its limit', detail: `${admitted} of ${orders} admitted` });
  }
  for (const { headers, body } of refused) {
    const isProblem = body.type === 'urn:orderly:problem:throttled';
    if (isProblem && Object.keys(headers).some((name) => name.toLowerCase() === 'retry-after')) continue;
    violations.push({ invariant: 'a request that is shed gets the time to come back', detail: JSON.stringify(body) });
    break;
  }
  return violations;
}

/** Every order that was admitted is approved: stock and credit are there for all. */
function decided(cloud: Cloud, replies: readonly Reply[]): readonly Violation[] {
  const placed = replies.filter(({ status }) => status === 201).length;
  const ends = cloud.events.accepted.map(({ event }) => event);
  const approved = ends.filter((event) => event['detail-type'] === 'OrderApproved').length;
  const late = ends.filter(
    (event) => event['detail-type'] === 'OrderRejected' && reasonOf(event) === 'TIMED_OUT',
  ).length;
  return [
    ...(late === 0 ? [] : [{ invariant: 'no order is rejected by its own delay', detail: `${late} of ${placed}` }]),
    ...(approved + late === placed
      ? []
      : [{ invariant: 'every admitted order is decided', detail: `${approved} of ${placed}` }]),
  ];
}

/** While a backlog explains the silence, sending a step again would only be more load. */
function sentOnce(cloud: Cloud): readonly Violation[] {
  const steps = cloud.events.accepted.flatMap(({ event }) => {
    const { to, data } = event.detail as { to?: string; data: { stepId?: string } };
    return to === undefined || data.stepId === undefined ? [] : [data.stepId];
  });
  const again = steps.length - new Set(steps).size;
  if (again * AGAIN <= steps.length) return [];
  return [{ invariant: 'a backlog sends no step again', detail: `${again} of ${steps.length} commands` }];
}

const reasonOf = ({ detail }: { readonly detail: unknown }): unknown =>
  (detail as { data: { reason?: unknown } }).data.reason;

/** Small enough for `npm test`: six minutes of work within two, and then nothing for longer than a saga is patient. */
export const overload: Scenario = overloadOf({ orders: 25, minutes: 2, standstill: 20 });
