import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { main } from '../../../tools/prove/main.js';

beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => undefined));
afterEach(() => vi.restoreAllMocks());

test.each([
  ['--all', /Unknown option '--all'/],
  ['--minutes=soon', /'soon' is no number above 0/],
  ['--seconds=0', /'0' is no number above 0/],
])('%s is refused, with the usage', async (arg, words) => {
  expect(await main([arg])).toBe(2);
  expect(console.error).toHaveBeenCalledWith(expect.stringMatching(words));
  expect(console.error).toHaveBeenCalledWith(expect.stringContaining('npm run prove'));
});
