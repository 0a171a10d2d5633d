import { describe, expect, test } from 'vitest';
import { headerReader, refuseRepeatedHeaders } from '../../../packages/kit/http/headers.js';

const twice = (name: string, other = name) =>
  name === other ? { [name]: ['1', '2'] } : { [name]: ['1'], [other]: ['2'] };
const EFFECTIVE = [
  'Content-Type',
  'X-Correlation-Id',
  'If-Match',
  'Idempotency-Key',
  'Session-Id',
  'Request-Number',
  'Answered-Up-To',
];

describe('a header', () => {
  test('a header is found whatever the case of its name', () => {
    const header = headerReader({ headers: { 'iDempotency-KEY': 'k' } });
    expect([header('Idempotency-Key'), header('idempotency-key'), header('none')]).toEqual(['k', 'k', undefined]);
    expect(headerReader({ headers: null, multiValueHeaders: null })('a')).toBeUndefined();
  });

  test.each([
    ['under one name', twice('Authorization')],
    ['under two', twice('Authorization', 'authorization')],
  ])(
    'a header that occurs twice %s counts as absent, since nothing chooses between the two',
    (_, multiValueHeaders) => {
      expect(headerReader({ headers: { Authorization: '2' }, multiValueHeaders })('Authorization')).toBeUndefined();
    },
  );

  test.each(EFFECTIVE)('%s that occurs twice refuses the request, and the problem names it', (name) => {
    for (const multiValueHeaders of [twice(name), twice(name, name.toLowerCase()), { [name]: ['1', '1'] }]) {
      expect(() => refuseRepeatedHeaders({ multiValueHeaders })).toThrow(
        expect.objectContaining({
          code: 'invalid-request',
          extra: { errors: [{ header: name, detail: 'given more than once' }] },
        }),
      );
    }
  });

  test('a header without effect may occur twice, and each of the others once', () => {
    const once = Object.fromEntries(EFFECTIVE.map((name) => [name, ['1']]));
    expect(() =>
      refuseRepeatedHeaders({ multiValueHeaders: { ...once, Accept: ['a', 'b'], Via: ['a', 'b'] } }),
    ).not.toThrow();
  });
});
