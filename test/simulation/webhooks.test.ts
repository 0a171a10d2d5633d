import { expect, test } from 'vitest';
import { Cloud } from '../../packages/simulator/cloud/cloud.js';
import { renderReport } from '../../packages/simulator/search/report.js';
import { playSeed, playWithFaults, type Scenario } from '../../packages/simulator/search/scenario.js';
import { playSingleFaults } from '../../packages/simulator/search/singles.js';
import type { ApiResponse } from '../../packages/simulator/services/apigateway/messages.js';
import { loadSharedDeployment } from '../support/simulation/app-code.js';
import { webhooksAssembly } from '../support/simulation/assembly.js';
import { token } from '../support/simulation/issuer.js';
import { commandOf } from './cli/replay.js';
import { LATE_METRIC, WEBHOOKS } from './planted/bugs/webhooks.js';
import { planted } from './planted/plant.js';
import { webhookOne } from './scenarios/webhook-one.js';
import { WEBHOOK_SCENARIOS } from './scenarios/webhooks-all.js';

const deployment = loadSharedDeployment(webhooksAssembly());

test.each(WEBHOOK_SCENARIOS)('$name keeps every promise without faults', async (scenario) => {
  const history = await playWithFaults(deployment, scenario, 'singles');
  if (history.violations.length > 0) expect.fail(renderReport(history, 'webhooks.test.ts'));
});

test.each(WEBHOOK_SCENARIOS)(
  '$name keeps every promise with crashes, lost answers and duplicates',
  async (scenario) => {
    for (const seed of ['1', '2']) {
      const history = await playSeed(deployment, scenario, seed);
      if (history.violations.length > 0) expect.fail(renderReport(history, `webhooks.test.ts, seed ${seed}`));
      expect(history.faults.length).toBeGreaterThan(0);
    }
  },
);

/** Promises that the planted bugs break, by their names. */
const BROKEN: Readonly<Record<string, string>> = {
  'a signature leaves the time out': 'each request is signed by the secret of its webhook',
  'a retry of a delivery has an id of its own':
    'a webhook receives events of its own orders and of the types that it asked for',
  'a delivery counts as delivered before its receiver has answered': 'what is shown of a delivery is what happened',
  'deliveries in order take the way of those without':
    'the events of an order come in their order, where that was asked',
  "a forgotten shop's webhooks keep their keys":
    'the list says that a webhook ended because its customer was forgotten',
  'a forgotten shop registers a webhook': 'a forgotten shop has no webhook any more',
  'a disabled webhook stays active in the list of subscribers': 'a receiver that is gone is disabled in the list',
};

test('a shop has ten webhooks at most, whatever others have, and a repeat of the tenth is none of its own', async () => {
  const cloud = new Cloud(deployment, { seed: 'limit' });
  const register = async (as: string, key: string): Promise<ApiResponse> => {
    const answers: ApiResponse[] = [];
    const headers = {
      Authorization: `Bearer ${token(as, 'shop', cloud.world.now)}`,
      'Idempotency-Key': `webhook-${key}`,
    };
    const body = JSON.stringify({ url: 'https://shop.example.com/hooks', events: ['OrderApproved'] });
    cloud.apis[0]?.request({ method: 'POST', path: '/webhooks', headers, body }, (answer) => answers.push(answer));
    await cloud.world.until(() => answers.length > 0);
    return answers[0] as ApiResponse;
  };
  for (let number = 1; number <= 10; number++) expect((await register('alice', `number-${number}`)).status).toBe(201);
  const more = await register('alice', 'number-11');
  expect(more.status).toBe(429);
  expect(JSON.parse(more.body)).toMatchObject({ limit: 'WEBHOOKS', detail: expect.stringContaining('delete one') });
  expect((await register('alice', 'number-10')).status).toBe(201);
  expect((await register('bob', 'number-1')).status).toBe(201);
});

// It plays a sixtieth of them. `npm run simulate -- --singles --scenario webhook-one` plays all.
test('a single fault of the functions of webhooks breaks no promise', async () => {
  const share = { part: 0, of: 60 };
  const { runs, broken } = await playSingleFaults(deployment, webhookOne, { within: 'Webhooks/', share });
  expect(broken.map((history) => renderReport(history, commandOf(history, 'singles'))).join('\n\n')).toBe('');
  expect(runs).toBeGreaterThan(10);
});

test('a crash behind the commit that disables a webhook loses no mail: that is found when the metric comes later', async () => {
  const [late] = LATE_METRIC;
  const options = { within: 'Webhooks/RunDeliveries', kinds: ['killed-after'], stopAtFirst: true } as const;
  const { broken } = await playSingleFaults(await planted(webhooksAssembly(), late), webhookOne, options);
  expect(broken[0]?.faults).toHaveLength(1);
  expect(broken[0]?.violations.map(({ invariant }) => invariant)).toContain('a disabled webhook mails the operators');
});

test.each(WEBHOOKS)('it is found when $name', async (bug) => {
  const scenario = WEBHOOK_SCENARIOS.find(({ name }) => name === bug.scenario) as Scenario;
  const history = await playWithFaults(await planted(webhooksAssembly(), bug), scenario, 'singles');
  expect(history.violations.map(({ invariant }) => invariant)).toContain(BROKEN[bug.name]);
});
