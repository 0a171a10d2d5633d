import { expect, test } from 'vitest';
import { putEvents } from './put-events.js';
import { cloudOf } from './support.js';

const put = (entries: readonly object[]) => {
  const { events, world } = cloudOf({});
  const answer = putEvents(
    events,
    { service: 'events', operation: 'PutEvents', input: { Entries: entries } },
    world.now,
    'Shop/Work',
  );
  return { answer, taken: events.accepted.length };
};

const entry = (Detail = '{}') => ({ Source: 'shop', DetailType: 'Sold', Detail });
const entries = (count: number, Detail?: string) => Array.from({ length: count }, () => entry(Detail));

test('ten entries pass, and eleven are refused as a whole', () => {
  expect(put(entries(10)).taken).toBe(10);
  const { answer, taken } = put(entries(11));
  expect(answer).toMatchObject({ error: { code: 'ValidationException', message: expect.stringContaining('10') } });
  expect(taken).toBe(0);
});

test('a megabyte passes, and a byte more is refused as a whole', () => {
  const quarter = 256 * 1024 - 'shopSold'.length;
  const detail = (bytes: number): string => JSON.stringify('é'.repeat(bytes / 2 - 1));
  expect(put(entries(4, detail(quarter))).taken).toBe(4);
  const { answer, taken } = put([...entries(3, detail(quarter)), entry(`${detail(quarter)} `)]);
  expect(answer).toMatchObject({ error: { code: 'ValidationException', message: expect.stringContaining('size') } });
  expect(taken).toBe(0);
});

test('an entry that is wrong in itself holds up no other', () => {
  const { answer, taken } = put([entry(), entry('{'), { Source: 'shop' }]);
  expect(answer).toMatchObject({
    output: { FailedEntryCount: 2, Entries: [{}, { ErrorCode: 'MalformedDetail' }, { ErrorCode: 'InvalidArgument' }] },
  });
  expect(taken).toBe(1);
});
