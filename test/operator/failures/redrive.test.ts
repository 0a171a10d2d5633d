import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { bodyHashId } from '../../../packages/kit/failures/delivery.js';
import { OperatorError } from '../../../packages/operator/cli/errors.js';
import { commandFormatter } from '../../../packages/operator/cli/text-format.js';
import { findListeners } from '../../../packages/operator/deployment/services.js';
import { describeFailedAgain, requireRedrivable } from '../../../packages/operator/failures/redrive.js';
import type { ConsumerRecord, FoundRecord } from '../../../packages/operator/records/consumer-records.js';
import { SERVICES } from '../../lambdas/operations/facts.js';

const context = {
  command: commandFormatter('shop'),
  reportOn: (subject: string) => ['order', subject.slice('Order/'.length)],
};

function found(more: Partial<ConsumerRecord> = {}, messageId = 'm1', consumer = 'reservations'): FoundRecord {
  const [listener] = findListeners(SERVICES, consumer);
  if (!listener) throw new Error('no listener');
  return {
    listener,
    messageId,
    record: { pk: `${consumer}@0#${messageId}`, status: 'FAILED', payload: 'the message', ...more },
  };
}

function refusal(one: FoundRecord, notDone = false): string {
  try {
    requireRedrivable(context, one, { notDone });
  } catch (error) {
    if (error instanceof OperatorError && error.code === 'refused')
      return `${error.message} ${context.command(...(error.next ?? []))}`;
  }
  throw new Error('it was not refused');
}

describe('a failure is redriven', () => {
  test('a failure is redriven with its message', () =>
    expect(requireRedrivable(context, found(), { notDone: false })).toBe('the message'));

  test('a failure is redriven with its message unpacked', () => {
    const { payload: _, ...packed } = found().record;
    const one = { ...found(), record: { ...packed, payloadGzip: gzipSync('a long message') } };
    expect(requireRedrivable(context, one, { notDone: false })).toBe('a long message');
  });

  test('a failure that may have been done before is redriven if an operator says that it was not', () =>
    expect(requireRedrivable(context, found({ unknown: true }), { notDone: true })).toBe('the message'));

  test('a failure is redriven through its relay', () =>
    expect(requireRedrivable(context, found({}, 'm1', 'relay'), { notDone: false })).toBe('the message'));
});

test('a failure that fails again names the page about its newest reason', () => {
  const reason = (name: string) => ({ at: '2026-12-01T00:00:00.000Z', name, message: '', stack: [] });
  const { record } = found({ failures: [reason('PaymentUnclear'), reason('Late')] });
  const pageOn = (trouble: object) => `page of ${JSON.stringify(trouble)}`;
  expect(describeFailedAgain('payments', record, pageOn)).toMatch(
    /^failed again: PaymentUnclear.*\. What to do: page of .*"consumer":"payments","error":"PaymentUnclear"/,
  );
  expect(describeFailedAgain('payments', record, undefined)).toMatch(/^failed again: PaymentUnclear[^.]*$/);
});

describe('a failure is not redriven', () => {
  test('a failure that may have been done before is not redriven', () => {
    const said = refusal(found({ unknown: true, subject: 'Order/o1' }));
    expect(said).toMatch(/may have been processed before.*shop order o1\).*redrive reservations m1 --not-done$/);
  });

  test('a failure of which only the beginning was kept is not redriven', () => {
    const { payload: _, ...begun } = found().record;
    const record = { ...begun, payloadBegin: 'the mess', payloadBytes: 900_000 };
    expect(refusal({ ...found(), record })).toMatch(/only the beginning of its 900000 bytes was kept.*discard/);
  });

  test('a failure whose record no consumer could find by its id is not redriven', () =>
    expect(refusal(found({}, bodyHashId('the message')))).toMatch(/no id/));

  test('a failure of an earlier generation is not redriven', () =>
    expect(refusal(found({ pk: 'reservations@7#m1' }))).toMatch(/another generation/));

  test.each([
    ['processed', { status: 'PROCESSED', processedAt: 'today' }, /its status is: processed today/],
    [
      'discarded',
      { status: 'DISCARDED', discardedAt: 'today', discardedBy: 'olga', discardReason: 'a test' },
      /its status is: discarded today by olga: a test/,
    ],
  ] as const)('a failure that was %s is not redriven', (_, record, said) =>
    expect(refusal(found(record))).toMatch(said),
  );

  test('a failure is not redriven with --not-done through a relay, which has no such option', () =>
    expect(refusal(found({}, 'm1', 'relay'), true)).toMatch(/--not-done is for consumers/));
});
