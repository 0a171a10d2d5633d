import { expect, test } from 'vitest';
import type { Happened } from '../page/stream.js';
import type { MapEdge } from '../server/map-contract.js';
import { movesOf, toneOf } from './motion.js';
import type { PictureLine } from './picture.js';

const line = (...members: readonly MapEdge[]): PictureLine => ({
  from: members[0]?.from ?? '',
  to: members[0]?.to ?? '',
  kinds: [],
  types: [],
  members,
});
const rule = { label: 'Store/Orders', sources: ['shop'], types: ['OrderPlaced'] };
const LINES = [
  line({ from: 'bus:Bus', to: 'queue:Store/Queue', kind: 'delivers', rules: [rule] }),
  line({ from: 'queue:Store/Queue', to: 'function:Store/OnOrders', kind: 'consumes' }),
  line({ from: 'queue:Store/Lane', to: 'function:Store/OnOrders', kind: 'consumes' }),
  line({ from: 'table:Shop/Table', to: 'function:Shop/Relay', kind: 'streams' }),
  line({ from: 'schedule:Store/EveryMinute', to: 'function:Store/Sweep', kind: 'calls' }),
  line({ from: 'function:Store/Pay', to: 'provider:cards.example.com', kind: 'calls' }),
];
const moved = (happened: Partial<Happened>): readonly (readonly [number, string])[] =>
  movesOf({ number: 1, at: 0, kind: 'delivery', owner: '', id: '', ...happened }, LINES).map(({ line: at, tone }) => [
    at,
    tone,
  ]);

test('an event moves along the line of the rule that delivers it', () => {
  const delivery = { owner: 'Store/Orders', target: 'Store/Queue' };
  expect(moved({ ...delivery, outcome: 'delivered' })).toEqual([[0, 'new']]);
  expect(moved({ ...delivery, outcome: 'began' })).toEqual([]);
  expect(moved({ ...delivery, target: 'Store/Other', outcome: 'delivered' })).toEqual([]);
});

test('a message moves from the queue that its id names, in the colour of its outcome', () => {
  const of = { owner: 'Store/OnOrders', messageId: 'Store-Queue-7' };
  expect(moved({ ...of, outcome: 'applied' })).toEqual([[1, 'applied']]);
  expect(moved({ ...of, outcome: 'duplicate' })).toEqual([[1, 'duplicate']]);
  expect(moved({ ...of, outcome: 'crashed' })).toEqual([[1, 'failed']]);
  expect(moved({ ...of, messageId: 'Store-Lane-1', outcome: 'applied' })).toEqual([[2, 'applied']]);
});

test('records, timers and calls to hosts outside move, and other happenings do not', () => {
  expect(moved({ kind: 'record', owner: 'Shop/Relay', outcome: 'done' })).toEqual([[3, 'applied']]);
  expect(moved({ kind: 'timer', owner: 'Store/EveryMinute', outcome: 'began' })).toEqual([[4, 'new']]);
  expect(moved({ kind: 'call', owner: 'Store/Pay', target: 'cards.example.com', outcome: 'ok' })).toEqual([[5, 'new']]);
  expect(moved({ kind: 'call', owner: 'Store/Pay', target: 'dynamodb.PutItem', outcome: 'ok' })).toEqual([]);
  expect(moved({ kind: 'time', owner: 'clock', outcome: 'forwarded' })).toEqual([]);
});

test('a fault counts as a failure', () => {
  expect(toneOf({ outcome: 'began', fault: 'lost' })).toBe('failed');
});
