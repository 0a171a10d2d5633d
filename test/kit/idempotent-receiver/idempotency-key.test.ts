import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  checkSamePersonal,
  checkSameRequest,
  ISSUED_KEY_SECONDS,
  isSameRequest,
  issueKey,
  type KeyedRequest,
  parseIdempotencyKey,
} from '../../../packages/kit/idempotent-receiver/idempotency-key.js';

const request: KeyedRequest = {
  header: 'k1',
  client: 'customer:alice',
  method: 'POST',
  path: '/orders',
  query: {},
  body: { a: 1, b: [2] },
};
const key = (change: Partial<KeyedRequest>) => parseIdempotencyKey({ ...request, ...change });
const refused = (code: string) => expect.objectContaining({ code });

afterEach(() => vi.useRealTimers());

describe('an idempotency key', () => {
  test('the key is the same for the same request, however its JSON is written', () =>
    expect(key({ body: { b: [2], a: 1 } })).toEqual(key({})));
  test.each([
    ['client', { client: 'customer:bob' }],
    ['role', { client: 'operator:alice' }],
    ['method', { method: 'PUT' }],
    ['path', { path: '/orders/1/cancellation' }],
    ['key', { header: 'k2' }],
  ])('a request of another %s has another key', (_, change) => expect(key(change).scope).not.toBe(key({}).scope));
  test.each([
    ['body', { body: { a: 2, b: [2] } }],
    ['query', { query: { x: '1' } }],
  ])('a request with another %s has the same key and is another request', (_, change) => {
    expect(key(change).scope).toBe(key({}).scope);
    expect(key(change).requestHash).not.toBe(key({}).requestHash);
  });
  test('a key and a number of a session are refused together', () =>
    expect(() => key({ session: { id: 's', number: '1', answeredUpTo: undefined } })).toThrow(
      refused('invalid-request'),
    ));
  test('the hash of a body leaves out personal text, but says whether it is there', () => {
    const personal = { personal: ['reason'] };
    const hash = (body: object) => key({ ...personal, body }).requestHash;
    expect(hash({ a: 1, reason: 'one' })).toBe(hash({ a: 1, reason: 'other' }));
    expect(hash({ a: 1, reason: 'one' })).not.toBe(hash({ a: 1 }));
    expect(hash({ a: 1, reason: 'one' })).not.toBe(hash({ a: 2, reason: 'one' }));
    expect(hash({ a: 1 })).toBe(key({ body: { a: 1 } }).requestHash);
    expect(hash(null as never)).toBe(key({ body: null }).requestHash);
  });
  test('the hash is that of a request which 0.2.0 stored with such a text, and of no other', () => {
    const body = { a: 1, reason: 'one' };
    const stored = key({ body }).requestHash;
    const now = key({ body, personal: ['reason'] });
    expect(now.requestHash).not.toBe(stored);
    expect(isSameRequest(now, stored)).toBe(true);
    expect(isSameRequest(now, now.requestHash)).toBe(true);
    expect(isSameRequest(key({ body: { ...body, reason: 'other' }, personal: ['reason'] }), stored)).toBe(false);
    expect(() => checkSameRequest(now, 'another')).toThrow(refused('key-reused'));
  });
  test('comes with another personal text, as far as that is known', () => {
    expect(() => checkSamePersonal('one', 'other')).toThrow(refused('key-reused'));
    expect(() => checkSamePersonal('one', undefined)).toThrow(refused('key-reused'));
    for (const stored of ['one', { forgotten: true }]) expect(() => checkSamePersonal('one', stored)).not.toThrow();
  });
  test('the key is kept in hashes only', () =>
    expect(JSON.stringify(key({ header: 'secret-key' }))).not.toContain('secret'));

  test.each([undefined, ''])('a request without a key is refused (%s)', (header) =>
    expect(() => key({ header })).toThrow(refused('key-missing')),
  );
  test.each(['a b', 'ä', '\u0007', 'x'.repeat(256)])('a malformed key is refused (%s)', (header) =>
    expect(() => key({ header })).toThrow(refused('invalid-request')),
  );
  test.each(['!', '~', 'x'.repeat(255)])('a key has 1 to 255 visible characters (%s)', (header) =>
    expect(key({ header }).scope).toMatch(/^[0-9a-f]{64}$/),
  );

  test.each([
    ['"8e03978e"', '8e03978e'],
    ['"auto"', 'auto'],
    [String.raw`"a\"b\\c"`, String.raw`a"b\c`],
  ])('a quoted key is the same key (%s)', (header, bare) => {
    const body = { clientReference: 'r1' };
    expect(key({ header, body })).toEqual(key({ header: bare, body }));
  });
  test.each(['"', '"a', '"a"b"', String.raw`"a\b"`, '"a b"', '"a";n=1'])(
    'a key in unbalanced quotes is refused (%s)',
    (header) => expect(() => key({ header })).toThrow(refused('invalid-request')),
  );
  test('a key of nothing but quotes is a missing key', () =>
    expect(() => key({ header: '""' })).toThrow(refused('key-missing')));

  test('auto is the hash of the body', () => {
    const body = { clientReference: 'r1', a: 1 };
    expect(key({ header: 'auto', body })).toEqual(key({ header: 'auto', body: { a: 1, clientReference: 'r1' } }));
    expect(key({ header: 'auto', body }).scope).not.toBe(
      key({ header: 'auto', body: { ...body, clientReference: 'r2' } }).scope,
    );
  });
  test('auto is refused where two equal orders could never both be placed', () =>
    expect(() => key({ header: 'auto' })).toThrow(
      expect.objectContaining({
        code: 'invalid-request',
        extra: {
          errors: [
            { header: 'Idempotency-Key', pointer: '/clientReference', detail: expect.stringContaining('required') },
          ],
        },
      }),
    ));
});

describe('an issued key', () => {
  test('says itself when its first use is too late', () => {
    vi.useFakeTimers({ now: new Date('2026-01-01T00:00:00.000Z') });
    const { idempotencyKey: header, expiresAt } = issueKey();
    expect(header).toMatch(/^ord_[0-9a-f-]{36}$/);
    expect(expiresAt).toBe('2026-01-02T00:00:00.000Z');
    vi.advanceTimersByTime(ISSUED_KEY_SECONDS * 1000);
    expect(key({ header }).expiredFor).toBeUndefined();
    vi.advanceTimersByTime(1000);
    expect(key({ header }).expiredFor).toBe(1);
  });
  test('a key that only looks issued is a key of the client', () =>
    expect(key({ header: 'ord_1' }).expiredFor).toBeUndefined());
});
