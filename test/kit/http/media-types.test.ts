import { describe, expect, test } from 'vitest';
import { negotiateMediaType } from '../../../packages/kit/http/media-types.js';

const OFFERED = ['application/json', 'text/csv'] as const;
const chosen = (accept: string | undefined) => negotiateMediaType(accept, OFFERED);

describe('the media type of an answer', () => {
  test.each([
    [undefined, 'application/json'],
    ['', 'application/json'],
    ['*/*', 'application/json'],
    ['text/csv', 'text/csv'],
    ['TEXT/CSV; header=present', 'text/csv'],
    ['text/*', 'text/csv'],
    ['text/html, text/csv;q=0.1', 'text/csv'],
    ['text/csv, application/json', 'application/json'],
    ['application/json;q=0.5, text/csv;q=0.9', 'text/csv'],
    ['application/json;q=0, */*', 'text/csv'],
    ['*/*;q=0.1, text/csv;q=0.2', 'text/csv'],
    // The most specific range decides, wherever it stands.
    ['*/*, application/*;q=0.2', 'text/csv'],
    ['text/csv;q=nonsense', 'text/csv'],
  ])('the media type for Accept %o is %s', (accept, type) => expect(chosen(accept)).toBe(type));

  test.each(['text/html', 'application/json;q=0', 'nonsense', 'text/csv;q=0, application/json;q=0.000', '*/*;q=0'])(
    'there is no media type for Accept %o: 406, with what would be right',
    (accept) =>
      expect(() => chosen(accept)).toThrow(
        expect.objectContaining({
          code: 'not-acceptable',
          status: 406,
          extra: { errors: [{ header: 'Accept', detail: 'expected application/json or text/csv' }] },
        }),
      ),
  );
});
