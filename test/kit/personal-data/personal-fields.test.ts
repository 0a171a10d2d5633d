import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import type { Loaded } from '../../../packages/kit/event-store/event-store.js';
import type { Commit } from '../../../packages/kit/messages/commit.js';
import type { EventOf } from '../../../packages/kit/messages/contract.js';
import { open, SealBroken, Sealed, Unsealed } from '../../../packages/kit/messages/sealed.js';
import { openEvents } from '../../../packages/kit/personal-data/open-fields.js';
import type { PersonalKeys, SealedAt } from '../../../packages/kit/personal-data/personal-keys.js';
import { InMemoryEventStore } from '../../../packages/kit/testing/in-memory-event-store.js';
import { InMemoryTables } from '../../../packages/kit/testing/in-memory-tables.js';
import { buildTrace } from '../../support/tally.js';

const contract = {
  service: 'letters',
  events: {
    Sent: {
      version: 1,
      data: z.object({
        to: z.string(),
        text: z.exactOptional(Sealed),
        stamp: z.int(),
        /** As an earlier release wrote it. */
        note: z.exactOptional(z.string()),
        sealedNote: z.exactOptional(Sealed),
      }),
      personal: { text: 'to', sealedNote: 'to' },
      shownAs: { sealedNote: 'note' },
    },
  },
} as const;
type Sent = EventOf<typeof contract>;
type Letters = readonly Sent['data'][];

const evolution = {
  initialState: [] as Letters,
  evolve: (letters: Letters, { data }: Sent): Letters => [...letters, data],
  stateSchema: 1,
};
const tables = new InMemoryTables();
const store = new InMemoryEventStore({ aggregate: 'Box', contract, decider: evolution }, tables);
/** Puts a commit, whatever is there. */
const put = (commit: Commit) => tables.transact([{ Put: { TableName: store.table, Item: commit } }]);
const trace = buildTrace(randomUUID());

const keys = new Map(['ada', 'bob'].map((person) => [person, randomBytes(32)]));
const unsealed = (person: string, text = 'my secret') => new Unsealed(person, keys.get(person)!, text);
const sent = (text?: Sealed, to = 'ada'): Sent => ({
  type: 'Sent',
  data: { to, stamp: 1, ...(text ? { text } : {}) },
});
async function appended(loaded: Loaded<Letters>, ...events: Sent[]): Promise<Commit> {
  const commit = store.buildCommit(loaded, events, trace);
  await store.append(commit);
  return commit;
}
const emptyBox = () => store.load(randomUUID());

describe('a commit', () => {
  test('holds what is personal sealed, for its own event, and says whose it is', async () => {
    const box = await emptyBox();
    const commit = await appended(box, sent(unsealed('ada')), sent(unsealed('ada', 'another secret')), sent());
    expect(commit.person).toBe('ada');
    expect(JSON.stringify(commit)).not.toContain('secret');
    for (const [at, { id, data }] of commit.events.slice(0, 2).entries()) {
      const place = { aggregate: commit.pk, event: id, field: 'text' };
      expect(open(keys.get('ada')!, 'ada', JSON.parse(data).text, place)).toBe(['my secret', 'another secret'][at]);
    }
    expect(JSON.stringify(store.applyCommit(box, commit).state)).not.toContain('secret');
  });

  test('a commit without personal data is in no index of people', async () =>
    expect(await appended(await emptyBox(), sent())).not.toHaveProperty('person'));

  test('a commit of a service that says whom its events are about is in the index without personal data', async () => {
    const about = { ...contract, person: 'to' } as const;
    const store = new InMemoryEventStore({ aggregate: 'Box', contract: about, decider: evolution });
    const box = await store.load(randomUUID());
    expect(store.buildCommit(box, [sent(), sent()], trace).person).toBe('ada');
    expect(() => store.buildCommit(box, [sent(), sent(undefined, 'bob')], trace)).toThrow('several people');
  });

  test('holds nothing else in its snapshot', async () => {
    const box = await emptyBox();
    const commit = await appended(box, ...Array.from({ length: 20 }, () => sent(unsealed('ada'))));
    expect(commit.snapshot).toBeDefined();
    expect(JSON.stringify(commit)).not.toContain('secret');
  });

  test.each<[string, () => Sent[]]>([
    ['in plain text', () => [sent('my secret' as never)]],
    ['in plain text of the right shape', () => [sent({ sealed: `1.${randomUUID()}.${'A'.repeat(60)}` })]],
    ["prepared by another person's key", () => [sent(unsealed('bob'))]],
    [
      'in plain text, in the field that it is shown as',
      () => [{ type: 'Sent', data: { to: 'ada', stamp: 1, note: 'my secret' } }],
    ],
    ['of two people', () => [sent(unsealed('ada')), sent(unsealed('bob'), 'bob')]],
  ])('a commit refuses personal data %s', async (_, events) => {
    const box = await emptyBox();
    expect(() => store.buildCommit(box, events(), trace)).toThrow(expect.objectContaining({ code: 'INVALID_DATA' }));
  });
});

describe('an aggregate', () => {
  test('an aggregate is not loaded with a value that was sealed for another event', async () => {
    const box = await emptyBox();
    const commit = await appended(box, sent(unsealed('ada')), sent(unsealed('ada')));
    const [one, other] = commit.events;
    await put({ ...commit, events: [{ ...one!, data: other!.data }, other!] });
    await expect(store.load(box.id)).rejects.toThrow(SealBroken);
    await expect(store.history(box.id, { commit: 1, shown: 0 }, 5)).rejects.toThrow(SealBroken);
  });
});

/** Keys that open nothing, and remember what they were asked for. */
function opening() {
  const asked: [string, readonly SealedAt[]][] = [];
  const openAll = async (person: string, values: readonly SealedAt[]) => {
    asked.push([person, values]);
    return values.map((_, at) => `${person} ${at}`);
  };
  return { asked, keys: { openAll } as unknown as PersonalKeys };
}

test('events are opened field by field, each at its own place, and each person is asked for once', async () => {
  const box = await emptyBox();
  const { pk, events } = await appended(box, sent(unsealed('ada')), sent(), sent(unsealed('ada')));
  const { asked, keys } = opening();
  const { items } = await store.history(box.id, { commit: 1, shown: 0 }, 5);
  const opened = await openEvents(keys, contract, pk, items);
  expect(opened.map(({ data }) => data)).toEqual([
    { to: 'ada', stamp: 1, text: 'ada 0' },
    { to: 'ada', stamp: 1 },
    { to: 'ada', stamp: 1, text: 'ada 1' },
  ]);
  const at = ({ id, data }: (typeof events)[number]) => ({
    sealed: JSON.parse(data).text,
    place: { aggregate: pk, event: id, field: 'text' },
  });
  expect(asked).toEqual([['ada', [expect.objectContaining(at(events[0]!)), expect.objectContaining(at(events[2]!))]]]);
});

test('a field is shown under the name that it had in plain text, which is shown as it was', async () => {
  const box = await emptyBox();
  const commit = await appended(box, { type: 'Sent', data: { to: 'ada', stamp: 1, sealedNote: unsealed('ada') } });
  const [first] = commit.events;
  const before = { ...first!, data: JSON.stringify({ to: 'ada', stamp: 1, note: 'from 0.1.0' }) };
  await put({ ...commit, events: [first!, before], lastVersion: 2 });
  const { items } = await store.history(box.id, { commit: 1, shown: 0 }, 5);
  const opened = await openEvents(opening().keys, contract, commit.pk, items);
  expect(opened.map(({ data }) => data)).toEqual([
    { to: 'ada', stamp: 1, note: 'ada 0' },
    { to: 'ada', stamp: 1, note: 'from 0.1.0' },
  ]);
});
