import { describe, expect, test } from 'vitest';
import { accountsContract } from '../../../lambdas/accounts/contract.js';
import { ordersContract } from '../../../lambdas/orders/contract.js';
import { parseIdTime } from '../../../packages/kit/aws/ids.js';
import { buildCommitItem } from '../../../packages/kit/messages/commit.js';
import { ContractViolation, readEvent, type ServiceContract } from '../../../packages/kit/messages/contract.js';
import {
  appOf,
  messageGroupOf,
  messageIdOf,
  readEnvelope,
  schemaVersionOf,
  senderOf,
  toBusEntries,
} from '../../../packages/kit/messages/envelope.js';

const trace = { trigger: 'm1', actor: 'customer:alice', correlationId: 'c1', traceparent: '00-a-b-01' };
const commit = buildCommitItem({
  contract: ordersContract,
  aggregate: 'Order',
  id: 'o#1',
  after: 1,
  previous: { at: '2999-01-01T00:00:00.000Z' },
  events: [
    { type: 'OrderApproved', data: { orderId: 'o#1' } },
    { type: 'OrderCancelled', data: { orderId: 'o#1', customerId: 'a "quoted" word' } },
  ],
  trace,
  feedShards: [
    { from: '1970-01-01T00:00:00.000Z', shards: 1 },
    { from: '2500-01-01T00:00:00.000Z', shards: 8 },
  ],
});
const bodyOf = (entry: { Source: string; DetailType: string; Detail: string }, change: object = {}) =>
  JSON.stringify({
    source: entry.Source,
    'detail-type': entry.DetailType,
    detail: { ...JSON.parse(entry.Detail), ...change },
  });

describe('a commit', () => {
  test('numbers its events after the version before it, and never runs back in time', () => {
    expect(commit).toMatchObject({
      pk: 'Order#o#1',
      sk: 'COMMIT#0000000002',
      lastVersion: 3,
      at: '2999-01-01T00:00:00.000Z',
    });
  });
  test('is in the feed by hour and shard', () => expect(commit.feedPk).toMatch(/^2999-01-01T00#[0-7]$/));
  test('a commit has its place in the feed by the same time, whatever its function’s clock says', () =>
    expect(parseIdTime(commit.feedSk)).toBe(Date.parse(commit.at)));
  test('refuses an event that breaks its contract, without saying its value', () => {
    const event = { type: 'OrderApproved', data: { orderId: 12345 } };
    const bad = () =>
      buildCommitItem({
        contract: ordersContract,
        aggregate: 'Order',
        id: 'o',
        after: 0,
        events: [event],
        trace,
        feedShards: [],
      });
    expect(bad).toThrow(new ContractViolation('INVALID_DATA', 'OrderApproved: orderId invalid_type'));
  });
});

describe('the epoch of a commit', () => {
  const committed = (epoch: number, previous?: { readonly at: string; readonly epoch?: number }) =>
    buildCommitItem({
      contract: ordersContract,
      aggregate: 'Order',
      id: 'o',
      after: previous ? 4 : 0,
      ...(previous && { previous }),
      epoch,
      events: [{ type: 'OrderApproved', data: { orderId: 'o' } }],
      trace,
      feedShards: [],
    });
  const at = '2026-03-01T00:00:00.000Z';
  test('the epoch is stored, and the first commit of an aggregate in it names what it follows', () => {
    expect(committed(2, { at })).toMatchObject({ epoch: 2, follows: { epoch: 0, sequence: 4 } });
    expect(committed(2, { at, epoch: 1 })).toMatchObject({ epoch: 2, follows: { epoch: 1, sequence: 4 } });
  });
  test('follows nothing in the middle of an epoch, or where the aggregate begins', () => {
    for (const commit of [committed(2, { at, epoch: 2 }), committed(2)]) {
      expect(commit).toMatchObject({ epoch: 2 });
      expect(commit).not.toHaveProperty('follows');
    }
  });
  test('the epoch is absent before the first restore', () => {
    for (const commit of [committed(0), committed(0, { at })]) {
      expect(commit).not.toHaveProperty('epoch');
      expect(commit).not.toHaveProperty('follows');
    }
  });
  test('the epoch is not behind that of the commit before it, whatever the function was deployed with', () => {
    expect(committed(0, { at, epoch: 1 })).toMatchObject({ epoch: 1 });
    expect(committed(0, { at, epoch: 1 })).not.toHaveProperty('follows');
  });
});

describe('a command of a commit', () => {
  const commanded = (to: ServiceContract, type: string) => () =>
    buildCommitItem({
      contract: ordersContract,
      aggregate: 'Order',
      id: 'o',
      after: 0,
      events: [{ type: 'OrderApproved', data: { orderId: 'o' } }],
      commands: [{ to, command: { type, data: { orderId: 'o' } } }],
      trace,
      feedShards: [],
    });
  test('a command must be one that its receiver takes', () =>
    expect(commanded(ordersContract, 'OrderApproved')).toThrow('UNKNOWN_TYPE: orders has no type of that name'));
  test('a command must be as its receiver reads it', () =>
    expect(commanded(accountsContract, 'ReleaseAuthorization')).toThrow('INVALID_DATA: ReleaseAuthorization'));
});

describe('an envelope', () => {
  const stage = { app: 'orderly', service: 'orders' };
  const [first, second] = toBusEntries(commit, stage);
  test('carries each event of a commit with its own version', () => {
    expect(JSON.parse(second?.Detail ?? '')).toEqual({
      specversion: '1.0',
      id: commit.events[1]?.id,
      source: 'orderly.orders',
      type: 'OrderCancelled',
      subject: 'Order/o#1',
      time: commit.at,
      dataschema: 'urn:orderly:orders:OrderCancelled:1',
      data: { orderId: 'o#1', customerId: 'a "quoted" word' },
      sequence: 3,
      epoch: 0,
      correlationid: 'c1',
      causationid: 'm1',
      traceparent: '00-a-b-01',
      actor: 'customer:alice',
      messagegroup: messageGroupOf('customer:alice'),
    });
  });
  test('an envelope has the epoch of its commit, and its first one names what the commit follows', () => {
    const after = { ...commit, epoch: 2, follows: { epoch: 0, sequence: 1 } };
    const [one, other] = toBusEntries(after, stage).map((entry) => readEnvelope(bodyOf(entry)));
    expect(one).toMatchObject({ sequence: 2, epoch: 2, follows: '0/1' });
    expect(other).toMatchObject({ sequence: 3, epoch: 2 });
    expect(other).not.toHaveProperty('follows');
  });
  test.each([{ follows: '1' }, { follows: '0/0' }, { epoch: 900_001 }, { sequence: 10_000_000_000 }])(
    'an envelope whose position can not be compared is refused: %o',
    (wrong) => {
      if (!first) throw new Error('no entry');
      expect(() => readEnvelope(bodyOf(first, wrong))).toThrow('INVALID_ENVELOPE');
    },
  );
  test('an envelope shares its message group with everything that its customer caused, and nothing else', () => {
    const groupOf = (actor: string, onBehalfOf?: string) => {
      const [entry] = toBusEntries({ ...commit, actor, onBehalfOf }, stage);
      return entry && readEnvelope(bodyOf(entry)).messagegroup;
    };
    expect(groupOf('service:orders', 'customer:alice')).toBe(groupOf('customer:alice'));
    expect(groupOf('service:orders', 'customer:bob')).not.toBe(groupOf('customer:alice'));
    expect(groupOf(`customer:${'x'.repeat(128)}`)).toMatch(/^[0-9a-f]{16}$/);
  });
  test('an envelope of an earlier release has no message group, and is read', () => {
    if (!first) throw new Error('no entry');
    expect(readEnvelope(bodyOf(first, { messagegroup: undefined }))).not.toHaveProperty('messagegroup');
  });
  test('says on whose behalf a service acted', () => {
    const [entry] = toBusEntries({ ...commit, actor: 'service:orders', onBehalfOf: 'customer:alice' }, stage);
    expect(entry && readEnvelope(bodyOf(entry))).toMatchObject({
      actor: 'service:orders',
      onbehalfof: 'customer:alice',
    });
  });
  test('follows for each command of a commit, written by the contract of the service that it is for', () => {
    const data = { customerId: 'c', orderId: 'o', stepId: 'o/authorize', amount: { amount: 1, currency: 'EUR' } };
    const withCommand = buildCommitItem({
      contract: ordersContract,
      aggregate: 'Order',
      id: 'o',
      after: 0,
      events: [{ type: 'OrderApproved', data: { orderId: 'o' } }],
      commands: [{ to: accountsContract, command: { type: 'AuthorizeAccount', data } }],
      trace,
      feedShards: [],
    });
    expect(withCommand.lastVersion).toBe(1);
    const [event, sent, ...others] = toBusEntries(withCommand, stage);
    expect(others).toEqual([]);
    expect(event && readEnvelope(bodyOf(event))).not.toHaveProperty('to');
    expect(sent && readEnvelope(bodyOf(sent))).toMatchObject({
      id: withCommand.commands?.[0]?.id,
      source: 'orderly.orders',
      to: 'accounts',
      type: 'AuthorizeAccount',
      dataschema: 'urn:orderly:accounts:AuthorizeAccount:1',
      sequence: 1,
      data,
    });
  });
  test('an envelope of another application has the names of that application', () => {
    const [entry] = toBusEntries(commit, { app: 'tickets', service: 'board' });
    if (!entry) throw new Error('no entry');
    expect(entry.Source).toBe('tickets.board');
    const envelope = readEnvelope(bodyOf(entry));
    expect(envelope).toMatchObject({ source: 'tickets.board', dataschema: 'urn:tickets:board:OrderApproved:1' });
    expect([appOf(envelope), senderOf(envelope)]).toEqual(['tickets', 'board']);
  });
  test('an envelope is read as it was sent', () => {
    if (!first) throw new Error('no entry');
    const envelope = readEnvelope(bodyOf(first));
    expect(envelope).toEqual(JSON.parse(first.Detail));
    expect(readEvent(ordersContract, envelope.type, schemaVersionOf(envelope), envelope.data)).toEqual({
      type: 'OrderApproved',
      data: { orderId: 'o#1' },
    });
  });
  test('the contract of the receiving service describes the envelope of a command', () => {
    if (!first) throw new Error('no entry');
    const command = { to: 'accounts', dataschema: 'urn:orderly:accounts:OrderApproved:1' };
    expect(readEnvelope(bodyOf(first, command))).toMatchObject({ source: 'orderly.orders', ...command });
    expect(() => readEnvelope(bodyOf(first, { to: 'accounts' }))).toThrow('dataschema names another service');
  });
  test.each([
    ['not JSON', '{'],
    ['another shape', '{}'],
    ['no id', first && bodyOf(first, { id: '' })],
    ['a source that differs from the bus event', first && bodyOf(first, { source: 'orderly.inventory' })],
    ['a type that differs from the bus event', first && bodyOf(first, { type: 'OrderPlaced' })],
    ['the schema of another type', first && bodyOf(first, { dataschema: 'urn:orderly:orders:OrderPlaced:1' })],
    ['the schema of another application', first && bodyOf(first, { dataschema: 'urn:shop:orders:OrderApproved:1' })],
    ['the schema of another service', first && bodyOf(first, { dataschema: 'urn:orderly:users:OrderApproved:1' })],
    ['a correlation id without an end', first && bodyOf(first, { correlationid: 'x'.repeat(257) })],
    ['a version of 0', first && bodyOf(first, { dataschema: 'urn:orderly:orders:OrderApproved:0' })],
  ])('an envelope with %s is refused', (_, body) =>
    expect(() => readEnvelope(body ?? '')).toThrow(expect.objectContaining({ code: 'INVALID_ENVELOPE' })),
  );
  test.each([
    ['NEWER_TYPE', 'OrderEaten', 1, {}],
    ['NEWER_TYPE', 'toString', 1, {}],
    ['NEWER_VERSION', 'OrderApproved', 2, { orderId: 'o' }],
    ['INVALID_DATA', 'OrderApproved', 1, {}],
  ])('an envelope whose event breaks the contract is refused: %s', (code, type, version, data) =>
    expect(() => readEvent(ordersContract, type, version, data)).toThrow(expect.objectContaining({ code })),
  );
});

describe('the identity of a message', () => {
  const id = '0198c6f2-6d0a-7cc1-9f3b-0123456789ab';
  const of = (id: string, source = 'shop.legacy', to?: string) =>
    messageIdOf({ id, source, ...(to === undefined ? {} : { to }) });

  test('the identity is the id alone if that is a UUID: the records of 0.3.0 are found by it', () => {
    expect(of(id)).toBe(id);
    expect(of(commit.events[0]!.id, 'shop.orders')).toBe(commit.events[0]!.id);
  });
  test('the identity is source and id if the publisher numbers its events by itself', () => {
    expect(of('42')).toBe('shop.legacy:42');
    expect(of('42', 'shop.other')).toBe('shop.other:42');
    for (const almost of [id.toUpperCase(), `${id}0`, ` ${id}`, id.replaceAll('-', '')]) {
      expect(of(almost)).toBe(`shop.legacy:${almost}`);
    }
  });
  test('the identity is the id alone if a service sends it to itself: a timer has the id of its record', () => {
    expect(of('saga-1/timer-3', 'shop.orders', 'orders')).toBe('saga-1/timer-3');
    expect(of('saga-1/timer-3', 'shop.orders', 'payments')).toBe('shop.orders:saga-1/timer-3');
  });
});
