import { expect, test } from 'vitest';
import { commandFormatter } from '../../../packages/operator/cli/text-format.js';
import { describePause } from '../../../packages/operator/doctor/doctor.js';

const pause = {
  consumer: 'seats',
  since: '2026-12-01T12:00:00.000Z',
  by: 'olga',
  reason: 'it books twice',
  mappings: [],
};
const at = (now: string) => describePause(pause, { clock: { now: () => now }, command: commandFormatter('shop') });

test('doctor names a pause, and from a day on the command that ends it', () => {
  const text = 'paused: seats, since 2026-12-01T12:00:00.000Z by olga: it books twice';
  expect(at('2026-12-02T11:59:59.000Z')).toBe(text);
  expect(at('2026-12-02T12:00:00.000Z')).toBe(
    `${text}\n      for 24 h; if it was forgotten: shop consumers resume seats`,
  );
});
