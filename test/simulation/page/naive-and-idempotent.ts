import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import { Assembly } from '../../../packages/simulator/assembly/assembly.js';
import type { Cloud, Deployment } from '../../../packages/simulator/cloud/cloud.js';
import type { PlayableComparison } from '../../../packages/simulator/histories/app-histories.js';
import { listHappenings } from '../../../packages/simulator/histories/play.js';
import { playWithFaults, type Scenario } from '../../../packages/simulator/search/scenario.js';
import { appCode, LAMBDAS, loadSharedDeployment, ROOT } from '../../support/simulation/app-code.js';
import { prodAssembly } from '../../support/simulation/assembly.js';
import { Facts } from '../../support/simulation/facts.js';
import { Orderly } from '../../support/simulation/orderly.js';
import { paymentOf } from '../scenarios/payments.js';
import { redeliver } from '../scenarios/redelivery.js';

/** Function that charges, and its entry point. */
const CHARGES = 'Payments/OnProvider';
const ENTRY = 'payments/charge-at-sandbox';
/** Minor units of EUR. */
const AMOUNT = 1_000;
const REPEATS = 4;

/** What is done to a payment's messages. */
type Trouble = (orderly: Orderly) => Promise<void>;

const CONSUMERS = [
  {
    label: 'Naive consumer',
    about: 'It charges whenever it receives a request to charge.',
    deploy: async () => naiveDeployment(),
  },
  {
    label: "Orderly's consumer",
    about: 'It records each message in the transaction of its effect, and repeats its key at the provider.',
    deploy: async () => loadSharedDeployment(prodAssembly()),
  },
] as const;

const comparison = (id: string, label: string, about: string, trouble: Trouble): PlayableComparison => ({
  id,
  label,
  about,
  play: async () => ({
    consumers: await Promise.all(
      CONSUMERS.map(async ({ label, about, deploy }) => ({
        label,
        about,
        owner: CHARGES,
        ...(await playPayment(await deploy(), trouble)),
      })),
    ),
  }),
});

/** Each message of a payment is delivered five times. */
export const FIVE_TIMES = comparison(
  'five-times',
  'Deliver the same message five times',
  'Alice pays EUR 10.00 once. The bus delivers each message of her payment five times.',
  async (orderly) => {
    const { cloud } = orderly;
    await orderly.call(paymentOf('alice', AMOUNT, 'pay'));
    await orderly.rest();
    const sent = cloud.events.accepted.filter(({ event }) => TASKS.includes(event['detail-type']));
    for (let time = 0; time < REPEATS; time++) {
      redeliver(cloud, sent);
      await orderly.rest();
    }
  },
);
const TASKS = ['PaymentRequested', 'PaymentPrepared'];

/** The function dies between its effect and what follows, so nobody acknowledges and the queue delivers again. */
export const CRASH = comparison(
  'crash',
  'Crash after the effect',
  'Alice pays EUR 10.00 once. The function dies after the charge, so its message comes again.',
  async (orderly) => {
    dieAfterCharge(orderly.cloud);
    await orderly.call(paymentOf('alice', AMOUNT, 'pay'));
    await orderly.rest();
  },
);

/** Kills the function that charges, once, after the provider has charged. */
function dieAfterCharge(cloud: Cloud): void {
  let isDone = false;
  cloud.calls.interceptor = {
    beforeCall: () => undefined,
    afterCall: ({ fn, body }) => {
      if (isDone || fn.label !== CHARGES || !body.includes('TALLY#')) return undefined;
      isDone = true;
      cloud.world.tell(() => ({ kind: 'fault', owner: CHARGES, id: CHARGES, fault: 'killed-after' }));
      return 'killed-after';
    },
  };
}

async function playPayment(deployment: Deployment, trouble: Trouble) {
  let charged = { charges: 0, chargeSum: 0 };
  const scenario: Scenario = {
    name: 'naive-and-idempotent',
    async play(cloud) {
      const orderly = new Orderly(cloud);
      await trouble(orderly);
      for (const [key, tally] of new Facts(orderly).sandbox)
        if (key.startsWith('TALLY#')) charged = { ...charged, ...tally };
      return [];
    },
  };
  const { cloud } = await playWithFaults(deployment, scenario, 'page', [], { isWatched: true });
  const { charges, chargeSum } = charged;
  const times = charges === 1 ? 'once' : `${charges} times`;
  return {
    happenings: listHappenings(cloud.happenings),
    effect: `Charged ${times}: EUR ${(chargeSum / 100).toFixed(2)}`,
    isRight: charges === 1,
  };
}

let naive: Promise<Deployment> | undefined;

function naiveDeployment(): Promise<Deployment> {
  naive ??= makeNaive();
  return naive;
}

/** Deploys Orderly with the naive consumer in the place of its own. */
async function makeNaive(): Promise<Deployment> {
  const app = appCode();
  const made = await app.changed([ENTRY], NAIVE);
  return app.deployment(new Assembly(prodAssembly()), undefined, (entry) => made.get(entry)?.code);
}

const NAIVE: Plugin = {
  name: 'naive',
  setup: ({ onLoad }) => {
    onLoad({ filter: /charge-at-sandbox\.lambda\.ts$/ }, ({ path }) =>
      path === join(LAMBDAS, `${ENTRY}.lambda.ts`)
        ? {
            contents: `export { handler } from './naive-charges.js';`,
            resolveDir: join(ROOT, 'test/simulation/page'),
            loader: 'ts',
          }
        : undefined,
    );
  },
};
