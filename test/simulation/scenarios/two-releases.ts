import type { Cloud } from '../../../packages/simulator/cloud/cloud.js';
import type { Bundle } from '../../../packages/simulator/runtime/bundle.js';
import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import type { LambdaFunction } from '../../../packages/simulator/services/lambda/model.js';
import { Facts, type MessageRecord } from '../../support/simulation/facts.js';
import { Operator } from '../../support/simulation/operator.js';
import { Orderly } from '../../support/simulation/orderly.js';
import { type Changes, previousRelease } from '../../support/simulation/previous-release.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { cancellationOf, HOUR, MINUTE, orderAt, productOf, stocked } from './shop.js';

/** Amounts that select the sandbox's behaviour (`sandbox-amounts.ts`). */
const PRICES = [350, 350, 350, 20200, 40200];

const CUSTOMERS = ['alice', 'bob'];

const HALF_AN_HOUR = 30 * MINUTE;

/** Functions of two releases. */
class Releases {
  private readonly present = new Map<LambdaFunction, Bundle>();

  constructor(
    private readonly cloud: Cloud,
    private readonly previous: ReadonlyMap<string, Bundle>,
  ) {
    for (const fn of cloud.functions.values()) {
      if (previous.has(fn.label)) this.present.set(fn, cloud.deployment.loadBundle(fn.resource));
    }
  }

  /** Updates every function at once. Messages wait for consumers that only the present release has, until they are created. */
  begin(): void {
    for (const fn of this.present.keys()) this.update(fn, this.previous.get(fn.label));
    this.createNew(false);
  }

  /** Creates the consumers that only the present release has. */
  createNew(isCreated = true): void {
    for (const source of this.cloud.sources) if (!this.present.has(source.fn)) source.enabled = isCreated;
  }

  /** Number of invocations so far of functions that both releases have. */
  get invocations(): number {
    return [...this.present.keys()].reduce((sum, { invocations }) => sum + invocations, 0);
  }

  /** Updates function after function, in an order of its own, evenly over this time. */
  deploy(release: 'previous' | 'present', milliseconds: number): void {
    const { world } = this.cloud;
    const functions = world.random.fork(`${release} at ${world.now}`).shuffle([...this.present]);
    for (const [at, [fn, present]] of functions.entries()) {
      const bundle = release === 'present' ? present : this.previous.get(fn.label);
      world.after((at / functions.length) * milliseconds, () => this.update(fn, bundle));
    }
  }

  private update(fn: LambdaFunction, bundle: Bundle | undefined): void {
    if (bundle) fn.update({ bundle });
  }
}

/**
 * The previous release runs, and functions change one by one to the present one within an hour. In some seeds the
 * deployment fails half way: it is rolled back within half an hour, and repeated. Meanwhile orders are placed and
 * cancelled, prices change, and an operator redrives failures.
 * @param changes of the previous release, which is played as it was without any
 */
export const twoReleasesWith = (name: string, changes?: Changes): Scenario => ({
  name,
  faultProbability: 0.002,
  async play(cloud) {
    const { world, deployment } = cloud;
    const releases = new Releases(cloud, await previousRelease(deployment.assembly.folder, changes));
    releases.begin();
    const orderly = new Orderly(cloud);
    const operator = new Operator(orderly);
    const random = world.random.fork('customers');
    await stocked(orderly, { 'TEA-1': 20, 'CUP-1': 3 });
    const traffic = async (milliseconds: number): Promise<void> => {
      const end = world.now + milliseconds;
      while (world.now < end) {
        const sku = random.pick(['TEA-1', 'CUP-1']);
        const amount = random.pick(PRICES);
        const as = random.pick(CUSTOMERS);
        const cancelled = random.chance(0.4);
        // Some orders are for a price that is not the product's any more.
        if (random.chance(0.7)) orderly.begin(productOf(sku, amount));
        const later = random.between(0, 5_000);
        const key = `order-${world.now}`;
        world.after(later, () =>
          orderly.begin(orderAt(as, key, sku, amount), ({ reply }) => {
            if (!cancelled || reply.status !== 201) return;
            const cancel = cancellationOf(as, reply.body.orderId, `cancel-${key}`);
            world.after(random.between(0, 8 * MINUTE), () => orderly.begin(cancel));
          }),
        );
        await world.pass(Math.min(random.between(1, 16 * MINUTE), Math.max(1, end - world.now)));
        if (random.chance(0.2)) await operator.redriveAll();
      }
    };
    await traffic(10 * MINUTE);
    const ofPrevious = releases.invocations;
    world.after(random.between(0, HOUR), () => releases.createNew());
    releases.deploy('present', HOUR);
    await traffic(HOUR);
    if (random.chance(0.5)) {
      releases.deploy('previous', HALF_AN_HOUR);
      await traffic(HALF_AN_HOUR);
      releases.deploy('present', HALF_AN_HOUR);
      await traffic(HALF_AN_HOUR);
    }
    releases.createNew();
    await traffic(10 * MINUTE);
    const isMixed = ofPrevious > 0 && releases.invocations > ofPrevious;
    await orderly.rest();
    const waited = brokenPromises(orderly, isNewer);
    await operator.redriveAll();
    for (const id of new Facts(orderly).stuck) operator.retrySaga(id);
    await orderly.rest();
    return [...waited, ...brokenPromises(orderly, () => false), ...(isMixed ? [] : [NOT_MIXED])];
  },
});

/** A message that the previous release could not read, or whose aggregate it could not load. */
const isNewer = ({ failures = [] }: MessageRecord): boolean =>
  failures.some(({ message }) => /^NEWER_(TYPE|VERSION)/.test(message));

const NOT_MIXED: Violation = { invariant: 'functions of both releases are invoked', detail: '' };

export const twoReleases = twoReleasesWith('two-releases');
