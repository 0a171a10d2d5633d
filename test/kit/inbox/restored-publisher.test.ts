import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { FailureRecords } from '../../../packages/kit/failures/failure-records.js';
import { isNext, isPassed, placeKey } from '../../../packages/kit/inbox/sequence-keys.js';
import { eventMessage } from '../../../packages/kit/testing/messages.js';
import { functionEnvironment } from '../../support/function-environment.js';
import { STEPS, tillContract } from '../../support/inboxes/contract.js';
import { sentMessages } from '../../support/sent-messages.js';
import { bodyOf, Refused } from './parcels.js';
import { appended, cursorItem, discarded, read, stepsDone, subject, tillInbox } from './tills.js';

/** A sequential inbox whose publisher was restored: versions come again in a later epoch, behind those that were forgotten. */

/** An event as `epoch/sequence`, and what it follows. */
interface Sent {
  readonly at: string;
  readonly follows?: string;
  /** Whether a restore has forgotten it: it may have been delivered before, or be lost. */
  readonly forgotten?: true;
}

let told: string[];
let refused: string | undefined;
let inbox: ReturnType<typeof tillInbox>;
beforeAll(() => functionEnvironment());
function begin(latestEpoch = 2): void {
  told = [];
  refused = undefined;
  inbox = tillInbox(
    (step, forgotten) => {
      if (refused === step) throw new Refused();
      return { decide: async () => [appended(forgotten ? `${step} without ${spanOf(forgotten)}` : step)] };
    },
    { latestEpoch },
  );
}
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-03-01T00:00:00.000Z') });
  sentMessages();
  begin();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

type At = { readonly epoch: number; readonly sequence: number };
const spanOf = ({ after, upTo }: { readonly after: At; readonly upTo: At }): string =>
  `${after.epoch}/${after.sequence}..${upTo.epoch}/${upTo.sequence}`;
const placeOf = (at: string) => {
  const [epoch = 0, sequence = 0] = at.split('/').map(Number);
  return { subject, epoch, sequence };
};
const messageOf = ({ at, follows }: Sent) =>
  eventMessage(
    tillContract,
    { type: 'StepTaken', data: { step: at } },
    { id: `event-${at}`, ...placeOf(at), ...(follows === undefined ? {} : { follows }) },
  );
const run = (at: string) => inbox.runner.run({ record: placeKey(STEPS, placeOf(at)) }, () => 60_000);
const statusOf = async (at: string) => (await read('records', { pk: placeKey(STEPS, placeOf(at)) })).status;
const cursor = async () => {
  const { epoch = 0, position } = await cursorItem();
  return `${epoch}/${position}`;
};
async function deliver(...messages: readonly Sent[]): Promise<void> {
  for (const one of messages) {
    await inbox.receive(messageOf(one));
    await run(one.at);
  }
  told = [...(await stepsDone())];
}

/** Every world: what its publisher sent, in the order of its history. */
const WORLDS: Readonly<Record<string, readonly Sent[]>> = {
  'an aggregate that was restored': [
    { at: '0/1' },
    { at: '0/2' },
    { at: '0/3', forgotten: true },
    { at: '0/4', forgotten: true },
    { at: '1/3', follows: '0/2' },
    { at: '1/4' },
  ],
  'an aggregate that the restore did not touch': [
    { at: '0/1' },
    { at: '0/2' },
    { at: '0/3' },
    { at: '1/4', follows: '0/3' },
    { at: '1/5' },
  ],
  'an aggregate that was forgotten altogether and created again': [
    { at: '0/1', forgotten: true },
    { at: '0/2', forgotten: true },
    { at: '1/1' },
    { at: '1/2' },
    { at: '1/3' },
  ],
  'an aggregate that was restored twice': [
    { at: '0/1' },
    { at: '0/2', forgotten: true },
    { at: '1/2', follows: '0/1' },
    { at: '1/3', forgotten: true },
    { at: '2/3', follows: '1/2' },
  ],
  'an aggregate whose whole epoch was forgotten by a second restore': [
    { at: '0/1' },
    { at: '0/2', forgotten: true },
    { at: '1/2', follows: '0/1', forgotten: true },
    { at: '2/2', follows: '0/1' },
    { at: '2/3' },
  ],
};

describe.each(Object.entries(WORLDS))('a history of %s', (_, history) => {
  test('each event that holds is processed once, in its order, in whatever order they come', async () => {
    const wanted = history.filter(({ forgotten }) => !forgotten).map(({ at }) => at);
    const orders = fc
      .tuple(...history.map(({ forgotten }) => (forgotten ? fc.boolean() : fc.constant(true))))
      .map((delivered) => history.filter((_one, place) => delivered[place]))
      .chain((sent) => fc.shuffledSubarray([...sent, ...sent.slice(0, 2)], { minLength: sent.length + 2 }));
    await fc.assert(
      fc.asyncProperty(orders, async (sent) => {
        begin();
        await deliver(...sent);
        const done = told.map((step) => step.split(' ')[0] ?? '');
        expect(done.filter((at) => wanted.includes(at))).toEqual(wanted);
        expect(new Set(done).size).toBe(done.length);
      }),
      { numRuns: 4 },
    );
  });
});

/** Every order of some things. */
function* ordersOf<T>(things: readonly T[]): Generator<readonly T[]> {
  if (things.length === 0) yield [];
  for (const [at, one] of things.entries())
    for (const rest of ordersOf([...things.slice(0, at), ...things.slice(at + 1)])) yield [one, ...rest];
}

test.each(Object.entries(WORLDS))('the rule alone holds for every order of %s', (_, history) => {
  const wanted = history.filter(({ forgotten }) => !forgotten).map(({ at }) => at);
  const optional = history.filter(({ forgotten }) => forgotten);
  for (let lost = 0; lost < 2 ** optional.length; lost++) {
    const sent = history.filter((one) => !one.forgotten || Math.floor(lost / 2 ** optional.indexOf(one)) % 2 === 0);
    for (const order of ordersOf(sent)) {
      let at = { epoch: 0, sequence: 0 };
      const done: string[] = [];
      let waiting: Sent[] = [];
      for (const one of order) {
        waiting.push(one);
        for (let next: Sent | undefined; ; ) {
          waiting = waiting.filter((other) => !isPassed(placeOf(other.at), at));
          next = waiting.find((other) => isNext({ ...placeOf(other.at), follows: other.follows }, at));
          if (!next) break;
          at = placeOf(next.at);
          done.push(next.at);
        }
      }
      expect(done.filter((one) => wanted.includes(one))).toEqual(wanted);
    }
  }
});

describe('the first message after a restore', () => {
  test('reports which places were forgotten, and older messages have no effect any more', async () => {
    await deliver(
      { at: '0/1' },
      { at: '0/2' },
      { at: '0/3' },
      { at: '1/2', follows: '0/1' },
      { at: '1/3' },
      { at: '0/4' },
    );
    expect(told).toEqual(['0/1', '0/2', '0/3', '1/2 without 0/1..0/3', '1/3']);
    expect([await cursor(), await statusOf('0/4')]).toEqual(['1/3', 'PROCESSED']);
  });

  test('waits for what it follows, and is processed with it', async () => {
    await deliver({ at: '1/3', follows: '0/2' }, { at: '0/1' });
    expect([told, await statusOf('1/3')]).toEqual([['0/1'], 'PENDING']);
    await deliver({ at: '0/2' });
    expect(told).toEqual(['0/1', '0/2', '1/3 without 0/2..0/2']);
  });

  test('waits for the sweeper in an epoch that the runner was not deployed with', async () => {
    begin(0);
    await deliver({ at: '1/2', follows: '0/1' }, { at: '0/1' });
    expect(told).toEqual(['0/1']);
    await run('1/2');
    expect(await stepsDone()).toEqual(['0/1', '1/2 without 0/1..0/1']);
  });

  test('starts again with a history that was forgotten altogether', async () => {
    await deliver({ at: '0/1' }, { at: '0/2' }, { at: '1/1' }, { at: '1/2' });
    expect(told).toEqual(['0/1', '0/2', '1/1 without 0/0..0/2', '1/2']);
  });

  test('the first message is processed although a forgotten message has failed', async () => {
    await deliver({ at: '0/1' });
    refused = '0/2';
    await deliver({ at: '0/2' });
    expect(await statusOf('0/2')).toBe('FAILED');
    await deliver({ at: '1/2', follows: '0/1' });
    expect(told).toEqual(['0/1', '1/2 without 0/1..0/1']);
  });
});

describe('an operator', () => {
  const discardedLater = (at: string) => {
    // Lets the index know what was written.
    vi.setSystemTime(Date.now() + 10_000);
    return discarded(`event-${at}`);
  };

  test('discards the first message of an epoch, and its successors follow', async () => {
    refused = '1/2';
    await deliver({ at: '0/1' }, { at: '0/2' }, { at: '1/2', follows: '0/1' }, { at: '1/3' });
    expect([told, await statusOf('1/2')]).toEqual([['0/1', '0/2'], 'FAILED']);
    await discardedLater('1/2');
    expect(await cursor()).toBe('1/2');
    await run('1/3');
    expect(await stepsDone()).toEqual(['0/1', '0/2', '1/3']);
  });

  test('discards it before its predecessor is done, and it is passed when the cursor comes there', async () => {
    const first: Sent = { at: '1/3', follows: '0/2' };
    const failures = new FailureRecords('records', STEPS);
    await failures.put({
      id: 'app.till:event-1/3',
      payload: bodyOf(messageOf(first)),
      error: new Error('crashed'),
      subject,
    });
    await discardedLater('1/3');
    await deliver({ at: '1/4' }, { at: '0/2' });
    expect([told, await cursor()]).toEqual([[], '0/undefined']);
    await deliver({ at: '0/1' });
    await run('1/4');
    expect([await stepsDone(), await cursor()]).toEqual([['0/1', '0/2', '1/4'], '1/4']);
  });
});

test('keys and places are stored, so they keep their form', () => {
  const hash = createHash('sha256').update(subject).digest('hex').slice(0, 32);
  expect(placeKey(STEPS, placeOf('0/7'))).toBe(`steps@0#${hash}#SEQ#0000000007`);
  expect(placeKey(STEPS, placeOf('2/7'))).toBe(`steps@0#${hash}#SEQ#2/0000000007`);
});

test('a place of an earlier epoch is never the next one', () => {
  expect(isNext(placeOf('0/4'), placeOf('1/3'))).toBe(false);
  expect(isNext({ ...placeOf('0/4'), follows: '0/3' }, placeOf('1/3'))).toBe(false);
  expect(isNext(placeOf('1/4'), placeOf('1/3'))).toBe(true);
});
