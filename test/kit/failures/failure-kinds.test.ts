import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AggregateDeleted } from '../../../packages/kit/event-store/event-store.js';
import { findTooOld, isPermanent } from '../../../packages/kit/failures/failure-kinds.js';
import { ContractViolation } from '../../../packages/kit/messages/contract.js';

const DAY = 86_400;
const named = (name: string) => Object.assign(new Error(), { name });

describe('a failure', () => {
  test.each([
    [new ContractViolation('INVALID_DATA', '')],
    [new ContractViolation('UNKNOWN_TYPE', '')],
    [new AggregateDeleted()],
    [named('TooLarge')],
    [named('ValidationException')],
    [named('OrderRefused')],
  ])('a failure that no retry can help is permanent: %s', (error) =>
    expect(isPermanent(error, (refusal) => (refusal as Error).name === 'OrderRefused')).toBe(true),
  );
  test.each([
    [new ContractViolation('NEWER_VERSION', '')],
    [new ContractViolation('NEWER_TYPE', '')],
    [named('WriteConflict')],
    [named('ThrottlingException')],
    [new TypeError('our fault')],
    ['thrown text'],
  ])('a transient failure is retried: %s', (error) => expect(isPermanent(error, () => false)).toBe(false));
});

describe('a message', () => {
  beforeEach(() => void vi.useFakeTimers({ now: new Date('2026-03-01T00:00:00.000Z') }));
  afterEach(() => void vi.useRealTimers());

  test('a message is recognised until a day before its record can expire', () => {
    const window = 35 * DAY;
    expect(findTooOld({ time: '2026-01-26T00:00:00.000Z' }, window)).toBeUndefined();
    expect(findTooOld({ time: '2026-01-25T23:59:59.000Z' }, window)?.message).toBe(
      `${34 * DAY + 1} s old, recognised for ${window} s`,
    );
  });
});
