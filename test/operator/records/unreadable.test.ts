import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { clock } from '../../../packages/kit/aws/clock.js';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { newId } from '../../../packages/kit/aws/ids.js';
import { AUDIT_PREFIX } from '../../../packages/kit/base/outputs.js';
import { recordKey, relayConsumer } from '../../../packages/kit/failures/failure-records.js';
import { readEnvelope } from '../../../packages/kit/messages/envelope.js';
import { appendAuditEntry, listAuditLog } from '../../../packages/operator/audit-log/audit-log.js';
import { commandFormatter } from '../../../packages/operator/cli/text-format.js';
import { replay } from '../../../packages/operator/replay/replay-command.js';
import type { ReplayRequest } from '../../../packages/operator/replay/request.js';
import { ago, booked, consumer, emptyTables, heardBy, NOW, put } from '../bookings.js';

/** One item that can't be read hides no other: each command names it, and continues behind it. */

const SERVICES = heardBy(consumer('seats'));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(NOW) - 86_400_000 });
  emptyTables();
});
afterEach(() => void vi.useRealTimers());

async function replayed(selection: ReplayRequest['selection'], dryRun = false) {
  const sent: string[] = [];
  const said: string[] = [];
  const { text, json } = await replay(
    {
      app: 'shop',
      documents: documentClient,
      clock,
      services: SERVICES,
      command: commandFormatter('shop'),
      say: (line) => void said.push(line),
      actor: async () => 'olga',
      place: 'prod',
      confirm: async () => {},
      wait: async () => {},
      stopped: () => false,
    },
    { consumer: 'seats', selection, rate: 10, again: false, dryRun },
    {
      now: () => NOW,
      messagesIn: async () => 0,
      createdAt: async () => ago(600),
      send: async (_, body) => void sent.push(readEnvelope(body).id),
    },
  );
  return { sent, said: [...said, text].join('\n'), json };
}

describe('a replay', () => {
  const lastHours = { kind: 'span', from: ago(180), to: undefined } as const;
  beforeEach(async () => {
    await booked('aa', ago(50));
    await booked('poison', ago(40), { events: [] });
    await booked('bb', ago(30));
  });
  const recordOfPoison = async () => {
    const Key = { pk: recordKey(relayConsumer, 'Trip#poison/COMMIT#0000000001') };
    return (await documentClient.send(new GetCommand({ TableName: 'trips-records', Key }))).Item?.status;
  };

  test('a replay of a time sends what is behind an unreadable commit, and makes a failure record of that', async () => {
    const { sent, said, json } = await replayed(lastHours);
    expect(sent.toSorted()).toEqual(['event-aa', 'event-bb']);
    expect(said).toMatch(/commits that can't be read +1\n/);
    expect(json).toMatchObject({ replay: { estimate: { commits: 2, unreadable: 1 } } });
    expect(await recordOfPoison()).toBe('FAILED');
  });

  test('a replay with --dry-run counts it, and makes no record', async () => {
    expect(await replayed(lastHours, true)).toMatchObject({
      sent: [],
      json: { replay: { estimate: { unreadable: 1 } } },
    });
    expect(await recordOfPoison()).toBeUndefined();
  });

  test('counts it no longer once its failure is discarded', async () => {
    await put('trips-records', { pk: recordKey(relayConsumer, 'Trip#poison/COMMIT#0000000001'), status: 'DISCARDED' });
    expect((await replayed(lastHours, true)).json).toMatchObject({ replay: { estimate: { unreadable: 0 } } });
  });

  test('a replay of an aggregate sends its other commits', async () => {
    await put('trips', { pk: 'Trip#aa', sk: 'COMMIT#0000000000', events: [] });
    const { sent, json } = await replayed({ kind: 'aggregate', subject: 'Trip/aa' });
    expect(sent).toEqual(['event-aa']);
    expect(json).toMatchObject({ replay: { estimate: { commits: 1, unreadable: 1 } } });
  });

  test('a replay of one event finds it beside an unreadable commit of the same moment', async () => {
    const at = ago(20);
    const id = newId(Date.parse(at));
    const event = { id, type: 'TripBooked', schemaVersion: 1, data: '{"seat":"14A"}' };
    await booked('cc', at, { events: [event] });
    await booked('other', at, { events: [] });
    expect(await replayed({ kind: 'event', id }, true)).toMatchObject({
      json: { replay: { estimate: { commits: 1 } } },
    });
  });
});

test('the audit log lists an entry that can not be read as such, between the others', async () => {
  const done = (target: string) =>
    appendAuditEntry({ documents: documentClient, clock }, SERVICES[0]!, { actor: 'olga', action: 'retry', target });
  await done('TripSaga/before');
  vi.advanceTimersByTime(60_000);
  const at = clock.now();
  await put('trips', { pk: `${AUDIT_PREFIX}${at.slice(0, 7)}`, sk: `${at}#another-release`, operator: 'olga' });
  vi.advanceTimersByTime(60_000);
  await done('TripSaga/after');
  const { text, json } = await listAuditLog({ documents: documentClient, clock, services: SERVICES }, { back: 3_600 });
  expect(json).toMatchObject({
    actions: [
      { target: 'TripSaga/after' },
      { at, actor: '?', action: '?', target: "an entry that can't be read" },
      { target: 'TripSaga/before' },
    ],
  });
  expect(text).toContain(`${at}  ?\n    by      ?\n    to      trips: an entry that can't be read\n`);
});
