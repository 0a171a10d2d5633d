import { describe, expect, test } from 'vitest';
import { recordKey } from '../../packages/kit/failures/failure-records.js';
import { encodeCursor } from '../../packages/kit/http/paging.js';
import { parseIdempotencyKey } from '../../packages/kit/idempotent-receiver/idempotency-key.js';
import { keyOf } from '../../packages/kit/idempotent-receiver/session.js';
import { cursorKey, placeKey } from '../../packages/kit/inbox/sequence-keys.js';
import { laneKey } from '../../packages/kit/lane/contract.js';
import { messageGroupOf, sagaStepKey } from '../../packages/kit/messages/envelope.js';
import { open, seal } from '../../packages/kit/messages/sealed.js';

/**
 * Keys and hashes of several values. Each value changed alone changes the key: a key that leaves one out takes two things for
 * the same, which no test sees that changes all values together. Nor does a value that ends where the next one begins.
 */

type Values = Readonly<Record<string, unknown>>;

const key = new Uint8Array(32).fill(7);
const place = { person: 'ada', aggregate: 'User#ada', event: 'e1', field: 'name' };
const { person: _, ...bound } = place;
const sealed = seal(key, place.person, 'Ada', bound);

const request = {
  client: 'customer:ada',
  method: 'POST',
  path: '/orders',
  query: { dry: '1' },
  body: { a: 1 },
  header: 'key-1',
};
const keyed = (values: Values) => parseIdempotencyKey({ ...request, ...values } as never);

/** Parts of each key, with two values of each. */
const KEYS: Readonly<Record<string, readonly [of: (values: never) => unknown, parts: Values, others: Values]>> = {
  'record of a message': [
    ({ id, ...consumer }: { id: string; name: string; generation: number }) => recordKey(consumer, id),
    { name: 'counts', generation: 0, id: 'm' },
    { name: 'sums', generation: 1, id: 'n' },
  ],
  'place of a message in a sequence': [
    ({ consumer, ...at }: { consumer: never; subject: string; sequence: number; epoch: number }) =>
      placeKey(consumer, at),
    { consumer: { name: 'counts', generation: 0 }, subject: 'Order/1', sequence: 1, epoch: 0 },
    { consumer: { name: 'counts', generation: 1 }, subject: 'Order/2', sequence: 2, epoch: 1 },
  ],
  'cursor of a subject': [
    ({ consumer, subject }: { consumer: never; subject: string }) => cursorKey(consumer, subject),
    { consumer: { name: 'counts', generation: 0 }, subject: 'Order/1' },
    { consumer: { name: 'counts', generation: 1 }, subject: 'Order/2' },
  ],
  'request in a lane': [
    ({ lane, of }: { lane: string; of: string }) => laneKey(lane, of),
    { lane: 'stock', of: 'A' },
    { lane: 'accounts', of: 'B' },
  ],
  session: [
    ({ client, id }: { client: string; id: string }) => keyOf(client, id).pk,
    { client: 'customer:ada', id: 's1' },
    { client: 'customer:bob', id: 's2' },
  ],
  'scope of an idempotency key': [
    (values: Values) => keyed(values).scope,
    { client: request.client, method: request.method, path: request.path, header: request.header },
    { client: 'operator:ada', method: 'PUT', path: '/payments', header: 'key-2' },
  ],
  'hash of a request': [
    (values: Values) => keyed(values).requestHash,
    { method: request.method, path: request.path, query: request.query, body: request.body, header: request.header },
    { method: 'PUT', path: '/payments', query: { dry: '2' }, body: { a: 2 }, header: 'key-2' },
  ],
  'cursor of a page': [
    ({ list, position }: { list: string; position: unknown }) => encodeCursor(list, position),
    { list: 'orders', position: ['a'] },
    { list: 'products', position: ['b'] },
  ],
  'message group': [
    ({ actor, onBehalfOf }: { actor: string; onBehalfOf?: string }) => messageGroupOf(actor, onBehalfOf),
    { onBehalfOf: 'customer:ada' },
    { onBehalfOf: 'customer:bob' },
  ],
  'step of a command': [
    (values: Values) => sagaStepKey({ ...values, data: { stepId: values.stepId } } as never),
    { source: 'shop.orders', to: 'payments', type: 'Charge', stepId: 'o/1' },
    { source: 'shop.baskets', to: 'accounts', type: 'Refund', stepId: 'o/2' },
  ],
};

describe.each(Object.entries(KEYS))('the key: %s', (_name, [of, parts, others]) => {
  const made = (values: Values) => JSON.stringify(of(values as never));

  test('the key is the same for the same values', () => expect(made({ ...parts })).toBe(made(parts)));

  test.each(Object.keys(parts))('the key is another one if only %s is another', (part) => {
    expect(Object.keys(others)).toContain(part);
    expect(made({ ...parts, [part]: others[part] })).not.toBe(made(parts));
  });
});

describe('a seal', () => {
  const opened = (change: Partial<typeof place>) => {
    const { person, ...at } = { ...place, ...change };
    return open(key, person, sealed, at);
  };
  test('opens at its place', () => expect(opened({})).toBe('Ada'));
  test.each(Object.keys(place))('a seal is broken if only %s is another', (part) => {
    expect(() => opened({ [part]: 'another' })).toThrow();
  });
});
