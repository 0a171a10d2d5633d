import { beforeEach, expect, test, vi } from 'vitest';
import { ProofAudit } from './proof-audit.js';

const NOW = Date.UTC(2026, 0, 5, 12, 2);
const DAY = 86_400_000;
const NONE = { deliveries: { pending: 0, 'too new': 0 }, missing: [], twice: { left: 0, found: [] } };
const MISSING = { at: '2026-01-05T12:00:00.000Z', consumer: 'stock', messageId: 'm', type: 'Sold', subject: 'Thing/1' };

let now = NOW;
let answer: (path: string) => Promise<unknown>;
const asked: string[] = [];
let audit: ProofAudit;

beforeEach(() => {
  vi.restoreAllMocks();
  asked.length = 0;
  now = NOW;
  answer = async () => ({ audit: NONE });
  audit = new ProofAudit(
    (path) => {
      asked.push(path);
      return answer(path);
    },
    () => now,
  );
});

/** Lets a round end; the next one is due at once. */
async function round(): Promise<void> {
  const at = performance.now();
  audit.look();
  await vi.waitFor(() => expect(audit.result()).toBeDefined());
  await new Promise((resolve) => setImmediate(resolve));
  vi.spyOn(performance, 'now').mockReturnValue(at + 60_000 * (asked.length + 1));
}

test('nothing is known before the first check, and nothing is checked until somebody looks', () => {
  audit.take(NOW);
  expect(audit.result()).toEqual({ unknown: 'The first check is under way.', isUnderWay: true });
  expect(asked).toEqual([]);
});

test('spans with a commit are audited, however much time has passed between them', async () => {
  audit.take(NOW - 36 * DAY);
  audit.take(NOW);
  await round();
  expect(asked).toEqual([
    '/operations/audit?from=2025-11-30T12:00:00.000Z&to=2025-11-30T12:05:00.000Z&grace=30s',
    '/operations/audit?from=2026-01-05T12:00:00.000Z&to=2026-01-05T12:02:00.000Z&grace=30s',
  ]);
  expect(audit.result()).toEqual({ lost: [], twice: [], unjudged: 0, until: NOW });
});

test('a span that is over and judged is not audited again; one with deliveries under way is', async () => {
  audit.take(NOW - DAY);
  audit.take(NOW - 2 * DAY);
  answer = async (path) =>
    path.includes('from=2026-01-04')
      ? { audit: { ...NONE, deliveries: { pending: 2, 'too new': 1 } } }
      : { audit: NONE };
  await round();
  expect(audit.result()).toMatchObject({ unjudged: 3 });
  asked.length = 0;
  await round();
  expect(asked).toEqual([expect.stringContaining('from=2026-01-04')]);
});

test('what is lost and what was done twice is listed', async () => {
  audit.take(NOW);
  const found = [{ id: 'o1', effects: [{ subject: 'Order/o1' }] }];
  answer = async () => ({ audit: { ...NONE, missing: [MISSING], twice: { left: 0, found } } });
  await round();
  expect(audit.result()).toMatchObject({
    lost: [{ owner: 'stock', subject: 'Thing/1', id: 'm' }],
    twice: [{ owner: 'Order/o1', id: 'o1' }],
  });
});

test('an audit that fails makes the numbers unknown, with the reason', async () => {
  audit.take(NOW);
  answer = () => Promise.reject(new Error('the token is expired'));
  await round();
  expect(audit.result()).toEqual({ unknown: 'The delivery audit did not answer: the token is expired' });
});

test('after a reset nothing of before counts', async () => {
  audit.take(NOW);
  answer = async () => ({ audit: { ...NONE, missing: [MISSING] } });
  await round();
  audit.take(undefined);
  expect(audit.result()).toEqual({ unknown: 'The first check is under way.', isUnderWay: true });
});
