import type { Reply } from '../../../packages/simulator/client/client.js';
import type { Cloud } from '../../../packages/simulator/cloud/cloud.js';
import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { Orderly } from '../../support/simulation/orderly.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { violation } from '../invariants/violation.js';
import { MINUTE, orderOf, stocked } from './shop.js';

/** Quota of AWS Lambda that a new account often has. */
export const NEW_ACCOUNT = { concurrency: 10 };
const ORDERS = 24;
/** Milliseconds in which the orders are sent: faster than the API admits them. */
const WITHIN = 6_000;
/** Routes that readers ask for. Each admits 20 requests a second in a small account, and no function of theirs is reserved. */
const READ = ['/orders', '/basket', '/products/TEA-1', '/stock/TEA-1'] as const;
/** Milliseconds between two readers: each route is asked 18 times a second, which the account can't answer beside its orders. */
const PACE = 14;

/**
 * An account of 10 executions at once. Customers order faster than the API admits, and more readers ask than functions may
 * run. Every order is approved; a request that found no function free gets a `Retry-After`.
 */
export const smallAccount: Scenario = {
  name: 'small-account',
  faultProbability: 0,
  conditions: { quota: NEW_ACCOUNT, clockSkew: 0, load: { calls: { median: 40, p99: 120 }, cpu: 1 } },
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 1_000 });
    const answers: Reply[] = [];
    for (let number = 0; number < ORDERS; number++) {
      const order = orderOf(`customer-${number}`, 'order', ['TEA-1']);
      world.after((number * WITHIN) / ORDERS, () => orderly.begin(order));
    }
    for (let reader = 0; reader * PACE < WITHIN; reader++) {
      const path = READ[reader % READ.length] ?? '/orders';
      const read = {
        method: 'GET',
        path,
        as: path.startsWith('/stock') ? 'operator' : `customer-${reader % ORDERS}`,
      } as const;
      world.after(reader * PACE, () => orderly.send(read, (reply) => answers.push(reply)));
    }
    await world.pass(10 * MINUTE);
    await orderly.rest();
    return [...approved(cloud), ...sent(answers), ...brokenPromises(orderly)];
  },
};

/** Stock and credit are there for all: each order that was sent is approved in the end, once. */
function approved({ events }: Cloud): readonly Violation[] {
  const ends = events.accepted.filter(({ event }) => event['detail-type'] === 'OrderApproved').length;
  return ends === ORDERS ? [] : [violation('every order ends', `${ends} of ${ORDERS} are approved`, 'OrderApproved')];
}

/**
 * A reader gets an answer, or a `Retry-After`: by 429 if the function was not free (the routes admit more requests than
 * come), and by 503 if the authorizer was not.
 */
function sent(answers: readonly Reply[]): readonly Violation[] {
  const refused = answers.filter(({ status }) => status !== 200);
  const wrong = refused.filter(
    ({ status, headers, body }) =>
      headers['retry-after'] === undefined ||
      headers['content-type'] !== 'application/problem+json' ||
      !(
        (status === 429 && body.type === 'urn:orderly:problem:throttled') ||
        (status === 503 && body.type === 'urn:orderly:problem:internal')
      ),
  );
  const [first] = wrong;
  return [
    ...(first ? [violation('a throttled call gets a Retry-After', JSON.stringify(first), 'throttled')] : []),
    ...(refused.length > 0 ? [] : [violation('the account is full', 'no call was throttled', 'throttled')]),
  ];
}
