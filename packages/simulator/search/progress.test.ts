import { expect, test } from 'vitest';
import { showProgress } from './progress.js';

function shown(isTTY: boolean) {
  let now = 0;
  // A stream's method needs its stream.
  const stream = {
    isTTY,
    text: '',
    write(more: string): void {
      this.text += more;
    },
  };
  const show = showProgress(stream, () => now);
  for (let done = 1; done <= 3; done++) {
    now += 6_000;
    show({ scenario: 'orders', done, all: 3, broken: 0 });
  }
  return stream.text;
}

test('a build has a line each ten seconds', () =>
  expect(shown(false)).toBe('orders: 2 of 3 histories, 0 broke a promise\n'));

test('a terminal has one line that changes, and it ends with the search', () => {
  const text = shown(true);
  expect(text.split('\r')).toHaveLength(4);
  expect(text).toMatch(/orders: 3 of 3 histories, 0 broke a promise.*\n$/);
});
