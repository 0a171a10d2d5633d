import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findListeners } from '../../../packages/operator/deployment/services.js';
import { causeHash, describeCause, maskVariableParts } from '../../../packages/operator/groups/cause.js';
import { findCauses } from '../../../packages/operator/groups/causes.js';
import { toCause } from '../../../packages/operator/groups/failures.js';
import { groupFailures, type Member } from '../../../packages/operator/groups/group.js';
import type { ConsumerRecord } from '../../../packages/operator/records/consumer-records.js';
import { shortenId } from '../../../packages/operator/records/list-format.js';
import { SERVICES } from '../../lambdas/operations/facts.js';

/** Values that differ from one message to the next. */
const digits = (alphabet: string, min: number, max: number) =>
  fc.array(fc.constantFrom(...alphabet), { minLength: min, maxLength: max }).map((all) => all.join(''));
const VALUES = {
  uuid: fc.uuid(),
  'hash of 32 digits': digits('0123456789abcdef', 32, 32),
  'sha-256': digits('0123456789abcdef', 64, 64),
  ulid: digits('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 25, 25).map((rest) => `0${rest}`),
  'short hash': digits('0123456789abcdef', 6, 13).map((rest) => `a${rest}7`),
  time: fc
    .date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  number: fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }).map(String),
  amount: fc.double({ min: 0, max: 1e6, noNaN: true }).map((number) => number.toFixed(2)),
} as const;

/** Words of an error without a digit, and what stands between them. */
const template = fc.tuple(
  fc.constantFrom('INVALID_DATA: OrderPlaced: lines.', 'the order ', 'no stock of (', 'Order/', 'a="', 'step: '),
  fc.constantFrom('', '.quantity too_small', ' was refused', ')', '/items', '", retried', ' of the account'),
);
const anyText = fc.string({ unit: 'grapheme', maxLength: 400 });

describe('a message without its values', () => {
  test.each(Object.entries(VALUES))('a message is the same whatever %s it has', (_, value) => {
    fc.assert(
      fc.property(template, value, value, ([before, after], one, other) => {
        // A negative number is a number.
        const plain = (text: string) => (before.endsWith(' ') || before.endsWith('(') ? text : text.replace(/^-/, ''));
        expect(maskVariableParts(before + plain(one) + after)).toBe(maskVariableParts(before + plain(other) + after));
      }),
    );
  });

  test('stays the same if it is made again', () =>
    fc.assert(
      fc.property(anyText, (text) => {
        expect(maskVariableParts(maskVariableParts(text))).toBe(maskVariableParts(text));
      }),
    ));

  test('stays the same even if it was cut within a word that would look like a hash', () => {
    const once = maskVariableParts(`${'no '.repeat(90)}${'abcdef'.repeat(8)}xyz`);
    expect(once).toMatch(/ no …$/);
    expect(maskVariableParts(once)).toBe(once);
  });

  test('a message has no digit, and at most 300 characters', () =>
    fc.assert(
      fc.property(fc.oneof(anyText, fc.tuple(template, ...Object.values(VALUES)).map(String)), (text) => {
        expect(maskVariableParts(text)).not.toMatch(/[0-9]/);
        expect(maskVariableParts(text).length).toBeLessThanOrEqual(300);
      }),
    ));

  test('keeps every word, so that different causes stay different', () =>
    fc.assert(
      fc.property(fc.array(digits('abcdefghijklmnopqrstuvwxyzABCDEFZ_', 1, 15), { minLength: 1 }), (words) => {
        const text = words.join(' ').slice(0, 250).trim();
        expect(maskVariableParts(text)).toBe(text);
      }),
    ));

  test.each([
    ['lines.12.quantity of 019aa4f2-6c1e-7d53-9f0e-2b8a4c6d8e10', 'lines.#.quantity of <id>'],
    ['OUT_OF_STOCK (TEA-1)', 'OUT_OF_STOCK (TEA-#)'],
    ['is 5 or -5, 1,000 or 2.50', 'is # or #, # or #'],
    ['at 2026-11-23T14:42:37.123Z, and at 2026-11-23', 'at <time>, and at <time>'],
    ['ch_3MmlLrLkdIwHu7ix0snN0B15 failed', '<id> failed'],
    ['version 2 of OrderPlaced', 'version # of OrderPlaced'],
    ['a decade of facades', 'a decade of facades'],
    ['', ''],
  ])('%s', (message, shape) => expect(maskVariableParts(message)).toBe(shape));
});

describe('a group', () => {
  const failure = (message: string, { consumer = 'reservations', name = 'Broken' } = {}) => {
    const [listener] = findListeners(SERVICES, consumer);
    if (!listener) throw new Error('no listener');
    const reason = { at: 'now', name, message, stack: [] };
    const earlier = { ...reason, message: 'an earlier one' };
    const record: ConsumerRecord = { pk: 'pk', status: 'FAILED', failures: [reason, earlier] };
    return causeHash(toCause({ listener, record }));
  };

  test('a group has an id of 16 digits, the same at every time', () =>
    expect(failure('line 3 is wrong')).toBe('5d1ddeec6fd3eab2'));

  test('a group has one consumer, error and message', () => {
    const ids = [
      failure('line 3 is wrong'),
      failure('line 4 is wrong'),
      failure('line 3 is right'),
      failure('line 3 is wrong', { name: 'Refused' }),
      failure('line 3 is wrong', { consumer: 'orders-list' }),
    ];
    expect(new Set(ids).size).toBe(4);
    expect(ids[0]).toBe(ids[1]);
  });

  test('exists for failures without a reason', () => {
    const [listener] = findListeners(SERVICES, 'reservations');
    if (!listener) throw new Error('no listener');
    expect(describeCause(toCause({ listener, record: { pk: 'pk', status: 'FAILED' } }))).toBe('no reason was kept');
  });
});

test('an id is shortened as far as it stays the only one', () => {
  expect(shortenId('0123456789abcdef', [])).toBe('0123456');
  expect(shortenId('0123456789abcdef', ['0123456789abcdef', '0123456780000000'])).toBe('0123456789');
  expect(shortenId('0123456789abcdef', ['0123456789abcdefff'])).toBe('0123456789abcdef');
});

describe('causes of groups', () => {
  const failureOf = (consumer: string, minute: number, message = 'no stock'): Member => {
    const shared = { error: 'Refused', message, publisher: 'orders', type: 'OrderPlaced' };
    return {
      id: `${consumer}-${minute}`,
      cause: { service: 'shop', consumer, error: 'Refused', message },
      shared,
      trouble: { what: 'failure', error: 'Refused', consumer },
      at: new Date(Date.UTC(2026, 0, 5, 12, minute)).toISOString(),
      show: [],
      subject: undefined,
      unknown: false,
      sealed: false,
    };
  };
  const [first, second, third] = [failureOf('rooms', 1), failureOf('meals', 2), failureOf('rooms', 3)];
  const other = [4, 5, 6, 7].map((minute) => failureOf('rooms', minute, 'no price'));

  test('have the members of all consumers, the oldest first', () => {
    const [cause] = findCauses(groupFailures([third, second, first]));
    expect(cause?.members).toEqual([first, second, third]);
    expect(cause?.groups.map(({ consumer, count }) => [consumer, count])).toEqual([
      ['rooms', 2],
      ['meals', 1],
    ]);
  });

  test('come with the largest first', () => {
    const causes = findCauses(groupFailures([first, second, third, ...other]).toReversed());
    expect(causes.map(({ cause, members }) => [cause.message, members.length])).toEqual([
      ['no price', 4],
      ['no stock', 3],
    ]);
  });

  test('say that there may be more, if more of one of their groups exist than were read', () => {
    const isCut = (member: Member): boolean => member === second;
    const causes = findCauses(groupFailures([first, second, third, ...other], isCut));
    expect(causes.map(({ cause, more }) => [cause.message, more])).toEqual([
      ['no price', false],
      ['no stock', true],
    ]);
  });
});
