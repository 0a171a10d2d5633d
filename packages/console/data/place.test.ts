import { expect, test } from 'vitest';
import { firstLinkedId, linkedIds } from './linked-ids.js';
import { parsePlace, placeOf } from './place.js';

test('a place has a resource, and a text that may have slashes', () => {
  const place = { kind: 'tables', name: 'orders', text: 'Order/7/x' } as const;
  expect(parsePlace(placeOf(place.kind, place.name, place.text))).toEqual(place);
  expect(parsePlace('')).toEqual({ name: '', text: '' });
  expect(parsePlace('secrets/orders')).toEqual({ name: 'orders', text: '' });
});

test('ids of orders and conversations in JSON are found where they stand', () => {
  const order = 'af7e2f6bcdce517ae0e95ec816436465';
  const text = JSON.stringify({ pk: `Order/${order}`, data: { correlationid: '01a1fd15-42fa', note: order } }, null, 2);
  const found = linkedIds(text);
  expect(found.map(({ id }) => id)).toEqual([order, '01a1fd15-42fa']);
  expect(found.map(({ from, to }) => text.slice(from, to))).toEqual([order, '01a1fd15-42fa']);
  expect(firstLinkedId({ pk: `CreateOrderSaga#${order}` })).toBe(order);
  expect(firstLinkedId({ sk: `ORDER#2026-11-29T22:24:32.675Z#${order}` })).toBe(order);
  expect(firstLinkedId({ summary: '{"correlationId":"01a1fd15-42fa"}' })).toBe('01a1fd15-42fa');
  expect(firstLinkedId({ customerId: 'alice' })).toBeUndefined();
});
