import { rmSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { recordKey } from '../../packages/kit/failures/failure-records.js';
import { Assembly } from '../../packages/simulator/assembly/assembly.js';
import { type Cloud, Deployment } from '../../packages/simulator/cloud/cloud.js';
import type { FaultKind } from '../../packages/simulator/engine/faults.js';
import { renderReport } from '../../packages/simulator/search/report.js';
import { playSeed, playWithFaults, type Scenario, type Violation } from '../../packages/simulator/search/scenario.js';
import { playSingleFaults } from '../../packages/simulator/search/singles.js';
import { toPlainItem } from '../../packages/simulator/services/dynamodb/plain.js';
import { buildTrace } from '../support/tally.js';
import { waiterAssembly } from '../support/waiter/assembly.js';
import { WAITER, waiterContract, waitId } from '../support/waiter/contract.js';

/** Timers as they are deployed, with the smallest owner: nothing but a timer's record guards its effect. */

const folder = waiterAssembly();
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const assembly = new Assembly(folder);
const deployment = new Deployment(assembly);
const named = (name: string): string => String(assembly.outputs.get(`Waiter.${name}`));

type Row = Record<string, unknown>;
const itemsOf = (cloud: Cloud, table: string): readonly Row[] => cloud.listItems(named(table));

const MINUTE = 60_000;
const iso = (time: number): string => new Date(time).toISOString();

/** When the earliest timer is due that waits. */
const awaits = (cloud: Cloud) => (): number | undefined => {
  const due = itemsOf(cloud, 'RecordsName').flatMap(({ status, executeAt }) =>
    status === 'PENDING' ? [Date.parse(String(executeAt))] : [],
  );
  return due.length > 0 ? Math.min(...due) : undefined;
};

function tell(cloud: Cloud, type: keyof typeof waiterContract.commands, data: { name: string; until?: string }): void {
  const { correlationId, traceparent, actor } = buildTrace('');
  const { service } = waiterContract;
  const detail = {
    id: `${type}-${data.name}`,
    source: 'orderly.test',
    to: service,
    type,
    subject: `Waiter/${data.name}`,
    time: iso(cloud.world.now),
    dataschema: `urn:orderly:${service}:${type}:1`,
    sequence: 1,
    epoch: 0,
    correlationid: correlationId,
    causationid: 'test',
    traceparent,
    actor,
    data,
  };
  cloud.events.put(named('BusName'), { source: 'orderly.test', detailType: type, detail });
}

/** One whose wait ends by itself, one who is stopped before, one who is stopped at the moment at which it ends. */
const waits: Scenario = {
  name: 'waits',
  faultProbability: 0.03,
  async play(cloud) {
    const { world } = cloud;
    cloud.events.schedules.nextWorkAt = awaits(cloud);
    const begun = world.now;
    const until = begun + 10 * MINUTE;
    for (const name of ['anna', 'bert', 'cora']) tell(cloud, 'Begin', { name, until: iso(until) });
    world.after(5 * MINUTE, () => tell(cloud, 'Stop', { name: 'bert' }));
    // Cora's stop sets out while the sweeper is at work.
    const stopCora = (tries = 0): void => {
      if (cloud.fn('Timers/Sweeper').calls > 4 || tries === 1_000) tell(cloud, 'Stop', { name: 'cora' });
      else world.after(100, () => stopCora(tries + 1));
    };
    world.after(10 * MINUTE, stopCora);
    await world.settle();
    return [...broken(cloud, until)];
  },
};

function* broken(cloud: Cloud, until: number): Generator<Violation> {
  const records = new Map(itemsOf(cloud, 'RecordsName').map((record) => [record.pk, record.status]));
  const recordOf = (id: string) => records.get(recordKey(WAITER, id));
  const waiters = itemsOf(cloud, 'TableName');
  const changes = cloud.tableCalls.flatMap(({ at, effects }) =>
    effects.changes.map(({ after }) => ({ at, row: toPlainItem(after ?? {}) })),
  );
  for (const [pk, status] of records) {
    if (status === 'PENDING') yield { invariant: 'no timer is left over', detail: String(pk) };
  }
  for (const { pk, waits, times } of waiters) {
    const name = String(pk).slice('Waiter#'.length);
    const about = { about: name, detail: `${name} ${waits} ${times}` };
    // It begins, and it ends: by its timer, or by being stopped.
    if (Number(times) > 2) yield { invariant: 'a wait ends once', ...about };
    if (waits === 'WAITING' && recordOf(waitId(name)) !== 'FAILED') yield { invariant: 'no timer is lost', ...about };
    const over = changes.find(({ row }) => row.pk === pk && row.waits === 'OVER');
    if (over && over.at < until - 2_000) yield { invariant: 'no timer comes early', ...about };
  }
  for (const name of ['anna', 'bert', 'cora']) {
    const begins = waiters.some(({ pk }) => pk === `Waiter#${name}`);
    if (!begins && recordOf(`Begin-${name}`) !== 'FAILED') yield { invariant: 'nothing is lost', detail: name };
  }
}

test('ends each wait once, by its timer or a stop, and calls the sweeper only while it finds something', async () => {
  const { violations, cloud, trace } = await playWithFaults(deployment, waits, 'calm');
  expect(violations).toEqual([]);
  const states = Object.fromEntries(itemsOf(cloud, 'TableName').map(({ pk, waits }) => [pk, waits]));
  expect(states).toEqual({ 'Waiter#anna': 'OVER', 'Waiter#bert': 'STOPPED', 'Waiter#cora': expect.any(String) });
  expect(trace.filter((line) => / EveryMinute delivery \d+ of Scheduled/.test(line)).length).toBeLessThan(4);
  expect([...cloud.iam.listUnused()].filter((right) => right.includes('Sweeper'))).toEqual([]);
});

/** Crashes, lost answers and second deliveries. The SDK and Lambda handle throttling and time-outs themselves. */
const KINDS: readonly FaultKind[] = [
  'killed-before',
  'killed-after',
  'answer-lost',
  'late',
  'entry-refused',
  'delivered-twice',
  'duplicate',
];

test('keeps its promises with any single crash, lost answer or second delivery', async () => {
  const { runs, broken } = await playSingleFaults(deployment, waits, { kinds: KINDS, stopAtFirst: true });
  for (const history of broken) expect.fail(renderReport(history, 'singles of waits'));
  expect(runs).toBeGreaterThan(60);
});

test('keeps its promises with random faults by seed', async () => {
  for (let seed = 0; seed < 10; seed++) {
    const history = await playSeed(deployment, waits, String(seed));
    if (history.violations.length > 0) expect.fail(renderReport(history, `seed ${seed} of waits`));
  }
});
