import { expect, test } from 'vitest';
import { playSeed } from '../search/scenario.js';
import { createCloud, functionResource } from '../support/clouds.js';
import type { Cloud } from './cloud.js';
import type { ProviderFault, ThirdParty } from './outside-hosts.js';
import { makeFaulty, ProviderFaultMalformed } from './provider-faults.js';

const CHARGE = `exports.handler = async ({ method = 'POST', path = '/charges' }) => {
  try {
    const response = await fetch('https://cards.example.com' + path, { method });
    return response.status;
  } catch (error) { return error.cause.code; }
};`;

/** A provider that counts what it has carried out. */
const countingCards = (): ThirdParty & { readonly charged: string[] } => {
  const charged: string[] = [];
  return {
    charged,
    answer: ({ method, path }) => {
      charged.push(`${method} ${path}`);
      return { status: 201, headers: {}, body: '' };
    },
    refuse: () => ({ status: 429, headers: {}, body: '' }),
  };
};

const createShop = (): Cloud => createCloud(functionResource('Charge', [], { Timeout: 100 }), { Charge: CHARGE });

async function call(cloud: Cloud, event: unknown = {}): Promise<unknown> {
  let ending: unknown;
  cloud.fn('Shop/Charge').invoke(event, (result) => {
    ending = result.kind === 'returned' ? result.value : result.kind === 'failed' ? result.name : result.kind;
  });
  await cloud.world.until(() => ending !== undefined);
  return ending;
}

/** Calls a faulty provider three times. @returns the answers, and what the provider has carried out */
async function callThrice(...faults: readonly ProviderFault[]) {
  const cloud = createShop();
  const cards = countingCards();
  cloud.thirdParties.add('cards.example.com', makeFaulty(cards, ...faults));
  const answers = [await call(cloud), await call(cloud), await call(cloud)];
  return { answers, charged: cards.charged.length, cloud };
}

test.each<[ProviderFault, readonly unknown[], number]>([
  [{ kind: 'refused', first: 2 }, ['ECONNREFUSED', 'ECONNREFUSED', 201], 1],
  [{ kind: 'answer-lost', nth: [2] }, [201, 'ECONNRESET', 201], 3],
  [{ kind: 'server-error', nth: [1, 3] }, [503, 201, 503], 1],
  [{ kind: 'server-error', nth: [1], status: 500 }, [500, 201, 201], 2],
  [{ kind: 'server-error-after', nth: [3], status: 502 }, [201, 201, 502], 3],
  [{ kind: 'too-many', first: 1 }, [429, 201, 201], 2],
])('%j', async (fault, answers, charged) => {
  expect(await callThrice(fault)).toMatchObject({ answers, charged });
});

test('a slow provider carries the request out, and its answer comes behind the timeout of the function', async () => {
  const { answers, charged, cloud } = await callThrice(
    { kind: 'slow', milliseconds: 5_000, nth: [1] },
    { kind: 'slow', milliseconds: 200_000, nth: [2] },
  );
  expect(answers).toEqual([201, 'Sandbox.Timedout', 201]);
  expect(charged).toBe(3);
  expect(cloud.world.trace.lines.filter((line) => line.endsWith('/charges PROVIDER slow'))).toHaveLength(2);
});

test('a fault is for the requests that it names, and counts only those', async () => {
  const cloud = createShop();
  cloud.thirdParties.add(
    'cards.example.com',
    makeFaulty(countingCards(), { kind: 'server-error', requests: 'POST /refunds', nth: [2] }),
  );
  const answers = [];
  for (const event of [{ path: '/refunds' }, {}, { path: '/refunds', method: 'GET' }, { path: '/refunds/7' }, {}])
    answers.push(await call(cloud, event));
  expect(answers).toEqual([201, 201, 201, 503, 201]);
});

test('the seed of a history decides over a probability, and one seed is one history', async () => {
  const { deployment } = createShop();
  const answers: unknown[][] = [];
  const scenario = {
    name: 'charges',
    faultProbability: 0,
    async play(cloud: Cloud) {
      cloud.thirdParties.add('cards.example.com', makeFaulty(countingCards(), { kind: 'refused', probability: 0.5 }));
      const own: unknown[] = [];
      for (let times = 0; times < 20; times++) own.push(await call(cloud));
      answers.push(own);
      return [];
    },
  };
  for (const seed of ['1', '1', '2']) await playSeed(deployment, scenario, seed);
  const [first = [], again, other] = answers;
  expect(again).toEqual(first);
  expect(other).not.toEqual(first);
  const refused = first.filter((answer) => answer === 'ECONNREFUSED').length;
  expect(refused).toBeGreaterThan(3);
  expect(refused).toBeLessThan(17);
});

test('of several faults the first one happens, and those of the model itself come last', async () => {
  const cloud = createShop();
  const down = makeFaulty(countingCards(), { kind: 'server-error' });
  cloud.thirdParties.add(
    'cards.example.com',
    makeFaulty(down, { kind: 'too-many', nth: [1] }, { kind: 'refused', nth: [1, 2] }),
  );
  expect([await call(cloud), await call(cloud), await call(cloud)]).toEqual([429, 'ECONNREFUSED', 503]);
});

test.each<[object, string]>([
  [{ kind: 'lazy' }, 'fault lazy of a provider: expected one of slow, refused,'],
  [{ kind: 'slow', probability: 20 }, 'probability 20 of slow: expected a number from 0 to 1'],
  [{ kind: 'slow', nth: [0] }, 'first and nth of slow: expected whole numbers from 1 on'],
])('%j is refused', (fault, message) => {
  const make = (): ThirdParty => makeFaulty(countingCards(), fault as ProviderFault);
  expect(make).toThrow(ProviderFaultMalformed);
  expect(make).toThrow(message);
});
