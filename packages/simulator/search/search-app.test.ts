import { expect, test } from 'vitest';
import { loadDeployment } from '../cloud/cloud.js';
import { counting, writeQueueShop } from '../support/queue-shop.js';
import type { Scenario } from './scenario.js';
import { type Progress, searchScenarios } from './search-app.js';

const order = (name: string): Scenario => ({
  name,
  async play(cloud) {
    cloud.queue('Shop/Queue').send({ body: '{"id":"lamp"}' });
    await cloud.world.settle();
    return [];
  },
});
const scenarios = ['first', 'second', 'third'].map(order);
const options = { share: { part: 0, of: 1 }, seeds: 2, without: [], onProgress: () => undefined };

/** A clock on which a second passes each time that somebody looks at it. */
const steadyClock = (): (() => number) => {
  let time = 0;
  return () => {
    time += 1_000;
    return time;
  };
};

test('each scenario has its share of the time', async () => {
  const deployment = loadDeployment(writeQueueShop(counting(true)));
  const results = await searchScenarios(deployment, scenarios, { ...options, time: 24_000, now: steadyClock() });
  const played = results.map(({ scenario, histories }) => [scenario, histories]);
  expect(played).toEqual([
    ['first', expect.any(Number)],
    ['second', expect.any(Number)],
    ['third', expect.any(Number)],
  ]);
  for (const { histories, all } of results) {
    expect(histories).toBeGreaterThan(5);
    expect(histories).toBeLessThan(11);
    expect(all).toBeGreaterThan(11);
  }
});

test('a whole search says how much it was, and the seeds are part of it', async () => {
  const deployment = loadDeployment(writeQueueShop(counting(true)));
  const progress: Progress[] = [];
  const onProgress = (one: Progress): void => void progress.push(one);
  const [result] = await searchScenarios(deployment, scenarios.slice(0, 1), { ...options, onProgress });
  expect(result?.histories).toBe(result?.all);
  expect(progress.map(({ done }) => done)).toEqual(progress.map((_, at) => at + 1));
  expect(progress.at(-1)).toEqual({ scenario: 'first', done: result?.all, all: result?.all, broken: 0 });
});

test('a signal ends the search of this scenario, and of those after it', async () => {
  const deployment = loadDeployment(writeQueueShop(counting(true)));
  const controller = new AbortController();
  const onProgress = ({ done }: Progress): void => (done === 3 ? controller.abort() : undefined);
  const { signal } = controller;
  const results = await searchScenarios(deployment, scenarios, { ...options, signal, onProgress });
  expect(results.map(({ scenario, histories }) => [scenario, histories])).toEqual([['first', 3]]);
});
