import { test } from 'vitest';
import { payOnce } from '../scenarios/payments.js';
import { expectNoneBroken } from './playing.js';

// It plays a twelfth of them. `npm run simulate -- --singles --scenario pay-once` plays all.
test('one fault during a charge and a refund never charges or refunds twice', () =>
  expectNoneBroken(payOnce, { part: 0, of: 12 }, 20));
