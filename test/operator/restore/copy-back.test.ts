import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { documentClient, type Item } from '../../../packages/kit/aws/dynamodb.js';
import { PAUSES } from '../../../packages/operator/consumers/pauses.js';
import { copyBack } from '../../../packages/operator/restore/copy-back.js';
import { runCondition } from '../../../packages/operator/restore/restore-record.js';
import { compareTables, type Place } from '../../../packages/operator/restore/table-comparison.js';
import { type Call, inProcessDynamoDb } from '../../support/in-process-dynamodb.js';

const NOW = '2026-12-01T12:00:00.000Z';
const AT = '2026-12-01T11:00:00.000Z';
const PAIR = { live: 'trips', copy: 'copy' };
let calls: readonly Call[];
beforeEach(async () => {
  ({ calls } = inProcessDynamoDb({ trips: ['pk', 'sk'], copy: ['pk', 'sk'] }));
  await put('trips', { pk: 'RESTORE', sk: AT, run: 'mine' });
});
afterEach(() => void vi.restoreAllMocks());

const put = (TableName: string, item: Item) => documentClient.send(new PutCommand({ TableName, Item: item }));
const itemsIn = async (TableName: string) => (await documentClient.send(new ScanCommand({ TableName }))).Items ?? [];
const commit = (id: number, more: Item = {}): Item => ({ pk: `Trip#${id}`, sk: 'COMMIT#0000000001', ...more });
const copied = (run = 'mine', from?: Place) =>
  copyBack(
    {
      documents: documentClient,
      check: (place) => runCondition({ table: 'trips' }, { at: AT, run }, { tables: 0, ...place }),
      wait: async () => undefined,
      told: () => undefined,
    },
    PAIR,
    NOW,
    from,
  );
const transactions = () => calls.filter(({ operation }) => operation === 'TransactWriteItems').length;

describe('a live table', () => {
  test('becomes equal to its copy, in transactions of 100, and stays so', async () => {
    for (let id = 0; id < 250; id++) await put('copy', commit(id, { n: id }));
    for (let id = 200; id < 300; id++) await put('trips', commit(id, { n: id % 2 === 0 ? id : -1 }));
    // 25 even ones are the same. The others of the copy are put, and the newer ones deleted.
    expect(await compareTables(documentClient, PAIR, NOW)).toMatchObject({ same: 25, put: 225, deleted: 50 });
    expect(transactions()).toBe(0);
    expect(await copied()).toMatchObject({ same: 25, put: 225, deleted: 50 });
    expect(transactions()).toBe(Math.ceil(275 / 99));
    const numbers = (await itemsIn('trips')).filter(({ pk }) => pk !== 'RESTORE').map(({ n }) => Number(n));
    expect(numbers.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 250 }, (_, id) => id));
    expect(await compareTables(documentClient, PAIR, NOW)).toMatchObject({ put: 0, deleted: 0 });
  });

  test('gets commits that are not published a second time, and states as they were', async () => {
    await put('copy', commit(1));
    await put('copy', { pk: 'Trip#1', sk: 'STATE', version: 1 });
    await copied();
    expect(await itemsIn('trips')).toEqual(
      expect.arrayContaining([commit(1, { published: false }), { pk: 'Trip#1', sk: 'STATE', version: 1 }]),
    );
  });

  test('keeps what operators did: the audit log, and records of restores', async () => {
    const own = [
      { pk: 'AUDIT#2026-12', sk: 'a' },
      // A pause of an operator: what is paused stays so, whatever the service forgets.
      { pk: PAUSES, sk: 'bookings' },
      { pk: 'RESTORE', sk: AT, run: 'mine' },
    ];
    await put('trips', own[0] as Item);
    await put('trips', own[1] as Item);
    await put('copy', { pk: 'AUDIT#2026-11', sk: 'b' });
    await put('copy', { pk: 'RESTORE', sk: '2026-11-01T00:00:00.000Z', run: 'old' });
    expect(await copied()).toMatchObject({ put: 0, deleted: 0 });
    expect(await itemsIn('trips')).toEqual(expect.arrayContaining(own.map((item) => expect.objectContaining(item))));
    expect(await itemsIn('trips')).toHaveLength(3);
  });

  test('a live table does not get expired items back: TTL has deleted them, or will', async () => {
    const seconds = Date.parse(NOW) / 1000;
    await put('copy', commit(1, { expiresAt: seconds }));
    await put('copy', commit(2, { expiresAt: seconds + 1 }));
    expect(await copied()).toMatchObject({ same: 1, put: 1 });
    expect((await itemsIn('trips')).map(({ pk }) => pk)).toEqual(expect.arrayContaining(['RESTORE', 'Trip#2']));
    expect(await itemsIn('trips')).toHaveLength(2);
  });

  test('a live table is the same if a set has another order, and numbers keep their digits', async () => {
    const digits = '12345678901234567890123456789012345678';
    const raw = (SS: string[]) => ({
      pk: { S: 'a' },
      sk: { S: 'b' },
      tags: { SS },
      deep: { L: [{ M: { n: { N: digits } } }] },
    });
    const { PutItemCommand, ScanCommand: RawScan } = await import('@aws-sdk/client-dynamodb');
    await documentClient.send(new PutItemCommand({ TableName: 'copy', Item: raw(['x', 'y']) }));
    await documentClient.send(new PutItemCommand({ TableName: 'trips', Item: raw(['y', 'x']) }));
    expect(await copied()).toMatchObject({ same: 1, put: 0 });
    await documentClient.send(new PutItemCommand({ TableName: 'copy', Item: raw(['x', 'z']) }));
    await copied();
    const { Items = [] } = await documentClient.send(new RawScan({ TableName: 'trips' }));
    expect(Items.find(({ pk }) => pk?.S === 'a')).toEqual(raw(['x', 'z']));
  });

  test('takes items of which one transaction would be too large', async () => {
    for (let id = 0; id < 12; id++) await put('copy', commit(id, { text: 'x'.repeat(390_000) }));
    expect(await copied()).toMatchObject({ put: 12 });
    expect(transactions()).toBe(2);
  });
});

describe('a copy that is cut off', () => {
  /** Lets the calls of a kind end at one of them, which is carried out or not. */
  const dyingAt = (kind: string, number: number, isDone = false) => {
    const send = documentClient.send.bind(documentClient) as (command: object) => Promise<unknown>;
    let seen = 0;
    vi.spyOn(documentClient, 'send').mockImplementation((async (command: object) => {
      if (command.constructor.name !== kind || ++seen !== number) return send(command);
      if (isDone) await send(command);
      throw new Error('killed');
    }) as never);
  };
  const noted = async () => {
    const { Item } = await documentClient.send(new GetCommand({ TableName: 'trips', Key: { pk: 'RESTORE', sk: AT } }));
    return Item?.copied as Place | undefined;
  };
  const reads = () => calls.filter(({ operation }) => /^(Scan|BatchGetItem)$/.test(operation)).length;
  const begin = async (pageItems: number) => {
    ({ calls } = inProcessDynamoDb({ trips: ['pk', 'sk'], copy: ['pk', 'sk'] }, {}, pageItems));
    await put('trips', { pk: 'RESTORE', sk: AT, run: 'mine' });
  };

  test.each([
    ['before a transaction', false],
    ['after a transaction', true],
  ])('%s begins again behind the last one that was carried out', async (_, isDone) => {
    await begin(50);
    for (let id = 0; id < 500; id++) await put('copy', commit(id));
    for (let id = 500; id < 700; id++) await put('trips', commit(id));
    const all = { read: 0 };
    for (let death = 1; ; death++) {
      dyingAt('TransactWriteItemsCommand', 2, isDone);
      const before = reads();
      const end = await copied('mine', await noted()).catch((error: Error) => error.message);
      vi.restoreAllMocks();
      all.read += reads() - before;
      if (end !== 'killed') break;
      expect(death).toBeLessThan(10);
    }
    expect(await compareTables(documentClient, PAIR, NOW)).toMatchObject({ same: 500, put: 0, deleted: 0 });
    // One reading of all, in pages of 50 with their counterparts, has (10 + 11 + 4) * 2 calls. Each of the deaths, at most
    // 7, reads the pages again that had filled its transaction: at most four.
    expect(all.read).toBeLessThan(50 + 7 * 8);
  });

  test('notes how far it is even if there is nothing to write', async () => {
    await begin(1_000);
    for (let id = 0; id < 1_200; id++) for (const table of ['copy', 'trips']) await put(table, commit(id));
    dyingAt('ScanCommand', 2);
    await expect(copied()).rejects.toThrow('killed');
    expect(await noted()).toMatchObject({ pass: 0, after: { sk: 'COMMIT#0000000001' } });
    vi.restoreAllMocks();
    const before = reads();
    expect(await copied('mine', await noted())).toMatchObject({ same: 200, put: 0, deleted: 0 });
    // The rest of the copy in one page, and the live table, with the record, in two; a call for a hundred counterparts.
    expect(reads() - before).toBe(1 + 2 + 2 + 13);
    // The end of the last pass: the next table is compared from its beginning.
    expect(await noted()).toEqual({ tables: 0, pass: 2 });
  });
});

describe('nothing is written', () => {
  test.each([
    ['by a run that another one has overtaken', { run: 'another' }],
    ['once the copying is done', { run: 'mine', copiedAt: NOW }],
  ])('%s', async (_, record) => {
    await put('trips', { pk: 'RESTORE', sk: AT, ...record });
    await put('copy', commit(1));
    await put('trips', commit(2));
    await expect(copied()).rejects.toMatchObject({ code: 'refused', message: expect.stringMatching(/taken over/) });
    expect((await itemsIn('trips')).map(({ pk }) => pk).toSorted()).toEqual(['RESTORE', 'Trip#2']);
  });
});

describe('a transaction', () => {
  const failing = (codes: readonly string[], times: number) => {
    const send = documentClient.send.bind(documentClient) as (command: object) => Promise<unknown>;
    let failed = 0;
    vi.spyOn(documentClient, 'send').mockImplementation((async (command: object) => {
      if (command.constructor.name === 'TransactWriteItemsCommand' && failed++ < times) {
        const CancellationReasons = codes.map((Code) => ({ Code }));
        throw new TransactionCanceledException({ message: 'cancelled', $metadata: {}, CancellationReasons });
      }
      return send(command);
    }) as never);
  };

  test('a transaction that meets another one, or is throttled, is tried again', async () => {
    await put('copy', commit(1));
    failing(['TransactionConflict', 'ThrottlingError'], 3);
    expect(await copied()).toMatchObject({ put: 1 });
    vi.restoreAllMocks();
    expect(await compareTables(documentClient, PAIR, NOW)).toMatchObject({ put: 0 });
  });

  test.each([
    ['for another reason is not', ['None', 'ValidationError'], 1],
    ['again and again ends', ['None', 'TransactionConflict'], 10],
  ])('a transaction that fails %s ends the copy', async (_, codes, times) => {
    await put('copy', commit(1));
    failing(codes, times);
    await expect(copied()).rejects.toThrow('cancelled');
  });
});
