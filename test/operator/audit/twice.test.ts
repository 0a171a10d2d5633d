import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { clock } from '../../../packages/kit/aws/clock.js';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { type AuditAccess, type AuditExtras, audit } from '../../../packages/operator/audit/audit-command.js';
import type { DuplicateCheck, DuplicateEffect } from '../../../packages/operator/audit/duplicate-check.js';
import type { AuditRequest } from '../../../packages/operator/audit/request.js';
import { commandFormatter } from '../../../packages/operator/cli/text-format.js';
import { auditCommands } from '../../../packages/operator/commands/audit.js';
import { ago, booked, consumer, emptyTables, heardBy, NOW } from '../bookings.js';

/** Effects that were repeated, by their trips; and the trips that were looked at, in their order. */
let twice: Record<string, readonly DuplicateEffect[]> = {};
let looked: string[] = [];
const check: DuplicateCheck = {
  noun: 'trip',
  idsIn: ({ pk }) => [pk.slice('Trip#'.length)],
  openCheck: () => async (id) => {
    looked.push(id);
    return twice[id] ?? [];
  },
};
const access: AuditAccess = {
  now: () => NOW,
  countMessages: async () => 0,
  oldestMessageAge: async () => 0,
  readerLag: async () => 0,
  shown: async () => ({}),
  send: async () => undefined,
  wait: async () => undefined,
};
const TWICE: readonly DuplicateEffect[] = [
  { subject: 'Trip/b', type: 'SeatTaken', versions: [2, 3] },
  { subject: 'Seat/b', trigger: 'TakeSeat-1', versions: [1, 2] },
];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(NOW) - 86_400_000 });
  twice = {};
  looked = [];
  emptyTables();
});
afterEach(() => void vi.useRealTimers());

async function audited(request: Partial<AuditRequest> = {}, more: AuditExtras = {}) {
  const asked: AuditRequest = {
    from: 2 * 3_600,
    to: undefined,
    subject: undefined,
    consumer: undefined,
    graceSeconds: 7_200,
    resend: false,
    rate: 10,
    ...request,
  };
  const context = {
    app: 'shop',
    documents: documentClient,
    clock,
    services: heardBy(consumer('seats')),
    command: commandFormatter('shop'),
    say: () => undefined,
    actor: async () => 'olga',
  };
  return audit(context, asked, access, { check, ...more });
}

test('an audit says how many were checked, and that nothing was done twice', async () => {
  for (const id of ['a', 'b', 'c']) await booked(id, ago(30));
  const { exitCode, text, json } = await audited();
  expect(exitCode).toBe(0);
  expect(text).toMatch(
    /^Nothing was compared: 3 deliveries are on the way\. Nothing was done twice: 3 trips checked\.\n/,
  );
  expect(json).toMatchObject({ audit: { twice: { checked: 3, left: 0, found: [] } } });
});

test('work that was done twice is listed with the command that shows it, and is exit code 1 before all others', async () => {
  for (const id of ['a', 'b']) await booked(id, ago(30));
  twice = { b: TWICE };
  const { exitCode, text, json } = await audited({ graceSeconds: 0 });
  expect(exitCode).toBe(1);
  expect(text).toMatch(/^2 deliveries are missing\. Something was done twice in 1 trip: 2 trips checked\.\n/);
  expect(text).toContain(
    [
      'trip b',
      '  SeatTaken happened twice in Trip/b, as versions 2 and 3',
      '  TakeSeat-1 was applied twice to Seat/b, as versions 1 and 2',
      '  shop trip b',
      '',
    ].join('\n'),
  );
  expect(json).toMatchObject({ audit: { twice: { found: [{ id: 'b', effects: TWICE, next: 'shop trip b' }] } } });
});

test('an audit checks the oldest first, up to its bound, and says where to continue', async () => {
  await booked('newest', ago(10));
  await booked('old', ago(30));
  await booked('oldest', ago(40));
  const { exitCode, text, json } = await audited({}, { mostChecked: 2 });
  expect(looked).toEqual(['oldest', 'old']);
  expect(exitCode).toBe(0);
  expect(text).toMatch(/Nothing was done twice: 2 trips checked, 1 left\./);
  const next = `shop audit --from ${ago(10)} --to ${NOW}`;
  expect(text).toContain(`check those that are left: ${next}`);
  expect(json).toMatchObject({ audit: { twice: { checked: 2, left: 1, next } } });
  looked = [];
  await audited({ from: ago(10), to: NOW }, { mostChecked: 2 });
  expect(looked).toEqual(['newest']);
});

test('the result of the audit stays when time is over, and the rest of the check is left', async () => {
  for (let trip = 0; trip < 30; trip++) await booked(`trip-${trip}`, ago(60 - trip));
  const { exitCode, text, json } = await audited({}, { hasTime: () => looked.length === 0 });
  expect(looked).toHaveLength(20);
  expect(exitCode).toBe(0);
  expect(text).toMatch(/on the way\. Nothing was done twice: 20 trips checked, 10 left\./);
  expect(json).toMatchObject({
    audit: { twice: { checked: 20, left: 10, next: `shop audit --from ${ago(40)} --to ${NOW}` } },
  });
});

test('an audit of one consumer does not look for it', async () => {
  await booked('a', ago(30));
  twice = { a: TWICE };
  const { exitCode, text, json } = await audited({ consumer: 'seats' });
  expect(exitCode).toBe(0);
  expect(text).toMatch(/^Nothing was compared at seats: 1 delivery is on the way\.\n/);
  expect(json.audit).not.toHaveProperty('twice');
});

test('an audit of one aggregate checks that one', async () => {
  for (const id of ['a', 'b']) await booked(id, ago(30));
  twice = { b: TWICE };
  expect((await audited({ from: undefined, subject: 'Trip/a' })).exitCode).toBe(0);
  expect((await audited({ from: undefined, subject: 'Trip/b' })).exitCode).toBe(1);
  expect(looked).toEqual(['a', 'b']);
});

test('the help speaks of what was done twice only if the application can find that', () => {
  const aboutOf = (...more: Parameters<typeof auditCommands> extends [string, ...infer More] ? More : never) =>
    auditCommands('seats', ...more)[0]?.about;
  expect(aboutOf()).toMatch(/was anything lost\?$/);
  expect(aboutOf({}, async () => check)).toMatch(/was anything lost, or done twice\?$/);
});
