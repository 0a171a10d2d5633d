import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readHistoryPage } from '../../../packages/kit/http/point-in-time.js';
import { InMemoryEventStore } from '../../../packages/kit/testing/in-memory-event-store.js';
import { buildTrace, countedEvent, tallyContract, tallyDecider } from '../../support/tally.js';

beforeEach(() => vi.stubEnv('OPERATOR_ROLES', '["agent"]'));
afterEach(() => vi.unstubAllEnvs());

/** History of a tally that an operator of the API, one of the command line, and a visitor have changed. */
async function actorsFor(role: string): Promise<readonly (string | undefined)[][]> {
  const store = new InMemoryEventStore({ aggregate: 'Tally', contract: tallyContract, decider: tallyDecider });
  const append = async (trace: object) =>
    store.append(store.buildCommit(await store.load('t1'), [countedEvent(1)], { ...buildTrace('request'), ...trace }));
  await append({ actor: 'agent:ann' });
  await append({ actor: 'service:tallies', onBehalfOf: 'operator:olga' });
  await append({ actor: 'visitor:vera' });
  const reader = { id: 'somebody', role, expires: 0 };
  const { items } = await readHistoryPage(store, 't1', 'history of t1', {}, reader);
  return items.map(({ actor, onBehalfOf }) => [actor, onBehalfOf]);
}

test('an operator sees who acted', async () =>
  expect(await actorsFor('agent')).toEqual([
    ['agent:ann', undefined],
    ['service:tallies', 'operator:olga'],
    ['visitor:vera', undefined],
  ]));

test('others see that an operator acted, by the API or by the command line, and not which', async () =>
  expect(await actorsFor('visitor')).toEqual([
    ['agent', undefined],
    ['service:tallies', 'operator'],
    ['visitor:vera', undefined],
  ]));
