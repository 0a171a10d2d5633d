import { ScanCommand as RawScan } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { clock } from '../../../packages/kit/aws/clock.js';
import { documentClient, type Item } from '../../../packages/kit/aws/dynamodb.js';
import { smallestIdAt } from '../../../packages/kit/aws/ids.js';
import { listAuditLog } from '../../../packages/operator/audit-log/audit-log.js';
import { OperatorError } from '../../../packages/operator/cli/errors.js';
import { commandFormatter } from '../../../packages/operator/cli/text-format.js';
import { restoreCommands } from '../../../packages/operator/commands/restore.js';
import type { Service } from '../../../packages/operator/deployment/services.js';
import { type ApplyContext, applyRestore, type RestoreApplyRequest } from '../../../packages/operator/restore/apply.js';
import type { ApplyAccess } from '../../../packages/operator/restore/apply-access.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';

const NOW = '2026-12-01T12:00:00.000Z';
const AT = '2026-12-01T11:00:00.000Z';
const COPIES = ['trips-restored-20261201110000', 'trips-records-restored-20261201110000'] as const;

const TRIPS: Service = {
  name: 'trips',
  table: 'trips',
  records: 'trips-records',
  relay: 'trips-relay',
  epoch: 0,
  feedShards: [{ from: '1970-01-01T00:00:00.000Z', shards: 1 }],
  consumers: [],
};
const fn = (name: string) => ({ service: 'trips', entry: `trips/${name}`, name });
const STACKS = {
  Trips: { ServiceName: 'trips', Functions: JSON.stringify(['trips-relay', 'book', 'on'].map(fn)) },
};

/** State of AWS: switches, copies, and the changes in their order. */
interface Aws {
  reserved: Record<string, number | undefined>;
  mappings: Record<string, { id: string; state: string }[]>;
  copies: Record<string, { status: string; from?: { table: string; at: string } } | undefined>;
  epoch: number;
  lastInvocation: string | undefined;
  restorableTo: string;
  changes: string[];
}
let aws: Aws;
let waits: number;
/** Called after each wait. */
let meanwhile: () => void;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(NOW) });
  inProcessDynamoDb(
    { trips: ['pk', 'sk'], 'trips-records': ['pk'], [COPIES[0]]: ['pk', 'sk'], [COPIES[1]]: ['pk'] },
    { trips: { feed: ['feedPk', 'feedSk'] }, 'trips-records': { failed: ['failedConsumer', 'failedAt'] } },
  );
  aws = {
    reserved: { on: 10 },
    mappings: {
      'trips-relay': [{ id: 'm-relay', state: 'Enabled' }],
      on: [
        { id: 'm-on', state: 'Enabled' },
        { id: 'm-off', state: 'Disabled' },
      ],
    },
    copies: {},
    epoch: 0,
    lastInvocation: undefined,
    restorableTo: '2026-12-01T11:55:00.000Z',
    changes: [],
  };
  waits = 0;
  meanwhile = () => undefined;
  // The copies are what the tables were: AWS fills them, so they are there from the beginning here.
  await put(COPIES[0], { pk: 'Trip#1', sk: 'COMMIT#0000000001', lastVersion: 1 });
  await put('trips', { pk: 'Trip#1', sk: 'COMMIT#0000000001', lastVersion: 1 });
  await put('trips', { pk: 'Trip#2', sk: 'COMMIT#0000000001', lastVersion: 1 });
  await put('trips-records', { pk: 'on@0#m1' });
});
afterEach(() => void vi.useRealTimers());

const put = (TableName: string, item: Item) => documentClient.send(new PutCommand({ TableName, Item: item }));
const keysIn = async (TableName: string) =>
  ((await documentClient.send(new ScanCommand({ TableName }))).Items ?? [])
    .map(({ pk }) => String(pk))
    .filter((pk) => !/^(AUDIT#|RESTORE$)/.test(pk))
    .toSorted();
const tables = async () => [await keysIn('trips'), await keysIn('trips-records')];
const BEFORE = [['Trip#1', 'Trip#2'], ['on@0#m1']];
const RESTORED = [['Trip#1'], []];

const mapping = (id: string) =>
  Object.values(aws.mappings)
    .flat()
    .find((one) => one.id === id);
/** Completes the changes that AWS has begun. */
const passed = () => {
  for (const one of Object.values(aws.mappings).flat()) {
    if (one.state === 'Disabling') one.state = 'Disabled';
    if (one.state === 'Enabling') one.state = 'Enabled';
  }
  for (const copy of Object.values(aws.copies)) if (copy) copy.status = 'ACTIVE';
};

const access: ApplyAccess = {
  now: () => new Date().toISOString(),
  table: async () => ({ items: 1, bytes: 1, restorable: { from: '2026-11-01T00:00:00.000Z', to: aws.restorableTo } }),
  epoch: async () => aws.epoch,
  reserved: async (name) => aws.reserved[name],
  listMappings: async (name) => (aws.mappings[name] ?? []).map((one) => ({ ...one })),
  switchMapping: async (id, enabled) => {
    aws.changes.push(`${id} ${enabled ? 'on' : 'off'}`);
    const found = mapping(id);
    if (found) found.state = enabled ? 'Enabling' : 'Disabling';
    return true;
  },
  reserve: async (name, limit) => {
    aws.changes.push(`${name} ${limit ?? 'unlimited'}`);
    aws.reserved[name] = limit;
  },
  timeout: async (name) => (name === 'on' ? 30 : 10),
  lastInvocation: async () => aws.lastInvocation,
  copy: async (name) => aws.copies[name],
  restore: async ({ source, copy }, at) => {
    aws.changes.push(`restore ${source}`);
    aws.copies[copy] = { status: 'CREATING', from: { table: source, at } };
  },
  deleteTable: async (name) => {
    aws.changes.push(`delete ${name}`);
    aws.copies[name] = undefined;
  },
};

let confirmed: string[];
async function applied(
  request: Partial<RestoreApplyRequest> = {},
  more: Partial<ApplyContext> & { epoch?: number } = {},
) {
  confirmed = [];
  const { epoch = 0, ...context } = more;
  const outcome = await applyRestore(
    {
      documents: documentClient,
      clock,
      services: [{ ...TRIPS, epoch }],
      stacks: STACKS,
      environment: 'prod',
      command: commandFormatter('shop'),
      deployment: { settings: 'settings.ts', command: (name) => `deploy ${name}` },
      actor: async () => 'olga',
      say: () => undefined,
      confirm: async (what) => void confirmed.push(what),
      stopped: () => false,
      wait: async (seconds) => {
        waits++;
        vi.setSystemTime(Date.now() + seconds * 1000);
        passed();
        meanwhile();
      },
      ...context,
    },
    { service: 'trips', at: AT, dryRun: false, cancel: false, deleteCopies: false, ...request },
    access,
  );
  const result = outcome.json.restoreApply as { state: string; next: readonly string[]; forgotten?: object };
  return { ...outcome, result };
}
const recordOfRestore = async () =>
  (await documentClient.send(new GetCommand({ TableName: 'trips', Key: { pk: 'RESTORE', sk: AT } }))).Item;
const AGAIN = 'shop restore apply trips --at 2026-12-01T11:00:00Z --environment prod';

describe('a restore', () => {
  test('stops mappings, then functions, restores, copies back, and waits for the deployment', async () => {
    let stoppedWith: string | undefined;
    const { reserve } = access;
    vi.spyOn(access, 'reserve').mockImplementation(async (...call) => {
      stoppedWith ??= mapping('m-on')?.state;
      await reserve(...call);
    });
    const { exitCode, result, text } = await applied();
    vi.restoreAllMocks();
    expect(aws.changes).toEqual(['m-on off', 'book 0', 'on 0', 'restore trips', 'restore trips-records']);
    // A function without concurrency would use up the deliveries of what a mapping still reads.
    expect(stoppedWith).toBe('Disabled');
    expect(mapping('m-relay')?.state).toBe('Enabled');
    expect(await tables()).toEqual(RESTORED);
    expect({ exitCode, state: result.state }).toEqual({ exitCode: 3, state: 'deploy' });
    expect(result.next).toEqual(["set epochs: { trips: 1 } of 'prod' in settings.ts", 'deploy prod', AGAIN]);
    expect(text).toMatch(
      /^trips has the data of 2026-12-01T11:00:00\.000Z, and stands still until epoch 1 is deployed\n/,
    );
    expect(confirmed).toEqual([
      'restore of trips to 2026-12-01T11:00:00.000Z, which stops 2 functions and forgets 0 commits, in prod',
      'the restore of trips to 2026-12-01T11:00:00.000Z puts 0 items back and deletes 2 items in prod',
    ]);
  });

  test('gives functions and mappings back what they had, once functions and stack have the epoch', async () => {
    await applied();
    aws.changes = [];
    aws.epoch = 1;
    expect((await applied()).result.state).toBe('deploy');
    aws.epoch = 0;
    expect((await applied({}, { epoch: 1 })).result.state).toBe('deploy');
    expect(aws.changes).toEqual([]);
    aws.epoch = 1;
    const { exitCode, text } = await applied({}, { epoch: 1 });
    expect(aws.changes.toSorted()).toEqual(['book unlimited', 'm-on on', 'on 10']);
    expect(mapping('m-off')?.state).toBe('Disabled');
    expect(exitCode).toBe(0);
    expect(text).toMatch(/^trips is restored to 2026-12-01T11:00:00\.000Z, in epoch 1\n/);
    expect(confirmed).toEqual([]);
  });

  test('a completed restore takes nothing away any more, and its copies are deleted only on request', async () => {
    await applied();
    aws.epoch = 1;
    await applied({}, { epoch: 1 });
    await put('trips', { pk: 'Trip#3', sk: 'COMMIT#0000000001', lastVersion: 1 });
    aws.changes = [];
    await applied({}, { epoch: 1 });
    expect(aws.changes).toEqual([]);
    const { result } = await applied({ deleteCopies: true }, { epoch: 1 });
    expect(result).toMatchObject({ state: 'done', next: ['shop doctor --environment prod'] });
    expect(confirmed).toEqual(['deletion of the copies of trips of 2026-12-01T11:00:00.000Z in prod']);
    expect(aws.changes).toEqual(COPIES.map((name) => `delete ${name}`));
    await applied({ deleteCopies: true }, { epoch: 1 });
    expect(aws.changes).toHaveLength(2);
    expect(await tables()).toEqual([['Trip#1', 'Trip#3'], []]);
  });

  test('a restore that died while it started the functions neither stops them again nor copies', async () => {
    await applied();
    aws.epoch = 1;
    vi.spyOn(access, 'switchMapping').mockRejectedValueOnce(new Error('killed'));
    await expect(applied({}, { epoch: 1 })).rejects.toThrow('killed');
    vi.restoreAllMocks();
    await put('trips', { pk: 'Trip#3', sk: 'COMMIT#0000000001', lastVersion: 1 });
    aws.changes = [];
    expect((await applied({}, { epoch: 1 })).result.state).toBe('done');
    expect(aws.changes).toContain('m-on on');
    expect(aws.changes).not.toContain('on 0');
    expect((await tables())[0]).toEqual(['Trip#1', 'Trip#3']);
  });

  test('waits until the relay has been quiet for three minutes, after the longest time of a function', async () => {
    const asked: number[] = [];
    const busyUntil = Date.parse(NOW) + 10 * 60_000;
    meanwhile = () => {
      if (Date.now() < busyUntil) aws.lastInvocation = new Date(Math.floor(Date.now() / 60_000) * 60_000).toISOString();
    };
    const { restore } = access;
    vi.spyOn(access, 'restore').mockImplementation(async (...call) => {
      asked.push(Date.now());
      await restore(...call);
    });
    await applied();
    vi.restoreAllMocks();
    // The newest invocation is of the minute that ends at `busyUntil`.
    expect(asked[0]).toBeGreaterThanOrEqual(busyUntil + 180_000);
    expect(asked[0]).toBeLessThan(busyUntil + 240_000);
  });

  test('waits for what its functions had begun, even if the relay is quiet', async () => {
    const began = Date.now();
    let asked = 0;
    const { restore } = access;
    vi.spyOn(access, 'restore').mockImplementation(async (...call) => {
      asked ||= Date.now();
      await restore(...call);
    });
    await applied();
    vi.restoreAllMocks();
    expect(asked - began).toBeGreaterThanOrEqual(210_000);
  });

  /** Puts a commit that the instant doesn't have. */
  async function forgettable(): Promise<void> {
    const commit = {
      events: [{ id: 'e1', type: 'TripBooked', schemaVersion: 1, data: '{}' }],
      lastVersion: 1,
      trigger: 'request',
      actor: 'user:alice',
      correlationId: 'c',
      traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
      at: '2026-12-01T11:30:00.000Z',
      feedPk: '2026-12-01T11#0',
      feedSk: smallestIdAt(Date.parse('2026-12-01T11:30:00.000Z')),
    };
    await put('trips', { pk: 'Trip#3', sk: 'COMMIT#0000000001', ...commit });
    vi.advanceTimersByTime(10_000);
  }
  const KEPT = { commits: 1, types: [{ type: 'TripBooked', count: 1 }], subjects: ['Trip/3'] };

  test('removes forgotten commits from the feed for good', async () => {
    await forgettable();
    await applied();
    expect((await applied()).result.forgotten).toMatchObject(KEPT);
    expect((await tables())[0]).toEqual(['Trip#1']);
  });

  test('a restore that died after its first write keeps the earlier list, even if functions ran meanwhile', async () => {
    await forgettable();
    const send = documentClient.send.bind(documentClient) as (command: object) => Promise<unknown>;
    vi.spyOn(documentClient, 'send').mockImplementation((async (command: object) => {
      const answer = await send(command);
      if (command.constructor.name === 'TransactWriteItemsCommand') throw new Error('killed');
      return answer;
    }) as never);
    await expect(applied()).rejects.toThrow('killed');
    vi.restoreAllMocks();
    expect((await tables())[0]).toEqual(['Trip#1']);
    aws.reserved.on = 10;
    vi.advanceTimersByTime(10_000);
    expect((await applied()).result).toMatchObject({ state: 'deploy', forgotten: KEPT });
  });

  test('says what was off before, which stays off', async () => {
    const said: string[] = [];
    await applied({}, { say: (line) => void said.push(line) });
    expect(said[0]).toBe('switched off already, and therefore not switched on afterwards: on');
  });

  test('a restore has its steps in the audit log', async () => {
    await applied();
    const { json } = await listAuditLog(
      { documents: documentClient, clock, services: [TRIPS] },
      { back: 366 * 86_400 },
    );
    const { actions } = json as { actions: readonly Record<string, string>[] };
    expect(actions.map(({ actor, action, target, result }) => [actor, action, target, result]).toReversed()).toEqual([
      ['olga', 'restore', `stop (to ${AT})`, '2 functions'],
      ['olga', 'restore', `restore (to ${AT})`, '2 copies'],
      ['olga', 'restore', `copy back (to ${AT})`, '0 put back, 2 deleted'],
    ]);
  });
});

describe('a restore stops', () => {
  test('a restore stops before anything is changed if its tables have no such instant', async () => {
    aws.restorableTo = '2026-12-01T10:59:00.000Z';
    const { exitCode, json } = await applied();
    expect(exitCode).toBe(4);
    expect(json.restorePlan).toMatchObject({ possible: false });
    expect([aws.changes, await recordOfRestore()]).toEqual([[], undefined]);
  });

  test.each([
    ['stop', 1, [], BEFORE],
    ['copying', 2, ['m-on off', 'book 0', 'on 0', 'restore trips', 'restore trips-records'], BEFORE],
  ])('a restore stops before the %s unless an operator confirms it', async (_, number, changes, left) => {
    let asked = 0;
    const confirm = async () => {
      if (++asked === number) throw new OperatorError('refused', 'Not done.');
    };
    await expect(applied({}, { confirm })).rejects.toThrow('Not done.');
    expect(aws.changes).toEqual(changes);
    expect(await tables()).toEqual(left);
  });

  test.each([
    ['its mapping is off', () => Object.assign(mapping('m-relay') ?? {}, { state: 'Disabled' })],
    ['it has no concurrency', () => Object.assign(aws.reserved, { 'trips-relay': 0 })],
  ])('a restore stops while the relay publishes nothing: %s', async (_, off) => {
    off();
    await expect(applied()).rejects.toMatchObject({ code: 'refused', message: expect.stringMatching(/relay/) });
    expect(aws.changes).not.toContain('restore trips');
  });

  test('a restore stops while a failure of the relay is left', async () => {
    await put('trips-records', { pk: 'relay@0#Trip#1/x', failedConsumer: 'relay', failedAt: NOW });
    vi.advanceTimersByTime(10_000);
    const { exitCode, result } = await applied();
    expect({ exitCode, state: result.state }).toEqual({ exitCode: 4, state: 'failures' });
    expect(result.next).toEqual(['shop failures list --consumer relay --environment prod', AGAIN]);
    expect(aws.changes).not.toContain('restore trips');
  });

  test('a restore stops at Ctrl-C while it waits, and continues from there', async () => {
    const { exitCode, result } = await applied({}, { stopped: () => waits > 3 });
    expect({ exitCode, state: result.state, next: result.next }).toEqual({
      exitCode: 3,
      state: 'stopped',
      next: [AGAIN],
    });
    expect((await applied()).result.state).toBe('deploy');
  });

  test.each([
    ['of another instant', { status: 'ACTIVE', from: { table: 'trips', at: NOW } }],
    ['of another table', { status: 'ACTIVE', from: { table: 'hotel', at: AT } }],
    ['that is no copy', { status: 'ACTIVE' }],
  ])('a restore stops at a table %s that has the name of a copy', async (_, found) => {
    aws.copies[COPIES[0]] = found;
    await expect(applied()).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringMatching(/is no copy of trips/),
    });
    expect(await tables()).toEqual(BEFORE);
  });

  test('a restore stops if another restore of the service is under way', async () => {
    await applied({ at: '2026-12-01T10:00:00.000Z' }, { stopped: () => waits > 3 });
    aws.changes = [];
    await expect(applied()).rejects.toMatchObject({
      code: 'refused',
      next: ['restore', 'apply', 'trips', '--at', '2026-12-01T10:00:00Z', '--environment', 'prod'],
    });
    expect(aws.changes).toEqual([]);
  });

  test('a restore stops if something else writes into the tables again and again', async () => {
    const { copy } = access;
    let compared = 0;
    vi.spyOn(access, 'now').mockImplementation(() => {
      compared++;
      return new Date().toISOString();
    });
    const send = documentClient.send.bind(documentClient) as (command: object) => Promise<unknown>;
    const written = vi.spyOn(documentClient, 'send').mockImplementation((async (command: object) => {
      const answer = await send(command);
      if (command.constructor.name === 'TransactWriteItemsCommand')
        await put('trips', { pk: `Trip#${compared}`, sk: 'x' });
      return answer;
    }) as never);
    await expect(applied()).rejects.toThrow(/something else writes/);
    written.mockRestore();
    vi.restoreAllMocks();
    expect(access.copy).toBe(copy);
    expect(await recordOfRestore()).not.toHaveProperty('copiedAt');
  });
});

describe('a restore that continues to copy', () => {
  const copied = { tables: 1, pass: 1, after: { pk: 'on@0#m0' } };
  const record = async () =>
    (await documentClient.send(new GetCommand({ TableName: 'trips', Key: { pk: 'RESTORE', sk: AT } }))).Item ?? {};
  const cutOff = async (more: Item = {}) => {
    await applied();
    const { copiedAt: _, ...begun } = await record();
    await put('trips', { ...begun, copied, ...more });
  };

  test('leaves out what is equal already, and finds at the end what was written there by hand', async () => {
    await cutOff();
    await put('trips', { pk: 'Trip#1', sk: 'COMMIT#0000000001', lastVersion: 9 });
    const send = vi.spyOn(documentClient, 'send');
    await applied();
    const scans = send.mock.calls.map(([{ input }]) => input as { TableName?: string; ExclusiveStartKey?: unknown });
    const begun = scans.filter((_, n) => (send.mock.calls[n]?.[0] as unknown) instanceof RawScan);
    // Twice the rest, for the question and to copy it. Then everything; a round from the beginning, and everything once more.
    const rest = { TableName: 'trips-records', ExclusiveStartKey: { pk: { S: 'on@0#m0' } } };
    expect(begun.slice(0, 2)).toMatchObject([rest, rest]);
    expect(begun.map(({ TableName }) => TableName).slice(2)).toEqual(
      Array.from({ length: 3 }, () => [COPIES[0], 'trips', COPIES[1], 'trips-records']).flat(),
    );
    send.mockRestore();
    const { Item } = await documentClient.send(
      new GetCommand({ TableName: 'trips', Key: { pk: 'Trip#1', sk: 'COMMIT#0000000001' } }),
    );
    expect(Item).toMatchObject({ lastVersion: 1 });
  });

  test('begins from the beginning if functions ran meanwhile', async () => {
    await cutOff();
    aws.reserved.book = undefined;
    await put('trips', { pk: 'Trip#3', sk: 'COMMIT#0000000001', lastVersion: 1 });
    const send = vi.spyOn(documentClient, 'send');
    await applied();
    const [first] = send.mock.calls.filter(([command]) => (command as unknown) instanceof RawScan);
    expect(first?.[0].input).toMatchObject({ TableName: COPIES[0] });
    expect(first?.[0].input).not.toHaveProperty('ExclusiveStartKey');
    send.mockRestore();
    expect(await tables()).toEqual(RESTORED);
  });
});

describe('functions that run again', () => {
  test('functions are stopped again, and what they committed is published first', async () => {
    await applied({}, { stopped: () => aws.changes.includes('restore trips-records') });
    const { publishedAt } = (await recordOfRestore()) ?? {};
    expect(publishedAt).toBeDefined();
    aws.reserved.on = 10;
    aws.changes = [];
    await applied();
    expect(aws.changes).toEqual(['on 0']);
    expect((await recordOfRestore())?.publishedAt > String(publishedAt)).toBe(true);
  });
});

describe('--cancel', () => {
  test('starts the functions again, and another restore may begin', async () => {
    await applied({}, { stopped: () => waits > 3 });
    aws.changes = [];
    const { exitCode, result } = await applied({ cancel: true });
    expect({ exitCode, state: result.state }).toEqual({ exitCode: 0, state: 'cancelled' });
    expect(aws.changes.toSorted()).toEqual(['book unlimited', 'm-on on', 'on 10']);
    expect(await tables()).toEqual(BEFORE);
    await applied();
    expect(confirmed[0]).toMatch(/^restore of trips/);
  });

  test('a cancellation that was cut off is continued, not the restore', async () => {
    await applied({}, { stopped: () => waits > 3 });
    vi.spyOn(access, 'reserve').mockRejectedValueOnce(new Error('killed'));
    await expect(applied({ cancel: true })).rejects.toThrow('killed');
    vi.restoreAllMocks();
    await expect(applied()).rejects.toMatchObject({ code: 'refused', next: expect.arrayContaining(['--cancel']) });
    expect((await applied({ cancel: true })).result.state).toBe('cancelled');
    expect(aws.reserved).toMatchObject({ on: 10 });
  });

  test('a cancellation is refused from the first write on, and without a restore', async () => {
    await expect(applied({ cancel: true })).rejects.toMatchObject({ code: 'refused' });
    await applied();
    aws.changes = [];
    await expect(applied({ cancel: true })).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringMatching(/begun to copy/),
    });
    expect(aws.changes).toEqual([]);
  });
});

describe('--dry-run', () => {
  const steps = (result: object) =>
    (result as { steps: readonly { step: string; state: string }[] }).steps.find(({ state }) => state === 'next')?.step;

  test('says how far it is, and changes nothing', async () => {
    expect(steps((await applied({ dryRun: true })).result)).toBe('stop');
    expect([aws.changes, await recordOfRestore()]).toEqual([[], undefined]);
    await applied({}, { stopped: () => waits > 3 });
    expect(steps((await applied({ dryRun: true })).result)).toBe('publish');
    await applied();
    const { run } = (await recordOfRestore()) ?? {};
    expect(steps((await applied({ dryRun: true })).result)).toBe('deploy');
    expect((await recordOfRestore())?.run).toBe(run);
  });

  test('compares copies that are there, with a service that runs', async () => {
    for (const [at, copy] of COPIES.entries())
      aws.copies[copy] = { status: 'ACTIVE', from: { table: at === 0 ? 'trips' : 'trips-records', at: AT } };
    await put(COPIES[0], { pk: 'Trip#0', sk: 'COMMIT#0000000001', lastVersion: 1 });
    const { text, result } = await applied({ dryRun: true });
    expect(result).toMatchObject({
      copies: [
        {
          differences: {
            same: 1,
            put: 1,
            deleted: 1,
            examples: ['put Trip#0 COMMIT#0000000001', 'delete Trip#2 COMMIT#0000000001'],
          },
        },
        { differences: { same: 0, put: 0, deleted: 1, examples: ['delete on@0#m1'] } },
      ],
    });
    expect(text).toContain('trips: 1 the same, 1 to put back, 1 to delete\n  put Trip#0');
    expect(await tables()).toEqual(BEFORE);
  });
});

test('a run that another one has overtaken changes nothing more', async () => {
  // The other one begins while this one waits for AWS to switch mappings off.
  let overtaken = false;
  meanwhile = () => {
    if (overtaken) return;
    overtaken = true;
    void put('trips', { pk: 'RESTORE', sk: AT, run: 'another' });
  };
  await expect(applied()).rejects.toMatchObject({ code: 'refused', message: expect.stringMatching(/taken over/) });
  expect(aws.changes).toEqual(['m-on off']);
});

test('--dry-run with --cancel or --delete-copies is a wrong call', () => {
  const command = restoreCommands('trips').find(({ name }) => name === 'restore apply');
  const wrong = (mistake: string) => new OperatorError('usage', mistake);
  for (const other of ['cancel', 'delete-copies']) {
    const options = {
      at: '2026-12-01T11:00:00Z',
      'dry-run': true,
      cancel: false,
      'delete-copies': false,
      [other]: true,
    };
    expect(() => command?.parse({ words: ['trips'], options, wrong })).toThrow(/--dry-run/);
  }
});
