import { describe, expect, test } from 'vitest';
import { Problem } from '../../../packages/kit/http/errors.js';
import { AUDIT_SECONDS, refuseIfLate } from '../../../packages/operator/api/answers.js';
import { type AuditQuery, MAX_AUDIT_SECONDS, parseAuditQuery } from '../../../packages/operator/api/audit-query.js';
import { commandFormatter } from '../../../packages/operator/cli/text-format.js';

const NOW = '2026-12-01T12:00:00.000Z';
const asked = (query: AuditQuery) =>
  parseAuditQuery(query, { now: NOW, subjects: { order: ['Order', 'Payment'] }, command: commandFormatter('shop') });

/** Returns the detail of the refusal, and the parameter that it names. */
function refused(query: AuditQuery): readonly [string, string | undefined] {
  try {
    asked(query);
  } catch (error) {
    if (error instanceof Problem && error.status === 400) return [error.detail, error.extra.errors?.[0]?.parameter];
    throw error;
  }
  return expect.fail('accepted');
}

describe('the query of an audit', () => {
  test('the query is the last hours, a time, or an aggregate', () => {
    expect(asked({ since: '1h' })).toEqual({
      audit: {
        from: '2026-12-01T11:00:00.000Z',
        to: NOW,
        subject: undefined,
        consumer: undefined,
        graceSeconds: 900,
        resend: false,
        rate: 1,
      },
      command: 'shop audit --since 1h',
    });
    const span = { from: '2026-12-01T08:00:00+01:00', to: '2026-12-01T08:30:00Z' };
    expect(asked({ ...span, consumer: 'rooms', grace: '0s' })).toMatchObject({
      audit: {
        from: '2026-12-01T07:00:00.000Z',
        to: '2026-12-01T08:30:00.000Z',
        consumer: 'rooms',
        graceSeconds: 0,
      },
      command: 'shop audit --from 2026-12-01T07:00:00.000Z --to 2026-12-01T08:30:00.000Z --consumer rooms --grace 0s',
    });
    expect(asked({ order: '4711' })).toMatchObject({
      audit: { from: undefined, to: undefined, subject: 'Order/4711', parts: ['Payment/4711'] },
      command: 'shop audit --order 4711',
    });
  });

  test.each<[AuditQuery, string]>([
    [{}, 'since'],
    [{ since: '1h', from: NOW }, 'from'],
    [{ since: '1h', order: '4711' }, 'order'],
    [{ from: NOW, order: '4711' }, 'order'],
  ])('the query is refused unless it is one of them: %j', (query, parameter) => {
    expect(refused(query)).toEqual(['expected exactly one of since, from, order', parameter]);
  });

  test('the query is refused for an end without a beginning, and before it', () => {
    expect(refused({ order: '4711', to: NOW })).toEqual(['expected with from only', 'to']);
    expect(refused({ from: NOW, to: '2026-12-01T11:59:59Z' })).toEqual([
      'expected a time before the end of the span, 2026-12-01T11:59:59.000Z',
      'from',
    ]);
    expect(refused({ from: '2026-12-01T12:00:01Z' })[1]).toBe('from');
  });

  test('the query is refused above the longest time of an answer, and names the command without a limit', () => {
    const longest = `${MAX_AUDIT_SECONDS}s`;
    expect(asked({ since: longest }).audit.from).toBe('2026-11-30T12:00:00.000Z');
    expect(refused({ since: `${MAX_AUDIT_SECONDS + 1}s` })).toEqual([
      'an answer audits at most 24 h: ask for less, or run shop audit --since 86401s',
      'since',
    ]);
    expect(asked({ from: '2026-11-30T12:00:00Z' }).audit.to).toBe(NOW);
    expect(refused({ from: '2026-11-30T11:59:59Z' })).toEqual([
      `an answer audits at most 24 h: ask for less, or run shop audit --from 2026-11-30T11:59:59.000Z --to ${NOW}`,
      'from',
    ]);
  });
});

test('an audit ends when an answer can’t wait for it any longer', () => {
  expect(() => refuseIfLate(AUDIT_SECONDS - 0.001, 'shop audit')).not.toThrow();
  expect(() => refuseIfLate(AUDIT_SECONDS, 'shop audit --since 5h')).toThrow(
    expect.objectContaining({
      status: 400,
      detail: 'the audit was not finished within 20 seconds: ask for a shorter time, or run shop audit --since 5h',
    }),
  );
});
