import { describe, expect, test } from 'vitest';
import type * as z from 'zod/mini';
import type {
  AuditLogView,
  AuditView,
  FailureGroupsView,
  OperationsStatusView,
  TraceView,
} from '../../lambdas/operations/contract.js';
import { world } from '../support/world.js';
import { approved, line, stocked } from './orders.js';
import type { ApiAnswer, Caller, ProblemBody } from './world.js';

const ask = <Body>(path: string, as: Caller = 'operator'): Promise<ApiAnswer<Body>> =>
  world.call({ method: 'GET', path: `/operations/${path}`, as });

const status = () => ask<z.infer<typeof OperationsStatusView>>('status');
const groups = (query = '') => ask<z.infer<typeof FailureGroupsView>>(`failures${query}`);
const audit = (query: string) => ask<z.infer<typeof AuditView>>(`audit?${query}`);

const CONSUMER = 'inventory-commands';
const PATHS = ['status', 'failures', 'audit?since=1h', 'trace/00000000', 'audit-log'];

describe('when an operator asks over HTTP', () => {
  test('the system is healthy, and says how many orders it took and how long they took', async () => {
    const { orderId } = await approved([line(await stocked(5))]);
    await world.settled(orderId);
    const { status: code, headers, body } = await status();
    expect(code).toBe(200);
    expect(headers['cache-control']).toBe('no-store');
    // A world that files share may have problems of other scenarios.
    if (world.passesDays) expect(body).toMatchObject({ state: 'healthy', problems: [], unread: [] });
    expect(body.orders.placed).toBeGreaterThanOrEqual(1);
    expect(body.orders.approvedAfter?.p95).toBeGreaterThan(0);
    expect(body.consumers.map(({ consumer }) => consumer)).toContain(CONSUMER);
    expect(body.relays.map(({ service }) => service)).toContain('orders');
    expect(body.sweepers.map(({ consumer }) => consumer)).toContain('orders-saga');
    expect(body.deadLetters.queues).toBeGreaterThan(20);
    expect(body.audit?.followed).toBe(0);
    expect(body.alarms?.total).toBeGreaterThan(80);
  });

  test('orderly audit finds no lost message in the last hour, nor of one order', async () => {
    const { orderId } = await approved([line(await stocked(5))]);
    await world.settled(orderId);
    const own = await audit(`order=${orderId}&grace=0s`);
    expect(own.status).toBe(200);
    expect(own.body.audit).toMatchObject({ subject: `Order/${orderId}`, missing: [], resent: false });
    // Those of its saga and of the participants, too.
    expect(own.body.audit.commits).toBeGreaterThan(2);
    expect(own.body.audit.deliveries).toMatchObject({ failed: 0, missing: 0 });
    expect(own.body.audit.deliveries.processed).toBeGreaterThan(2);
    const { body } = await audit('since=1h');
    expect(body.audit.messages).toBeGreaterThan(10);
    expect(body.audit.missing).toEqual([]);
  });

  test('a poison message makes the verdict name it, and its group names the command that ends it', async () => {
    const value = world.fresh('poison');
    await world.send(CONSUMER, `{ "broken": ${value}`);
    const group = await world.eventually(`${CONSUMER} has a group of failures`, async () => {
      const [first] = (await groups(`?consumer=${CONSUMER}`)).body.groups;
      expect(first).toMatchObject({ consumer: CONSUMER, error: 'ContractViolation', service: 'inventory' });
      return first!;
    });
    expect(group.next).toMatch(new RegExp(`failures redrive --group ${group.id}$`));
    expect(group.page).toContain('docs/operations/failure-reasons.md');
    const all = await groups();
    expect(all.body.groups.map(({ id }) => id)).toContain(group.id);
    expect(all.text).not.toContain(value);
    const { body, text } = await status();
    expect(body.state).toBe('unhealthy');
    const problem = body.problems.find(({ code }) => code === 'failures');
    expect(problem?.text).toContain(CONSUMER);
    expect(problem?.next).toContain('failures groups');
    expect(text).not.toContain(value);
  });

  test('traces an order, a message of it and its request to the same tree, without the data of events', async () => {
    const sku = await stocked(5);
    const { orderId } = await approved([line(sku)]);
    await world.settled(orderId);
    const of = async (id: string) => (await ask<z.infer<typeof TraceView>>(`trace/${id}`)).body;
    const tree = await of(orderId);
    expect(tree.verdict.state).toBe('complete');
    const [root] = tree.roots;
    expect(root).toMatchObject({ type: 'OrderPlaced', subject: `Order/${orderId}` });
    expect(root!.hops.map(({ consumer }) => consumer)).toContain('orders-saga');
    expect((await of(root!.id)).roots[0]).toMatchObject({ id: root!.id, type: 'OrderPlaced' });
    expect((await of(root!.correlationId)).roots.map(({ id }) => id)).toContain(root!.id);
    expect(JSON.stringify(tree)).not.toContain(sku);
  });

  test('lists what operators did', async () => {
    const { status: code, body } = await ask<z.infer<typeof AuditLogView>>('audit-log?since=1h');
    expect(code).toBe(200);
    expect(body.actions).toBeInstanceOf(Array);
  });

  test.each(PATHS)('a customer is refused (403), and so is a request without a token (401): %s', async (path) => {
    expect(await ask<ProblemBody>(path, 'alice')).toMatchObject({
      status: 403,
      body: { type: 'urn:orderly:problem:forbidden' },
    });
    expect(await ask<ProblemBody>(path, 'nobody')).toMatchObject({
      status: 401,
      body: { type: 'urn:orderly:problem:unauthenticated' },
    });
  });

  test.each([
    ['audit', 'since', 'expected exactly one of since, from, order'],
    ['audit?since=1h&from=2026-01-01T00:00:00Z', 'from', 'expected exactly one of since, from, order'],
    ['audit?since=1h&to=2026-01-01T00:00:00Z', 'to', 'expected with from only'],
    ['audit?since=yesterday', 'since', 'expected a number with s, m, h or d, such as 30m or 1h'],
    ['audit?order=1', 'order', 'expected 32 hexadecimal digits'],
    ['audit-log?since=1', 'since', 'expected a number with s, m, h or d, such as 30m or 1h'],
    ['status?all=true', 'all', 'unknown parameter: this route takes none'],
    ['failures?group=1', 'group', 'unknown parameter: expected one of consumer'],
    [`trace/${'x'.repeat(65)}`, 'id', 'expected 1 to 64 letters, digits, _, . or -'],
  ])('refuses a bad query or id (400): %s', async (path, parameter, detail) => {
    const { status: code, body } = await ask<ProblemBody>(path);
    expect({ code, errors: body.errors }).toEqual({ code: 400, errors: [{ parameter, detail }] });
  });

  test('refuses to audit more than an answer has time for, and names the command that has it', async () => {
    const { status: code, body } = await ask<ProblemBody>('audit?since=25h');
    expect({ code, type: body.type }).toEqual({ code: 400, type: 'urn:orderly:problem:invalid-request' });
    expect(body.detail).toMatch(/^an answer audits at most 24 h: ask for less, or run .*orderly -- audit --since 25h$/);
    const from = await ask<ProblemBody>('audit?from=2026-01-01T00:00:00Z&to=2026-01-02T01:00:00Z');
    expect(from.body.detail).toContain('audit --from 2026-01-01T00:00:00.000Z --to 2026-01-02T01:00:00.000Z');
  });

  test.each([
    'failures?consumer=nobody',
    'audit?since=1h&consumer=nobody',
    `audit?order=${'0'.repeat(32)}`,
    `trace/${'0'.repeat(32)}`,
  ])('knows what does not exist (404): %s', async (path) => {
    expect(await ask<ProblemBody>(path)).toMatchObject({
      status: 404,
      body: { type: 'urn:orderly:problem:not-found' },
    });
  });
});
