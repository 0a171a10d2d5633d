import { describe, expect, test } from 'vitest';
import type { Reply } from '../../packages/simulator/client/client.js';
import { Cloud } from '../../packages/simulator/cloud/cloud.js';
import { renderReport } from '../../packages/simulator/search/report.js';
import { playWithFaults } from '../../packages/simulator/search/scenario.js';
import { loadSharedDeployment } from '../support/simulation/app-code.js';
import { smallAssembly } from '../support/simulation/assembly.js';
import { Orderly } from '../support/simulation/orderly.js';
import { NEW_ACCOUNT, smallAccount } from './scenarios/small-account.js';

const deployment = loadSharedDeployment(smallAssembly());

test('every order ends in an account of 10 executions, and a throttled call gets a Retry-After', async () => {
  const history = await playWithFaults(deployment, smallAccount, 'new');
  if (history.violations.length > 0) expect.fail(renderReport(history, 'small-account.test.ts'));
});

describe('the answer to a call that did not get its function', () => {
  const list = { method: 'GET', path: '/orders', as: 'alice' } as const;
  const ask = async (prepare: (cloud: Cloud) => void): Promise<Reply> => {
    const cloud = new Cloud(deployment, { seed: 'refused', quota: NEW_ACCOUNT });
    const orderly = new Orderly(cloud);
    prepare(cloud);
    const replies: Reply[] = [];
    orderly.send(list, (reply) => replies.push(reply));
    await cloud.world.until(() => replies.length > 0);
    const [reply] = replies;
    if (!reply) throw new Error('no answer');
    return reply;
  };

  test('a function that Lambda throttles is 429 throttled with Retry-After, and no code has run', async () => {
    const { status, headers, body } = await ask((cloud) => cloud.fn('Orders/ListOrders').reserve(0));
    expect([status, body.type, body.status]).toEqual([429, 'urn:orderly:problem:throttled', 429]);
    expect(headers).toMatchObject({ 'retry-after': '1', 'content-type': 'application/problem+json' });
    expect(headers['x-correlation-id']).toMatch(/./);
  });

  test('a function that fails by itself stays 500, since a repeat may find the same fault', async () => {
    const { status, headers, body } = await ask((cloud) => {
      cloud.fn('Orders/ListOrders').failsUntil = Number.POSITIVE_INFINITY;
    });
    expect([status, body.type]).toEqual([500, 'urn:orderly:problem:internal']);
    expect(headers['retry-after']).toBeUndefined();
    expect(headers['x-correlation-id']).toMatch(/./);
  });

  test.each<[string, (cloud: Cloud) => void]>([
    ['that Lambda throttles', (cloud) => cloud.fn('Api/Authorize').reserve(0)],
    [
      'that fails',
      (cloud) => {
        cloud.fn('Api/Authorize').failsUntil = Number.POSITIVE_INFINITY;
      },
    ],
  ])('an authorizer %s is 503 with Retry-After', async (_, prepare) => {
    const { status, headers, body } = await ask(prepare);
    expect([status, body.type, body.status]).toEqual([503, 'urn:orderly:problem:internal', 503]);
    expect(headers['retry-after']).toBe('1');
  });
});
