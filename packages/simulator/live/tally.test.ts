import { beforeEach, expect, test } from 'vitest';
import { type Happening, Happenings } from '../engine/happenings.js';
import { Tally } from './tally.js';

let happenings: Happenings;
let tally: Tally;
beforeEach(() => {
  happenings = new Happenings();
  tally = new Tally(happenings);
});

const CONSUMER = 'Shop/Consume';
const RELAY = 'Shop/Relay';
const happens = (happening: Partial<Happening>): void =>
  happenings.add(0, { kind: 'delivery', owner: CONSUMER, id: 'one', ...happening });
const deliver = (outcome: string, messageId: string, invocation = 'call 1'): void =>
  happens({ outcome, messageId, invocation });
const crash = (id: string, owner = CONSUMER): void => happens({ kind: 'invocation', id, owner, outcome: 'failed' });
const records = (outcome: string, receiveCount?: number): void =>
  happens({ kind: 'record', owner: RELAY, outcome, records: 3, ...(receiveCount && { receiveCount }) });

test('deliveries are counted by what the consumer says of them, and what became of them adds up', () => {
  const said = ['applied', 'duplicate', 'stored', 'stored for the lane', 'known', 'postponed', 'throttled'];
  for (const outcome of [...said, 'refused', 'crashed', 'answer lost', 'done', 'a line of its own']) {
    deliver('began', 'a');
    deliver(outcome, 'a');
  }
  deliver('began', 'b');
  expect([tally.valueOf('delivered'), tally.valueOf('applied'), tally.valueOf('duplicates')]).toEqual([13, 1, 2]);
  const { deliveries } = tally;
  expect(deliveries).toEqual({
    applied: 1,
    stored: 2,
    duplicates: 2,
    done: 2,
    postponed: 2,
    refused: 1,
    crashed: 2,
    underWay: 1,
  });
  expect(Object.values(deliveries).reduce((sum, one) => sum + one, 0)).toBe(tally.valueOf('delivered'));
});

test('a delivery that was applied, and whose answer got lost, is one that was applied', () => {
  for (const outcome of ['began', 'applied', 'answer lost']) deliver(outcome, 'a');
  expect(tally.deliveries).toMatchObject({ applied: 1, crashed: 0, underWay: 0 });
});

test('a delivery by a rule is none to a consumer', () => {
  happens({ outcome: 'began', target: 'Shop/Queue' });
  expect(tally.valueOf('delivered')).toBe(0);
});

test('records are commits if a function that publishes gets them, those before its first message too, and once', () => {
  records('began', 1);
  happens({ kind: 'record', owner: 'Shop/Projection', outcome: 'began', records: 5, receiveCount: 1 });
  expect(tally.valueOf('committed')).toBe(0);
  happens({ kind: 'call', owner: RELAY, target: 'events.PutEvents', outcome: 'done' });
  records('crashed');
  records('began', 2);
  records('began', 1);
  expect(tally.valueOf('committed')).toBe(6);
});

test('a crash counts when each of its messages has left the queue, and not before', () => {
  crash('call 1');
  deliver('crashed', 'a');
  deliver('crashed', 'b');
  expect([tally.valueOf('crashes'), tally.open]).toEqual([0, 1]);
  happens({ kind: 'message', messageId: 'a', outcome: 'deleted' });
  expect([tally.valueOf('crashes'), tally.open]).toEqual([0, 1]);
  happens({ kind: 'message', messageId: 'b', outcome: 'deleted' });
  expect([tally.valueOf('crashes'), tally.open]).toEqual([1, 0]);
});

test('a crash whose message becomes a dead letter is not survived', () => {
  crash('call 1');
  deliver('crashed', 'a');
  happens({ kind: 'message', messageId: 'a', outcome: 'dead-lettered' });
  expect([tally.valueOf('crashes'), tally.open]).toEqual([0, 1]);
});

test('a crash of a function that reads a stream counts when its batch is done', () => {
  crash('call 1', RELAY);
  records('crashed');
  expect(tally.valueOf('crashes')).toBe(0);
  records('done');
  expect(tally.valueOf('crashes')).toBe(1);
});

test('a crash that leaves nothing counts at once: its caller has got an error', () => {
  crash('call 1');
  expect(tally.valueOf('crashes')).toBe(1);
});

test('a list has the newest hundred, the newest first, and a reset begins again', () => {
  for (let at = 1; at <= 250; at++)
    for (const outcome of ['began', 'applied']) happens({ outcome, messageId: `m${at}`, subject: `Thing/${at}` });
  expect(tally.valueOf('applied')).toBe(250);
  const list = tally.list('applied');
  expect([list.length, list[0]?.subject, list.at(-1)?.subject]).toEqual([100, 'Thing/250', 'Thing/151']);
  happens({ kind: 'time', owner: 'clock', outcome: 'reset' });
  expect([tally.valueOf('applied'), tally.list('applied')]).toEqual([0, []]);
});
