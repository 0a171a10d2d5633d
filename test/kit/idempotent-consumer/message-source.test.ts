import { describe, expect, test } from 'vitest';
import { accountsContract } from '../../../lambdas/accounts/contract.js';
import { catalogContract } from '../../../lambdas/catalog/contract.js';
import { ordersContract } from '../../../lambdas/orders/contract.js';
import { checkSender, isPermanent } from '../../../packages/kit/failures/failure-kinds.js';
import { decodeMessage, type Handling, on, onEvery } from '../../../packages/kit/idempotent-consumer/message-source.js';
import type { ServiceContract } from '../../../packages/kit/messages/contract.js';
import type { Envelope } from '../../../packages/kit/messages/envelope.js';
import { commandsTo, subscribe, subscribeToAll } from '../../../packages/kit/messages/subscriptions.js';

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
