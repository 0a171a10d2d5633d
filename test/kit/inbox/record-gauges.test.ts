import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import * as telemetry from '../../../packages/kit/aws/telemetry.js';
import { parkedPartitions } from '../../../packages/kit/inbox/measure.js';
import { recordGauges } from '../../../packages/kit/inbox/record-gauges.js';
import { SequencedMessages } from '../../../packages/kit/inbox/sequenced-messages.js';
import { DUE_SHARDS } from '../../../packages/kit/timers/contract.js';
import { shardOf } from '../../../packages/kit/timers/timers.js';
import { functionEnvironment } from '../../support/function-environment.js';
import { PARCELS } from '../../support/inboxes/contract.js';
import { bodyOf, Parcels, Refused } from './parcels.js';

let parcels: Parcels;
beforeAll(() => functionEnvironment());
beforeEach(() => {
  parcels = new Parcels();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Returns the gauges that a sweep of the inbox writes. */
async function gauged(): Promise<Readonly<Record<string, unknown>>> {
  // The index follows within seconds.
  parcels.pass(10);
  const gauge = vi.spyOn(telemetry, 'recordGauge');
  await recordGauges({ table: 'records', owner: PARCELS.name, parked: parkedPartitions(PARCELS.name) });
  const found = gauge.mock.calls.map(([name, value, consumer]) => {
    expect(consumer).toBe('parcels');
    return [name, value];
  });
  gauge.mockRestore();
  return Object.fromEntries(found);
}

const stored = async (...names: readonly string[]) => {
  for (const name of names) await parcels.receive([parcels.message(name)]);
};

describe('the gauges of an inbox', () => {
  test('the gauges are 0 while nothing waits', async () => {
    await stored('done');
    await parcels.run('done');
    expect(await gauged()).toEqual({ InboxPending: 0, InboxParked: 0, InboxOldestPending: 0, InboxFailed: 0 });
  });

  test('count what waits, is parked and has failed, and say how old the oldest is, whatever became of its attempts', async () => {
    await stored('old', 'refused');
    parcels.handle = () => Promise.reject(new Error('not today'));
    await parcels.run('old');
    parcels.handle = () => Promise.reject(new Refused());
    await parcels.run('refused');
    parcels.pass(600);
    await stored('new', 'early');
    const messages = new SequencedMessages({ table: 'records', consumer: PARCELS });
    await messages.park(parcels.key('early'), 300, undefined);
    expect(await gauged()).toEqual({ InboxPending: 2, InboxParked: 1, InboxOldestPending: 610, InboxFailed: 1 });
  });

  test('find the oldest of more messages than are looked at, in whichever partition it is', async () => {
    const names = Array.from({ length: 200 }, (_, at) => `parcel-${at}`);
    const oldest = names.find((name) => shardOf(parcels.key(name)) === DUE_SHARDS - 1) ?? '';
    await stored(oldest);
    parcels.pass(30);
    for (const name of names) await parcels.messages.store(parcels.message(name), bodyOf(parcels.message(name)));
    expect(await gauged()).toMatchObject({ InboxPending: 200, InboxOldestPending: 40 });
  });
});
