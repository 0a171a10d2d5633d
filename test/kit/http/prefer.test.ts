import { expect, test } from 'vitest';
import { parsePreferredWait } from '../../../packages/kit/http/prefer.js';

test.each([
  ['wait=20', 20],
  ['wait=1', 1],
  ['Wait = 5', 5],
  ['wait="5"', 5],
  ['respond-async, wait=10', 10],
  ['foo="a, wait=1"; x, wait=10', 10],
  ['wait=10; because="I can"', 10],
  ['wait=3, wait=10', 3],
  ['foo; some="par,am", wait=7', 7],
  ['wait=3600', 20],
  ['wait=99999999999999999999', 20],
])('Prefer: %s waits for %d seconds', (header, seconds) => expect(parsePreferredWait(header)).toBe(seconds));

test.each([
  undefined,
  '',
  'wait',
  'wait=',
  'wait=0',
  'wait=-1',
  'wait=1.5',
  'wait=soon',
  'wait=1 0',
  'waiting=10',
  'return=minimal',
  ',,;=,"',
  'wait=x, wait=10',
])('Prefer: %s waits for nothing, and is no error', (header) => expect(parsePreferredWait(header)).toBeUndefined());
