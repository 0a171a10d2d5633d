import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { clock } from '../../../packages/kit/aws/clock.js';
import { documentClient, transact } from '../../../packages/kit/aws/dynamodb.js';
import { SequencedMessages } from '../../../packages/kit/inbox/sequenced-messages.js';
import type { CommandContext } from '../../../packages/operator/cli/context.js';
import { commandFormatter } from '../../../packages/operator/cli/text-format.js';
import {
  discardInbox,
  type InboxListRequest,
  listInbox,
  retryInbox,
  showInbox,
} from '../../../packages/operator/inboxes/inbox.js';
import type { InboxState } from '../../../packages/operator/inboxes/inbox-states.js';
import { BEGIN, bodyOf, Parcels, parcelId, Refused, SETTINGS } from '../../kit/inbox/parcels.js';
import { functionEnvironment } from '../../support/function-environment.js';
import { PARCELS } from '../../support/inboxes/contract.js';

const STEPS = { name: 'steps', generation: 0 };
const services = [
  {
    name: 'desk',
    table: 'table',
    records: 'records',
    consumers: [
      { ...PARCELS, queueUrl: '', inbox: { mode: 'single', queueUrl: '' } },
      { ...STEPS, queueUrl: '', inbox: { mode: 'sequential', queueUrl: '' } },
      { name: 'plain', generation: 0, queueUrl: '' },
    ],
  },
];
const context = {
  documents: documentClient,
  clock,
  services,
  command: commandFormatter('orderly'),
  actor: async () => 'olga',
} as unknown as CommandContext;

let parcels: Parcels;
beforeAll(() => functionEnvironment());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** One message in each state: the parcel that it is about has the state's name. */
beforeEach(async () => {
  parcels = new Parcels();
  await parcels.receive(['failed', 'paused', 'running', 'waiting'].map((name) => parcels.message(name)));
  parcels.handle = () => Promise.reject(new Refused());
  await parcels.run('failed');
  parcels.handle = () => Promise.reject(new Error('a secret'));
  await parcels.run('paused');
  await parcels.take('running');
  parcels.pass(5);
  const early = parcels.message('parked', { sequence: 2 });
  const steps = new SequencedMessages({ table: 'records', consumer: STEPS });
  await steps.store(early, bodyOf(early));
  await steps.park(steps.keyOf(early), 300, undefined);
  // The index follows within seconds.
  parcels.pass(10);
});

const listed = async (asked: Partial<InboxListRequest> = {}) => {
  const outcome = await listInbox(context, { consumer: undefined, state: undefined, subject: undefined, ...asked });
  return { ...outcome, messages: (outcome.json as { messages: Readonly<Record<string, unknown>>[] }).messages };
};

describe('orderly inbox list', () => {
  test('shows each stored message that has not ended, oldest first, with its state and no value of it', async () => {
    const { messages, text } = await listed();
    expect(messages.map(({ messageId, state }) => [messageId, state]).toSorted()).toEqual(
      ['failed', 'parked', 'paused', 'running', 'waiting'].map((name) => [parcelId(name), name]),
    );
    expect(messages.at(-1)).toMatchObject({
      consumer: 'steps',
      messageId: parcelId('parked'),
      storedAt: '2026-03-01T00:00:05.000Z',
    });
    expect(messages.find(({ messageId }) => messageId === parcelId('paused'))).toMatchObject({
      service: 'desk',
      consumer: 'parcels',
      topic: 'shop/ParcelSent',
      subject: 'Parcel/paused',
      attempts: 1,
      storedAt: BEGIN,
      reason: 'Error',
    });
    expect(text).toContain('5 stored messages; the oldest: ');
    expect(text + JSON.stringify(messages)).not.toContain('a secret');
  });

  test.each<InboxState>(['failed', 'parked', 'paused', 'running', 'waiting'])(
    'the list can be filtered by state: %s',
    async (state) => {
      expect((await listed({ state })).messages.map(({ messageId }) => messageId)).toEqual([parcelId(state)]);
    },
  );

  test('a message that was parked and has had its turn is not parked any more, whatever became of its attempt', async () => {
    const steps = new SequencedMessages({ table: 'records', consumer: STEPS });
    const pk = steps.keyOf(parcels.message('parked', { sequence: 2 }));
    const state = async () => (await listed({ consumer: 'steps' })).messages[0]?.state;
    const taken = await steps.claim({ record: pk }, SETTINGS);
    if (taken) await steps.postpone(taken, new Error('not today'), 30);
    parcels.pass(10);
    expect(await state()).toBe('paused');
    parcels.pass(30);
    expect(await state()).toBe('waiting');
  });

  test('the list can be filtered by consumer and by subject', async () => {
    expect((await listed({ consumer: 'steps' })).messages.map(({ messageId }) => messageId)).toEqual([
      parcelId('parked'),
    ]);
    const ofSubject = await listed({ subject: 'Parcel/waiting' });
    expect(ofSubject.messages.map(({ messageId }) => messageId)).toEqual([parcelId('waiting')]);
    expect((await listed({ consumer: 'steps', subject: 'Parcel/waiting' })).text).toBe('no stored messages');
  });

  test('leaves out what has been processed', async () => {
    parcels.handle = () => ({ decide: async () => [] });
    await parcels.run('waiting');
    parcels.pass(10);
    expect((await listed({ subject: 'Parcel/waiting' })).messages).toEqual([]);
  });

  test('names the inboxes where a consumer has none', async () => {
    await expect(listed({ consumer: 'plain' })).rejects.toMatchObject({
      code: 'not-found',
      message: "Consumer 'plain' has no inbox; these have one: parcels, steps.",
    });
  });
});

describe('orderly inbox show', () => {
  const shown = async (consumer: string, name: string, payload = false) =>
    (await showInbox(context, { consumer, messageId: parcelId(name), payload })).text;

  test('says who holds a message, until when it pauses, and that the next attempt continues', async () => {
    expect(await shown('parcels', 'running')).toMatch(/state +running[\s\S]*held until +2026-03-01T00:01:00.000Z/);
    expect(await shown('parcels', 'paused')).toMatch(/state +paused[\s\S]*paused until +2026-03-01T00:00:30.000Z/);
    expect(await shown('parcels', 'waiting')).toMatch(/state +waiting/);
    const work = { pk: parcels.key('running'), fence: 1 };
    const save = { progress: { page: 1 }, id: 'save-1', follows: undefined, isNew: true };
    await transact([parcels.messages.saveWrite(work, save, 60)]);
    expect(await shown('parcels', 'running')).toMatch(/progress +saved; the next attempt continues from it/);
  });

  test('finds a message of a sequential inbox by its id, which is not in its key', async () =>
    expect(await shown('steps', 'parked')).toMatch(/state +parked/));

  test('shows the reasons of a failure, and the message itself only when asked', async () => {
    const text = await shown('parcels', 'failed');
    expect(text).toContain('Parcel/failed');
    expect(text).not.toContain('"detail-type"');
    expect(await shown('parcels', 'failed', true)).toContain('"detail-type"');
  });
});

describe('orderly inbox retry and discard', () => {
  test('both are refused for a message that has not failed, and for a consumer without an inbox', async () => {
    const asked = { consumer: 'parcels', messageId: parcelId('paused'), notDone: false, dryRun: true, reason: 'test' };
    await expect(retryInbox(context, asked)).rejects.toMatchObject({ code: 'refused' });
    await expect(discardInbox(context, asked)).rejects.toMatchObject({ code: 'refused' });
    for (const command of [retryInbox, discardInbox]) {
      await expect(command(context, { ...asked, consumer: 'plain' })).rejects.toMatchObject({ code: 'not-found' });
    }
  });

  test('a retry says what it would send; a discarded message is in no list any more', async () => {
    const asked = { consumer: 'parcels', messageId: parcelId('failed'), notDone: false, dryRun: true, reason: 'test' };
    expect((await retryInbox(context, asked)).text).toContain('would send its');
    await discardInbox(context, { ...asked, dryRun: false });
    parcels.pass(10);
    expect((await listed({ subject: 'Parcel/failed' })).messages).toEqual([]);
    expect(await parcels.record('failed')).toMatchObject({
      status: 'DISCARDED',
      discardReason: 'test',
      discardedBy: 'olga',
    });
  });
});
