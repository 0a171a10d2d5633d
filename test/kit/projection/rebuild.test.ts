import { randomUUID } from 'node:crypto';
import { GetCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import type { RebuildAnswer } from '../../../packages/kit/projection/contract.js';
import { updateProjection } from '../../../packages/kit/projection/projection.js';
import { pointerKey } from '../../../packages/kit/projection/versions.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { Tallies } from './tallies.js';

/** Called before each call to DynamoDB: a rival's moment. */
let before: ((command: string) => Promise<void>) | undefined;
documentClient.middlewareStack.add(
  (next, context) => async (args) => {
    await before?.(context.commandName ?? '');
    return next(args);
  },
  { step: 'initialize' },
);

let tallies: Tallies;
let dynamodb: ReturnType<typeof inProcessDynamoDb>;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-03-01T00:00:00.000Z') });
  before = undefined;
  const table = `table-${randomUUID()}`;
  dynamodb = inProcessDynamoDb(
    { [table]: ['pk', 'sk'], records: ['pk'] },
    { [table]: { feed: ['feedPk', 'feedSk'], lists: ['listPk', 'listSk'] } },
  );
  tallies = new Tallies(table);
});
afterEach(() => {
  vi.useRealTimers();
  expect(before, 'a rival whose moment never came').toBeUndefined();
});

/** Lets the feed show all commits until now. */
function begin(purpose: 'switch' | 'check' = 'switch'): Promise<RebuildAnswer> {
  pass(10);
  return tallies.ask({ action: 'begin', purpose });
}
async function rebuild(purpose?: 'switch' | 'check'): Promise<RebuildAnswer> {
  await begin(purpose);
  return goOn();
}
const goOn = () => tallies.ask({ action: 'go-on', pageSize: 3 });
/** A call that has time for one page. */
async function onePage(): Promise<RebuildAnswer> {
  let looks = 0;
  tallies.timeLeft = () => (looks++ === 0 ? 30_000 : 0);
  const answer = await goOn();
  tallies.timeLeft = () => 30_000;
  return answer;
}
const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);

/** Once: what comes in between, in front of the first call of that name. */
function inFrontOf(wanted: string, work: () => Promise<unknown>): void {
  before = async (command) => {
    if (command !== wanted) return;
    before = undefined;
    await work();
  };
}

/** Until nothing is left of it. */
async function done(): Promise<RebuildAnswer> {
  for (let call = 0; call < 50; call++) {
    const answer = await goOn();
    if (answer.rebuild?.phase === 'DONE') return answer;
    pass(answer.waitSeconds ?? 0);
  }
  throw new Error('it does not end');
}

describe('a rebuild', () => {
  test('fills a version beside the one that is read, switches, and deletes the old one a minute later', async () => {
    const ids = [];
    for (let count = 0; count < 7; count++) ids.push(await tallies.listed());
    const [first = ''] = ids;
    await tallies.count(first);
    await tallies.consume(first);
    const wanted = { ...Object.fromEntries(ids.map((id) => [id, 1])), [first]: 2 };
    const before = await tallies.rows();

    const switched = await rebuild();
    expect(switched).toMatchObject({
      versions: { reads: 2, last: 2 },
      waitSeconds: 60,
      rebuild: { phase: 'DELETE', counts: { commits: 8, aggregates: 7, compared: 7, completed: 0, differences: 0 } },
    });
    expect(await tallies.shown(1)).toEqual(wanted);
    expect(await tallies.shown(2)).toEqual(wanted);
    pass(59);
    expect(await goOn()).toMatchObject({ waitSeconds: 1 });
    expect(await tallies.shown(1)).toEqual(wanted);

    expect(await done()).toMatchObject({ versions: { reads: 2, last: 2 }, rebuild: { counts: { deleted: 7 } } });
    const after = await tallies.rows();
    expect(after).toHaveLength(7);
    // The same to the byte, but for the version in the keys.
    expect(JSON.parse(JSON.stringify(after).replaceAll(/(ROW|EVEN)@2/g, '$1'))).toEqual(before);
  });

  test('marks its version with the shape of its rows, and no other version', async () => {
    await tallies.listed();
    expect((await tallies.ask({ action: 'show' })).versions).toEqual({ reads: 1, last: 1 });
    Object.assign(tallies.projection, { shape: 2 });
    await rebuild('check');
    expect((await done()).versions).toEqual({ reads: 1, last: 2 });
    await rebuild();
    expect((await done()).versions).toEqual({ reads: 3, last: 3, shape: 2 });
    // An earlier release, after a rollback.
    Object.assign(tallies.projection, { shape: undefined });
    await rebuild();
    expect((await done()).versions).toEqual({ reads: 4, last: 4 });
  });

  test('has the shape of the release that began it, whichever release ends it', async () => {
    await tallies.listed();
    await begin();
    Object.assign(tallies.projection, { shape: 2 });
    expect((await done()).versions).toEqual({ reads: 2, last: 2 });
  });

  test('a second one begins a third version, and so on', async () => {
    const id = await tallies.listed();
    for (const version of [2, 3, 4]) {
      await rebuild();
      await done();
      expect(await tallies.shown(version)).toEqual({ [id]: 1 });
      expect(await tallies.rows()).toHaveLength(1);
    }
  });

  test('shows again what had drifted: rows that are gone, old, altered, or of nothing', async () => {
    const [gone, old, altered, even] = [
      await tallies.listed(),
      await tallies.listed(),
      await tallies.listed(),
      await tallies.listed(),
    ];
    await tallies.remove(`SHOWN#${gone}`, 'ROW');
    await tallies.count(old);
    await tallies.put({ pk: `SHOWN#${altered}`, sk: 'ROW', version: 1, sum: 77 });
    await tallies.put({ pk: 'SHOWN#nothing', sk: 'ROW', version: 1, sum: 88 });
    await tallies.count(even);
    await tallies.consume(even);
    pass(3600);

    const { rebuild: ended } = await rebuild();
    expect(ended?.differences.toSorted((one, other) => one.kind.localeCompare(other.kind))).toEqual(
      [
        { subject: `Tally/${gone}`, kind: 'behind' },
        { subject: `Tally/${old}`, kind: 'behind' },
        { subject: `Tally/${altered}`, kind: 'bytes' },
        { subject: 'Tally/nothing', kind: 'unfounded' },
      ].map((one) =>
        expect.objectContaining({
          kind: one.kind,
          subject: one.kind === 'behind' ? expect.stringMatching(`${gone}|${old}`) : one.subject,
        }),
      ),
    );
    expect(ended?.counts).toMatchObject({ compared: 5, differences: 4, pending: 0 });
    await done();
    expect(await tallies.shown(2)).toEqual({ [gone]: 1, [old]: 2, [altered]: 1, [even]: 2 });
    expect((await tallies.rows()).filter((row) => row.listPk === 'EVEN@2#tallies')).toHaveLength(2);
  });

  test('counts all differences, and names the first twenty', async () => {
    for (let at = 0; at < 21; at++) await tallies.put({ pk: `SHOWN#nothing-${at}`, sk: 'ROW', version: 1, sum: 1 });
    const { rebuild: ended } = await rebuild();
    expect(ended?.counts.differences).toBe(21);
    expect(ended?.differences).toHaveLength(20);
  });

  test('an event on its way is no difference', async () => {
    const id = await tallies.listed();
    await tallies.count(id);
    expect((await rebuild()).rebuild?.counts).toMatchObject({ pending: 1, differences: 0 });
  });

  test('continues from its checkpoint after a crash anywhere, and ends the same', async () => {
    const ids = [await tallies.listed(), await tallies.listed(), await tallies.listed(), await tallies.listed()];
    await begin();
    let crashes = 0;
    for (let call = 1; ; call++) {
      let left = call % 7;
      before = async () => {
        if (left-- === 0) throw new Error('killed');
      };
      const answer = await goOn().catch(() => undefined);
      before = undefined;
      if (!answer) crashes++;
      pass(answer?.waitSeconds ?? 0);
      if (answer?.rebuild?.phase === 'DONE') break;
      if (call > 500) throw new Error('it does not end');
    }
    expect(crashes).toBeGreaterThan(5);
    expect(await tallies.shown(2)).toEqual(Object.fromEntries(ids.map((id) => [id, 1])));
    expect(await tallies.rows()).toHaveLength(4);
  });

  test('a rebuild has its checkpoint after each page', async () => {
    for (let count = 0; count < 7; count++) await tallies.listed();
    await begin();
    const seen = [];
    for (const _ of [1, 2, 3]) seen.push((await onePage()).rebuild?.counts.aggregates);
    expect(seen).toEqual([3, 6, 7]);
  });

  test('a check compares and goes again, and what is read stays', async () => {
    const id = await tallies.listed();
    await tallies.put({ pk: `SHOWN#${id}`, sk: 'ROW', version: 1, sum: 77 });
    const checked = await rebuild('check');
    expect(checked).toMatchObject({ versions: { reads: 1, last: 2 }, rebuild: { counts: { differences: 1 } } });
    expect(checked.versions.builds).toBeUndefined();
    await done();
    expect(await tallies.rows()).toMatchObject([{ sk: 'ROW', sum: 77 }]);
  });

  test('a rebuild can be discarded at any time before it was decided, and not after', async () => {
    const id = await tallies.listed();
    await begin();
    expect((await tallies.ask({ action: 'discard' })).versions).toEqual({ reads: 1, last: 2 });
    await done();
    expect(await tallies.shown(1)).toEqual({ [id]: 1 });
    await rebuild();
    expect((await tallies.ask({ action: 'discard' })).versions).toEqual({ reads: 3, last: 3 });
  });

  test('a rebuild can be discarded while another runner saves its pages', async () => {
    await tallies.listed();
    await begin();
    inFrontOf('TransactWriteItemsCommand', onePage);
    expect((await tallies.ask({ action: 'discard' })).versions).toEqual({ reads: 1, last: 2 });
  });

  test('stops where an aggregate has a type of a newer release, and switches nothing', async () => {
    const id = await tallies.listed();
    const [commit] = (await tallies.store.load(id)).commits;
    await tallies.put({ ...commit, events: [{ ...commit?.events[0], type: 'Unheard' }] });
    await expect(rebuild()).rejects.toThrow(/NEWER_TYPE/);
    expect((await tallies.ask({ action: 'show' })).versions).toMatchObject({ reads: 1, builds: 2 });
  });
});

describe('the answer about the shown versions', () => {
  const shown = async (...ids: readonly string[]) => (await tallies.ask({ action: 'shown', ids })).shown;

  test('it answers with the version of the row that is read, or 0 for a row that is missing', async () => {
    const [listed, behind, missing] = [await tallies.listed(), await tallies.listed(), await tallies.count()];
    await tallies.count(behind);
    expect(await shown(listed, behind, missing)).toEqual({ [listed]: 1, [behind]: 1, [missing]: 0 });
    await rebuild();
    // Version 2 is read now, and has every aggregate as it is.
    expect(await shown(listed, behind, missing)).toEqual({ [listed]: 1, [behind]: 2, [missing]: 1 });
  });

  test('an aggregate that needs no row counts as shown', async () => {
    expect(await shown('never-counted')).toEqual({ 'never-counted': 0 });
    tallies.projection.row = () => undefined;
    const id = await tallies.count();
    expect(await shown(id)).toEqual({ [id]: 1 });
  });

  test('an aggregate that can not be read does not hide the others', async () => {
    const [broken, fine] = [await tallies.listed(), await tallies.listed()];
    const [commit] = (await tallies.store.load(broken)).commits;
    await tallies.put({ ...commit, events: [{ ...commit?.events[0], type: 'Unheard' }] });
    expect(await shown(broken, fine)).toEqual({ [broken]: 0, [fine]: 1 });
  });
});

describe('a rebuild while events come', () => {
  test('each is shown in both versions, from the beginning to the switch', async () => {
    const [early, late] = [await tallies.listed(), await tallies.listed()];
    await begin();
    await tallies.count(early);
    await tallies.consume(early);
    expect([await tallies.shown(1), await tallies.shown(2)]).toEqual([{ [early]: 2, [late]: 1 }, { [early]: 2 }]);
    // In front of the switch, when every row has been compared.
    inFrontOf('TransactWriteItemsCommand', async () => {
      await tallies.count(late);
      await tallies.consume(late);
    });
    await goOn();
    expect(await tallies.shown(2)).toEqual({ [early]: 2, [late]: 2 });
  });

  test('an event whose consumer read the pointer before the rebuild began is in the new version too', async () => {
    const id = await tallies.count();
    const hidden = await hide(id);
    // The consumer has looked: none is being built. The whole rebuild happens, then it puts its row.
    inFrontOf('PutItemCommand', () => rebuild());
    await tallies.consume(id);
    await hidden.show();
    expect(await tallies.shown(2)).toEqual({ [id]: 1 });
  });

  test('a commit that the feed shows late is completed from the row that its consumer put', async () => {
    const id = await tallies.listed();
    await hide(id);
    const { rebuild: ended } = await rebuild();
    expect(ended?.counts).toMatchObject({ aggregates: 0, compared: 1, completed: 1, differences: 0 });
    expect(await tallies.shown(2)).toEqual({ [id]: 1 });
  });

  test('ten events at once share their reads of the pointer', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, () => tallies.count()));
    const loaded = await Promise.all(ids.map((id) => tallies.store.load(id)));
    dynamodb.calls.length = 0;
    await Promise.all(loaded.map((one) => updateProjection(tallies.projection, one)));
    const reads = dynamodb.calls.filter(({ operation }) => operation === 'GetItem');
    expect(reads.length).toBeLessThanOrEqual(6);
    expect(await tallies.shown(1)).toEqual(Object.fromEntries(ids.map((id) => [id, 1])));
  });

  test('an older row never takes the place of a newer one, in either version', async () => {
    const id = await tallies.listed();
    await begin();
    const older = await tallies.store.load(id);
    await tallies.count(id);
    expect(await tallies.consume(id)).toBe('applied');
    expect(await updateProjection(tallies.projection, older)).toBe('duplicate');
    expect([await tallies.shown(1), await tallies.shown(2)]).toEqual([{ [id]: 2 }, { [id]: 2 }]);
  });
});

describe('two runners', () => {
  test('two runners of one rebuild do it once', async () => {
    const ids = [];
    for (let count = 0; count < 7; count++) ids.push(await tallies.listed());
    await Promise.all([begin(), begin('check')]);
    const answers = await Promise.all([goOn(), goOn(), goOn()]);
    expect(answers.at(-1)).toMatchObject({
      versions: { last: 2 },
      rebuild: { counts: { aggregates: 7, compared: 7 } },
    });
    expect(await tallies.shown(1)).toEqual(Object.fromEntries(ids.map((id) => [id, 1])));
  });

  test('a runner that switches late, after another began the next rebuild, is refused', async () => {
    await tallies.listed();
    await begin();
    // In front of the switch: the same rebuild ends without it, and the next one begins.
    inFrontOf('TransactWriteItemsCommand', async () => {
      await tallies.ask({ action: 'discard' });
      await done();
      await begin('check');
    });
    const { versions } = await goOn();
    expect(versions).toMatchObject({ reads: 1, last: 3 });
  });

  test('a runner that deletes late deletes nothing of the next rebuild', async () => {
    const id = await tallies.listed();
    await rebuild();
    pass(60);
    inFrontOf('ScanCommand', async () => {
      await done();
      await begin();
      await tallies.consume(id);
      tallies.timeLeft = () => 0;
    });
    await goOn();
    expect(await tallies.shown(3)).toEqual({ [id]: 1 });
  });
});

/** Takes an aggregate's first commit out of the feed, as an index does that is late. */
async function hide(id: string): Promise<{ show(): Promise<unknown> }> {
  const [commit] = (await tallies.store.load(id)).commits;
  const { feedPk: _, feedSk: __, ...hidden } = commit ?? { feedPk: '', feedSk: '' };
  await tallies.put(hidden);
  return { show: () => tallies.put({ ...commit }) };
}

describe('an aggregate that can not be loaded', () => {
  const failures = async () => (await documentClient.send(new ScanCommand({ TableName: 'records' }))).Items ?? [];
  /** Two that are listed, of which one can't be read any more, and one that never was. */
  async function broken(): Promise<readonly string[]> {
    const [first = '', second = ''] = [await tallies.listed(), await tallies.listed()];
    const [commit] = (await tallies.store.load(first)).commits;
    await tallies.put({ ...commit, events: [{ ...commit?.events[0], data: 'not json' }] });
    return [first, second];
  }

  test('becomes one failure record and keeps its row, and the rebuild continues to its end', async () => {
    const [first = '', second = ''] = await broken();
    await begin();
    const { rebuild: ended } = await done();
    expect(ended).toMatchObject({ phase: 'DONE', keeps: 2, counts: { aggregates: 2, differences: 1 } });
    expect(ended?.differences).toEqual([{ subject: `Tally/${first}`, kind: 'unreadable' }]);
    expect(await tallies.shown(2)).toEqual({ [first]: 1, [second]: 1 });
    await begin('check');
    await done();
    expect(await failures()).toMatchObject([
      { failedConsumer: 'tallies', subject: `Tally/${first}`, status: 'FAILED' },
    ]);
  });

  test('an aggregate is not reported any more when its failure is discarded', async () => {
    await broken();
    await begin('check');
    await done();
    const [failure] = await failures();
    await documentClient.send(new PutCommand({ TableName: 'records', Item: { ...failure, status: 'DISCARDED' } }));
    await begin('check');
    expect((await done()).rebuild).toMatchObject({ counts: { differences: 0 }, differences: [] });
  });

  test('an unreachable table is no failure of the aggregate: the rebuild stops, and nothing is recorded', async () => {
    await tallies.listed();
    await begin();
    inFrontOf('QueryCommand', async () => {
      throw Object.assign(new Error('throttled'), { $metadata: {} });
    });
    await expect(goOn()).rejects.toThrow();
    expect(await failures()).toEqual([]);
  });
});

test('a row that is older in the new version is completed, as one that is missing', async () => {
  const id = await tallies.listed();
  const [older] = await tallies.rows();
  await tallies.count(id);
  await tallies.consume(id);
  await untilItCompares();
  await tallies.put({ ...older, sk: 'ROW@2' });
  expect((await done()).rebuild?.counts).toMatchObject({ completed: 1, differences: 0 });
  expect(await tallies.shown(2)).toEqual({ [id]: 2 });
});

/** Begins a rebuild, and continues until it compares. */
async function untilItCompares(): Promise<void> {
  await begin();
  let phase = (await onePage()).rebuild?.phase;
  while (phase === 'REPLAY') phase = (await onePage()).rebuild?.phase;
  expect(phase).toBe('COMPARE');
}

test('a row that is older in the new version is completed by the newest events, also if the shown row lacks some', async () => {
  const id = await tallies.listed();
  const [older] = await tallies.rows();
  await tallies.count(id);
  await tallies.consume(id);
  await untilItCompares();
  await tallies.put({ ...older, sk: 'ROW@2' });
  await tallies.count(id);
  expect((await done()).rebuild?.counts).toMatchObject({ completed: 1, differences: 0 });
  expect(await tallies.shown(2)).toEqual({ [id]: 3 });
});

test('a row that is older in the new version is a difference if the shown row has other content than its events', async () => {
  const id = await tallies.listed();
  const [older] = await tallies.rows();
  await tallies.count(id);
  await tallies.consume(id);
  await untilItCompares();
  await tallies.put({ ...older, sk: 'ROW@2' });
  const shown = (await tallies.rows()).find(({ sk }) => sk === 'ROW');
  await tallies.put({ ...shown, sum: 99 });
  expect((await done()).rebuild?.counts).toMatchObject({ differences: 1 });
  expect(await tallies.shown(2)).toEqual({ [id]: 2 });
});

test('items of its partitions that are no rows stay as they are', async () => {
  const id = await tallies.listed();
  Object.assign(tallies.projection, { rowKeys: 'ROW' });
  const note = { pk: `SHOWN#${id}`, sk: 'NOTE', version: 1, sum: 7 };
  await tallies.put(note);
  const { rebuild: ended } = await rebuild();
  expect(ended?.counts).toMatchObject({ differences: 0 });
  await done();
  expect(await tallies.rows()).toContainEqual(note);
  expect(await tallies.shown(2)).toEqual({ [id]: 1 });
});

test('a consumer reads the newest versions: with older ones it would leave out the version that is being built', async () => {
  const asked = vi.spyOn(documentClient, 'send');
  await tallies.listed();
  const reads = asked.mock.calls
    .map(([command]) => command as unknown)
    .filter((command) => command instanceof GetCommand)
    .filter(({ input }) => JSON.stringify(input.Key) === JSON.stringify(pointerKey('tallies')));
  asked.mockRestore();
  expect(new Set(reads.map(({ input }) => input.ConsistentRead))).toEqual(new Set([true]));
});
