import { test } from 'vitest';
import { payOnce } from '../scenarios/payments.js';
import { expectNoneBroken } from './playing.js';

// An eighth of them; `npm run simulate -- --singles --scenario pay-once` plays all.
test('no single fault at a point of charging and giving back charges or gives back twice', () =>
  expectNoneBroken(payOnce, { part: 0, of: 8 }, 35));
