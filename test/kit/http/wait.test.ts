import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { waitWhilePending } from '../../../packages/kit/http/wait.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';

inProcessDynamoDb({ records: ['pk'] });

/** Times of reads, in milliseconds after the beginning. */
let reads: number[] = [];
const BEGAN = Date.parse('2026-11-29T12:00:00.000Z');
let customer = 0;
/** Requests that the store has not answered. */
let asked = 0;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout'], now: BEGAN });
  reads = [];
  customer += 1;
  const send = documentClient.send.bind(documentClient) as (...args: readonly unknown[]) => Promise<unknown>;
  vi.spyOn(documentClient, 'send').mockImplementation(async (...args: readonly unknown[]) => {
    asked += 1;
    try {
      return await send(...args);
    } finally {
      asked -= 1;
    }
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const stored = async () => (await documentClient.send(new ScanCommand({ TableName: 'records' }))).Items ?? [];

interface Waiting {
  readonly prefer?: string;
  readonly id?: string;
  /** Milliseconds after which the value is final. */
  readonly final?: number;
  readonly first?: string;
  readonly fails?: boolean;
}
const requestOf = ({ prefer = 'wait=20', id = 'one' }: Waiting) => ({
  id,
  caller: { id: `customer-${customer}`, role: 'customer', expires: 0 },
  listHeader: (name: string) => (name === 'prefer' ? prefer : undefined),
});
const wait = ({ final = Number.POSITIVE_INFINITY, first = 'open', fails = false, ...request }: Waiting = {}) =>
  waitWhilePending(requestOf(request), {
    table: 'records',
    first,
    read: async () => {
      reads.push(Date.now() - BEGAN);
      if (fails) throw new Error('unreadable');
      return Date.now() - BEGAN >= final ? 'closed' : 'open';
    },
    isPending: (value) => value === 'open',
  });

/** Lets time pass until a wait has ended. No time passes while the store has something to answer, however long that takes it. */
async function ended<Value>(waiting: Promise<Value>): Promise<Value> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  waiting.then(over, over);
  while (!isOver) {
    if (asked === 0) await vi.advanceTimersByTimeAsync(50);
    await new Promise(setImmediate);
  }
  return waiting;
}
/** Begins a wait, and lets it take its slot. */
async function begun(waiting: Waiting): Promise<{ readonly waiting: ReturnType<typeof wait> }> {
  const before = (await stored()).length;
  const begins = wait(waiting);
  while ((await stored()).length === before) await new Promise(setImmediate);
  return { waiting: begins };
}

describe('a request that prefers to wait', () => {
  test('is answered as soon as the value is final, and says that it waited', async () => {
    expect(await ended(wait({ final: 2_000 }))).toEqual({
      value: 'closed',
      headers: { 'Preference-Applied': 'wait=20' },
    });
    expect(reads.length).toBeGreaterThan(3);
    expect(reads.at(-1)).toBeGreaterThanOrEqual(2_000);
    expect(reads.at(-1)).toBeLessThan(3_500);
  });

  test('is answered when its time is over, after few reads whose distance grows', async () => {
    expect(await ended(wait({ prefer: 'wait=20' }))).toMatchObject({ value: 'open' });
    expect(Date.now() - BEGAN).toBeLessThan(21_000);
    expect(reads.at(-1)).toBeGreaterThanOrEqual(20_000);
    expect(reads.length).toBeLessThanOrEqual(16);
    const [first = 0, second = 0] = reads;
    expect(second - first).toBeGreaterThanOrEqual(first);
  });

  test('is answered at once if the value is final, and nothing is written', async () => {
    expect(await wait({ first: 'closed' })).toEqual({ value: 'closed', headers: {} });
    expect([reads, await stored()]).toEqual([[], []]);
  });

  test('holds a slot that expires by itself, and gives it back', async () => {
    const { waiting } = await begun({ final: 1_000 });
    const [slot, ...others] = await stored();
    expect(others).toEqual([]);
    expect(slot).toEqual({
      pk: expect.stringMatching(/^wait#[0-9a-f]{64}\/0$/),
      holder: 'one',
      heldUntil: BEGAN / 1000 + 25,
      expiresAt: BEGAN / 1000 + 25,
    });
    await ended(waiting);
    expect(await stored()).toEqual([]);
  });

  test('gives its slot back if it fails', async () => {
    await expect(ended(wait({ fails: true }))).rejects.toThrow('unreadable');
    expect(await stored()).toEqual([]);
  });
});

test('a request that does not prefer to wait is answered at once', async () => {
  expect(await wait({ prefer: 'return=minimal' })).toEqual({ value: 'open', headers: {} });
  expect([reads, await stored()]).toEqual([[], []]);
});

describe('a caller', () => {
  const three = async () => [
    await begun({ id: 'a', final: 5_000 }),
    await begun({ id: 'b', final: 5_000 }),
    await begun({ id: 'c', final: 5_000 }),
  ];

  test('who waits three times is answered at once the fourth time', async () => {
    const waits = await three();
    expect(await wait({ id: 'd' })).toEqual({ value: 'open', headers: {} });
    expect(reads).toEqual([]);
    for (const { waiting } of waits) expect((await ended(waiting)).value).toBe('closed');
    expect((await ended(wait({ id: 'd', final: 6_000 }))).headers).toHaveProperty('Preference-Applied');
  });

  test('is not counted with another one', async () => {
    const waits = await three();
    customer += 1;
    expect((await ended(wait({ id: 'd', final: 5_000 }))).headers).toHaveProperty('Preference-Applied');
    for (const { waiting } of waits) await ended(waiting);
  });

  test('gets back the slots of functions that died', async () => {
    const waits = await three();
    const left = await stored();
    for (const { waiting } of waits) await ended(waiting);
    const { PutCommand } = await import('@aws-sdk/lib-dynamodb');
    for (const Item of left) await documentClient.send(new PutCommand({ TableName: 'records', Item }));
    expect((await wait({ id: 'd' })).headers).toEqual({});
    vi.setSystemTime(BEGAN + 26_000);
    expect((await ended(wait({ id: 'd', final: 27_000 }))).headers).toHaveProperty('Preference-Applied');
  });
});
