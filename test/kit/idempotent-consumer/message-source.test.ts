import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { accountsContract } from '../../../lambdas/accounts/contract.js';
import { catalogContract } from '../../../lambdas/catalog/contract.js';
import { ordersContract } from '../../../lambdas/orders/contract.js';
import { DynamoDbEventStore } from '../../../packages/kit/event-store/dynamodb-event-store.js';
import { checkSender, isPermanent } from '../../../packages/kit/failures/failure-kinds.js';
import { handleCommand, noEffect } from '../../../packages/kit/idempotent-consumer/handle-command.js';
import { decodeMessage, type Handling, on, onEvery } from '../../../packages/kit/idempotent-consumer/message-source.js';
import type { ServiceContract } from '../../../packages/kit/messages/contract.js';
import type { Envelope } from '../../../packages/kit/messages/envelope.js';
import { commandsTo, subscribe, subscribeToAll } from '../../../packages/kit/messages/subscriptions.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { buildTrace, countedEvent, type TallyCommand, tallyContract, tallyDecider } from '../../support/tally.js';

const handling: Handling = { project: async () => 'applied' };
const released = () => handling;
const carriedOut = () => ({ ...handling });
const sources = [
  on(subscribe(accountsContract, ['AuthorizationVoided']), { AuthorizationVoided: released }),
  on(commandsTo(accountsContract, { from: [ordersContract] }), {
    AuthorizeAccount: carriedOut,
    CaptureAuthorization: carriedOut,
    ReleaseAuthorization: carriedOut,
    RefundAccount: carriedOut,
  }),
  on(subscribe(ordersContract, ['OrderApproved']), { OrderApproved: released }),
];
const data = { customerId: 'c', orderId: 'o', stepId: 'o/release' };
const envelopeOf = (source: ServiceContract, type: string, to?: ServiceContract) =>
  ({
    source: `orderly.${source.service}`,
    type,
    dataschema: `urn:orderly:${(to ?? source).service}:${type}:1`,
    ...(to && { to: to.service }),
    data,
  }) as Envelope;

describe('a consumer of several contracts', () => {
  test.each([
    ['an event', envelopeOf(accountsContract, 'AuthorizationVoided'), released],
    [
      'a command of a service that may command',
      envelopeOf(ordersContract, 'ReleaseAuthorization', accountsContract),
      carriedOut,
    ],
    [
      'a command of its own service',
      envelopeOf(accountsContract, 'ReleaseAuthorization', accountsContract),
      carriedOut,
    ],
    ['an event of another service', envelopeOf(ordersContract, 'OrderApproved'), released],
  ])('handles %s by its own handler', (_, envelope, handle) => {
    const read = decodeMessage(sources, envelope, ['orders']);
    expect(read.event.type).toBe(envelope.type);
    expect(read.handle).toBe(handle);
  });

  test('refuses what is of none of them', () => {
    const inventory = { service: 'inventory', events: {} };
    expect(() => decodeMessage(sources, envelopeOf(inventory, 'StockReserved'), ['orders'])).toThrow(
      'UNKNOWN_TYPE: this consumer listens to accounts, takes commands to accounts, listens to orders only',
    );
    expect(() =>
      decodeMessage(sources, envelopeOf(accountsContract, 'ReleaseAuthorization', inventory), ['orders']),
    ).toThrow('only');
  });

  test('refuses a command of a service that may not command, for good', () => {
    const forged = envelopeOf(catalogContract, 'ReleaseAuthorization', accountsContract);
    const read = (commanders: readonly string[]) => () => decodeMessage(sources, forged, commanders);
    expect(read(['orders'])).toThrow('SENDER_NOT_ALLOWED: the source may not command this service');
    expect(read(['orders', 'catalog'])).not.toThrow();
    expect(isPermanent(checkSender(forged, ['orders']), () => false)).toBe(true);
  });

  test('refuses an event that none of its handlers is for, and a command that came as an event', () => {
    expect(() => decodeMessage(sources, envelopeOf(ordersContract, 'OrderCancelled'), ['orders'])).toThrow(
      'no handler for this type',
    );
    expect(() => decodeMessage(sources, envelopeOf(accountsContract, 'ReleaseAuthorization'), ['orders'])).toThrow(
      'no type of that name',
    );
  });
});

test('a subscription handles each of its messages in the same way, and refuses others of its publisher', () => {
  const every = [onEvery(subscribeToAll(accountsContract), released)];
  expect(decodeMessage(every, envelopeOf(accountsContract, 'AuthorizationVoided'), []).handle).toBe(released);
  const some = [onEvery(subscribe(ordersContract, ['OrderApproved']), released)];
  expect(decodeMessage(some, envelopeOf(ordersContract, 'OrderApproved'), []).handle).toBe(released);
  expect(() => decodeMessage(some, envelopeOf(ordersContract, 'OrderCancelled'), [])).toThrow(
    'no handler for this type',
  );
});

test('a handler for each message of a subscription is demanded by the compiler', () => {
  const ends = subscribe(ordersContract, ['OrderApproved', 'OrderCancelled']);
  // @ts-expect-error OrderCancelled has no handler
  on(ends, { OrderApproved: released });
  // @ts-expect-error OrderPlaced isn't subscribed to
  on(ends, { OrderApproved: released, OrderCancelled: released, OrderPlaced: released });
  // @ts-expect-error the contract has no such event
  subscribe(ordersContract, ['OrderShiped']);
});

describe('the person whom a message names', () => {
  const text = z.optional(z.string());
  const contract = {
    service: 'clinic',
    person: 'patientId',
    aggregatesOfPeople: ['Patient'],
    events: {
      Seen: { version: 1, data: z.object({ patientId: text, note: text, doctor: text }), personal: { note: 'doctor' } },
      Closed: { version: 1, data: z.object({ patientId: text }) },
    },
  } as unknown as ServiceContract;
  const [source] = [onEvery(subscribeToAll(contract), released as never)];
  const personOf = (data: unknown, more: Partial<Envelope> = {}) =>
    source?.personOf({ ...envelopeOf(contract, 'Seen'), subject: 'Visit/7', data, ...more });

  test.each<[string, unknown, Partial<Envelope>, string | undefined]>([
    ['is the one of its contract', { patientId: 'ada', doctor: 'bob' }, {}, 'ada'],
    ['is the owner of its personal fields, if the contract names nobody in it', { doctor: 'bob' }, {}, 'bob'],
    ['is nobody without a name', { patientId: '', doctor: '' }, {}, undefined],
    [
      'is the one whose aggregate it is about, if it names nobody',
      { patientId: '' },
      { subject: 'Patient/eve' },
      'eve',
    ],
    ['is the one it names, whomever its aggregate is about', { patientId: 'ada' }, { subject: 'Patient/eve' }, 'ada'],
    ['has no owner of fields in an event without personal fields', { doctor: 'bob' }, { type: 'Closed' }, undefined],
    ['has none in a type that its contract does not know', { doctor: 'bob' }, { type: 'toString' }, undefined],
    ['has none in data that is no object', null, {}, undefined],
    ['has none in a name that is no text', { patientId: 7 }, {}, undefined],
  ])('%s', (_, data, more, person) => expect(personOf(data, more)).toBe(person));
});

describe('what a handler answers with', () => {
  inProcessDynamoDb({ tallies: ['pk', 'sk'] });
  const store = new DynamoDbEventStore(
    {
      table: 'tallies',
      aggregate: 'Tally',
      contract: tallyContract,
      feedShards: [{ from: '1970-01-01T00:00:00.000Z', shards: 1 }],
    },
    tallyDecider,
  );
  const decide = (handling: Handling) => ('decide' in handling ? handling.decide(undefined) : undefined);

  test('a command on an aggregate is one write, whether it changes something or only checks that nothing has changed', async () => {
    const writesOf = (command: TallyCommand) =>
      decide(handleCommand(store, { id: 'one', command, trace: buildTrace('t') }));
    expect(await writesOf(() => [countedEvent(1)])).toEqual([
      { Put: expect.objectContaining({ TableName: 'tallies' }) },
    ]);
    expect(await writesOf(() => [])).toEqual([{ ConditionCheck: expect.objectContaining({ TableName: 'tallies' }) }]);
  });

  test('no effect is no write', async () => expect(await decide(noEffect)).toEqual([]));
});
