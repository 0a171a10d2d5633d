import {
  EventBridgeClient,
  type PutEventsCommandInput,
  type PutEventsCommandOutput,
} from '@aws-sdk/client-eventbridge';
import { describe, expect, test, vi } from 'vitest';
import * as clock from '../../../packages/kit/aws/clock.js';
import type { BusEntry } from '../../../packages/kit/messages/envelope.js';
import { publish } from '../../../packages/kit/outbox/publish.js';

const entry = (n: number, bytes = 10): BusEntry => ({ Source: 's', DetailType: `t${n}`, Detail: 'x'.repeat(bytes) });
const entries = (count: number, bytes?: number) => Array.from({ length: count }, (_, n) => entry(n, bytes));
type Answer = (detailType: string, call: number) => { EventId?: string; ErrorCode?: string };

/** A client that answers each entry as told, and keeps what it was sent. */
function bus(answer: Answer) {
  const calls: string[][] = [];
  const client = new EventBridgeClient({});
  client.send = async ({ input }: { input: PutEventsCommandInput }): Promise<PutEventsCommandOutput> => {
    const types = (input.Entries ?? []).map(({ DetailType = '' }) => DetailType);
    calls.push(types);
    return { $metadata: {}, Entries: types.map((type) => answer(type, calls.length)), FailedEntryCount: 0 };
  };
  return { client, calls };
}
const takesAll: Answer = () => ({ EventId: '1' });
const always = () => true;

describe('publishing', () => {
  test('sends at most 10 entries a call', async () => {
    const { client, calls } = bus(takesAll);
    const outcomes = await publish(client, 'b', entries(23), always);
    expect(calls.map(({ length }) => length).sort()).toEqual([10, 10, 3]);
    expect(outcomes.every(({ state }) => state === 'sent')).toBe(true);
  });
  test('sends at most 1 MB a call', async () => {
    const { client, calls } = bus(takesAll);
    await publish(client, 'b', entries(4, 400_000), always);
    expect(calls.map(({ length }) => length)).toEqual([2, 2]);
  });
  test('sends again only what failed', async () => {
    const { client, calls } = bus((type, call) =>
      type === 't1' && call < 3 ? { ErrorCode: 'ThrottlingException' } : { EventId: '1' },
    );
    const outcomes = await publish(client, 'b', entries(3), always);
    expect(calls).toEqual([['t0', 't1', 't2'], ['t1'], ['t1']]);
    expect(outcomes.map(({ state }) => state)).toEqual(['sent', 'sent', 'sent']);
  });
  test('waits before each retry up to twice as long as before the last one, at most 2 seconds, and never at first', async () => {
    const waits: number[] = [];
    const wait = vi.spyOn(clock, 'sleepWithJitter').mockImplementation(async (limit) => void waits.push(limit));
    const { client } = bus((_, call) => (call < 9 ? { ErrorCode: 'ThrottlingException' } : { EventId: '1' }));
    await publish(client, 'b', entries(1), always);
    wait.mockRestore();
    expect(waits).toEqual([100, 200, 400, 800, 1600, 2000, 2000, 2000]);
  });
  test('takes an answer without entries as unsent', async () => {
    const client = new EventBridgeClient({});
    const answers = [{}, { Entries: [{ EventId: '1' }] }];
    client.send = async () => answers.shift() as never;
    expect(await publish(client, 'b', entries(1), always)).toEqual([{ state: 'sent' }]);
  });
  test('says what is unsent when its time is over', async () => {
    let rounds = 0;
    const { client } = bus((type) => (type === 't0' ? { ErrorCode: 'InternalFailure' } : { EventId: '1' }));
    const outcomes = await publish(client, 'b', entries(2), () => ++rounds <= 2);
    expect(outcomes).toEqual([{ state: 'unsent', code: 'InternalFailure' }, { state: 'sent' }]);
  });
  test('gives up what can never be sent, and nothing else', async () => {
    const { client, calls } = bus((type) => (type === 't0' ? { ErrorCode: 'MalformedDetail' } : { EventId: '1' }));
    const outcomes = await publish(client, 'b', entries(2), always);
    expect(outcomes).toEqual([{ state: 'hopeless', code: 'MalformedDetail' }, { state: 'sent' }]);
    expect(calls).toHaveLength(1);
  });
  test('takes an entry without an answer as unsent', async () => {
    const { client, calls } = bus((_, call) => (call === 1 ? {} : { EventId: '1' }));
    expect(await publish(client, 'b', entries(1), always)).toEqual([{ state: 'sent' }]);
    expect(calls).toHaveLength(2);
  });
  test.each(['NotAuthorizedForDetailTypeException', 'AccessDeniedException'])(
    'fails as a whole where it may not publish at all: %s',
    async (ErrorCode) => {
      const { client } = bus(() => ({ ErrorCode }));
      await expect(publish(client, 'b', entries(1), always)).rejects.toThrow(ErrorCode);
    },
  );
});
