import { describe, expect, test } from 'vitest';
import { accountsContract } from '../../lambdas/accounts/contract.js';
import { catalogContract } from '../../lambdas/catalog/contract.js';
import { type Json, type Resource, referenced, STACKS, synthesized } from './support/environments.js';

const prod = synthesized('prod');

/** Events with which participants answer an order's saga. */
const ANSWERS = {
  catalog: ['PricesConfirmed', 'PricesRefused', 'SagaReplyRequested'],
  accounts: [
    'AccountAuthorized',
    'AuthorizationDeclined',
    'AuthorizationReleased',
    'AuthorizationVoided',
    'SagaReplyRequested',
  ],
  inventory: ['StockReserved', 'StockRejected', 'StockReleased', 'ReservationVoided', 'SagaReplyRequested'],
  payments: ['SagaReplyRequested'],
};

/** Pattern of senders that may not send commands. */
const FOREIGN = { 'anything-but': ['orderly.orders'] };

/** Returns the queues of a stack, and which of them are dead-letter queues. */
function queuesOf(stack: (typeof STACKS)[number]) {
  const queues = prod.resources(stack, 'AWS::SQS::Queue');
  const deadLetterIds = new Set([
    ...queues.map(({ properties }) => referenced(properties.RedrivePolicy?.deadLetterTargetArn)),
    ...prod
      .resources(stack, 'AWS::Events::Rule')
      .flatMap(({ properties }) => properties.Targets.map((target: Json) => referenced(target.DeadLetterConfig?.Arn))),
  ]);
  const isDeadLetters = ({ id }: Resource) => deadLetterIds.has(id);
  return { queues, isDeadLetters };
}

describe('each queue', () => {
  test.each(STACKS)('of %s has a dead-letter queue, unless it is one', (stack) => {
    const { queues, isDeadLetters } = queuesOf(stack);
    for (const queue of queues.filter((queue) => !isDeadLetters(queue))) {
      const { deadLetterTargetArn, maxReceiveCount } = queue.properties.RedrivePolicy;
      expect(queues.map(({ id }) => id)).toContain(referenced(deadLetterTargetArn));
      const handler = functionBehind(stack, queue);
      expect(maxReceiveCount).toBeGreaterThan(Number(handler.properties.Environment.Variables.MAX_ATTEMPTS));
    }
  });

  test.each(STACKS)('of %s has an alarm', (stack) => {
    const watched = new Set(
      prod
        .resources(stack, 'AWS::CloudWatch::Alarm')
        .filter(({ properties }) => properties.Namespace === 'AWS/SQS')
        .map(({ properties }) => properties.Dimensions[0].Value['Fn::GetAtt'][0]),
    );
    for (const { id } of queuesOf(stack).queues) expect([...watched]).toContain(id);
  });

  test.each(STACKS)('of %s keeps a message 7 days, and a dead letter 14', (stack) => {
    const { queues, isDeadLetters } = queuesOf(stack);
    for (const queue of queues) {
      expect(queue.properties.MessageRetentionPeriod).toBe((isDeadLetters(queue) ? 14 : 7) * 86_400);
    }
  });

  test.each(STACKS)('of %s has a visibility timeout of at least 6 times its function’s timeout', (stack) => {
    for (const queue of queuesOf(stack).queues) {
      const reader = readersOf(stack, queue)[0];
      if (!reader) continue;
      expect(queue.properties.VisibilityTimeout).toBeGreaterThanOrEqual(6 * reader.properties.Timeout);
    }
  });

  test.each(STACKS)('of %s accepts only messages of its own rules, over TLS', (stack) => {
    const rules = prod.resources(stack, 'AWS::Events::Rule').map(({ id }) => id);
    for (const { properties } of prod.resources(stack, 'AWS::SQS::QueuePolicy')) {
      for (const { Effect, Principal, Condition } of properties.PolicyDocument.Statement) {
        if (Effect === 'Deny') expect(Condition).toEqual({ Bool: { 'aws:SecureTransport': 'false' } });
        else {
          expect(Principal).toEqual({ Service: 'events.amazonaws.com' });
          expect(rules).toContain(referenced(Condition.ArnEquals['aws:SourceArn']));
        }
      }
    }
  });
});

describe('consumers', () => {
  test('read their queues with partial batch responses and a maximum concurrency', () => {
    const mappings = prod
      .everywhere('AWS::Lambda::EventSourceMapping')
      .filter(({ properties }) => !JSON.stringify(properties.EventSourceArn).includes('StreamArn'));
    // Eleven consumers, and a drain of two dead-letter queues for each.
    expect(mappings).toHaveLength(33);
    for (const { properties } of mappings) {
      expect(properties.FunctionResponseTypes).toEqual(['ReportBatchItemFailures']);
      expect(properties.ScalingConfig.MaximumConcurrency).toBeGreaterThanOrEqual(2);
    }
  });

  test('have one rule per service or for own commands, by contract types; no rule drops an event', () => {
    const heard = Object.fromEntries(
      STACKS.flatMap((stack) =>
        prod
          .resources(stack, 'AWS::Events::Rule')
          .filter(({ id, properties }) => /(Events|Commands)[0-9A-F]{8}$/.test(id) && properties.EventPattern)
          .map(({ id, properties }) => [
            `${stack}/${id.replace(/(Events)?[0-9A-F]{8}$/, '')}`,
            [
              ...properties.EventPattern.source,
              ...(properties.EventPattern.detail?.to ?? []).map((service: string) => `to ${service}`),
              ...(properties.EventPattern['detail-type'] ?? []),
            ],
          ]),
      ),
    );
    expect(heard).toEqual({
      'Orders/SagaOrders': ['orderly.orders', 'OrderPlaced', 'OrderCancelled'],
      'Orders/SagaCatalog': ['orderly.catalog', ...ANSWERS.catalog],
      'Orders/SagaAccounts': ['orderly.accounts', ...ANSWERS.accounts],
      'Orders/SagaInventory': ['orderly.inventory', ...ANSWERS.inventory],
      'Orders/SagaPayments': ['orderly.payments', ...ANSWERS.payments],
      'Orders/ListProjectionOrders': [
        'orderly.orders',
        'OrderPlaced',
        'OrderApproved',
        'OrderRejected',
        'OrderCancelled',
      ],
      'Inventory/ReservationsOrders': ['orderly.orders', 'OrderCancelled'],
      'Payments/CancellationsOrders': ['orderly.orders', 'OrderCancelled'],
      'Accounts/OrderEndsOrders': ['orderly.orders', 'OrderApproved', 'OrderCancelled'],
      'Accounts/CommandsAccountsCommands': ['orderly.orders', 'to accounts', ...Object.keys(accountsContract.commands)],
      'Accounts/CommandsForeignCommands': [FOREIGN, 'to accounts'],
      'Catalog/CommandsCatalogCommands': ['orderly.orders', 'to catalog', ...Object.keys(catalogContract.commands)],
      'Catalog/CommandsForeignCommands': [FOREIGN, 'to catalog'],
      'Inventory/CommandsInventoryCommands': ['orderly.orders', 'to inventory', 'ReserveStock', 'ReleaseStock'],
      'Inventory/CommandsForeignCommands': [FOREIGN, 'to inventory'],
      'Payments/CommandsPaymentsCommands': ['orderly.orders', 'to payments', 'ChargePayment', 'RefundPayment'],
      'Payments/CommandsForeignCommands': [FOREIGN, 'to payments'],
      'Payments/ProviderPayments': [
        'orderly.payments',
        'PaymentRequested',
        'PaymentPrepared',
        'VoidRequested',
        'RefundRequested',
      ],
      'Accounts/ExhaustedProjectionAccounts': ['orderly.accounts', ...Object.keys(accountsContract.events)],
    });
    for (const { properties } of prod.everywhere('AWS::Events::Rule')) {
      // A tick of a schedule contains nothing to keep. An alarm that no topic accepts for 24 hours has no other
      // destination.
      if (!properties.EventPattern || properties.EventPattern.source?.includes('aws.kms')) continue;
      for (const target of properties.Targets) expect(target.DeadLetterConfig?.Arn).toBeDefined();
    }
  });

  test('of commands know the permitted senders, and pass no other commands to their function', () => {
    const told = prod.everywhere('AWS::Lambda::Function').flatMap(({ stack, id, properties }) => {
      const { COMMANDERS } = properties.Environment.Variables;
      return COMMANDERS === undefined ? [] : [[`${stack}/${id.replace(/Function[0-9A-F]{8}$/, '')}`, COMMANDERS]];
    });
    expect(told).toHaveLength(11);
    const commanded = told.filter(([, commanders]) => commanders !== '[]');
    expect(Object.fromEntries(commanded)).toEqual(
      Object.fromEntries(
        ['Inventory', 'Accounts', 'Payments', 'Catalog'].map((stack) => [`${stack}/OnCommands`, '["orders"]']),
      ),
    );
    const drains = prod.everywhere('AWS::Lambda::Function').filter(({ id }) => /DrainDeadLetters/.test(id));
    expect(drains).toHaveLength(11);
    for (const { id, properties } of drains) {
      const queue = referenced(properties.Environment.Variables.UNDELIVERED_QUEUE_ARN);
      expect(queue?.replace(/Undelivered.*/, '')).toBe(id.replace(/DrainDeadLetters.*/, ''));
    }
    const foreign = prod.everywhere('AWS::Events::Rule').filter(({ id }) => id.includes('ForeignCommands'));
    for (const { properties } of foreign) {
      expect(properties.Targets.map(({ Arn }: Json) => referenced(Arn))).toEqual([
        expect.stringMatching(/^CommandsUndelivered/),
      ]);
    }
  });

  test('receive each event in its message group, and events without one by a rule with the same pattern', () => {
    const rules = prod
      .everywhere('AWS::Events::Rule')
      .filter(({ id, properties }) => !/BatchFailed|ForeignCommands|InDanger/.test(id) && properties.EventPattern)
      .map(({ stack, id, properties: { EventPattern, Targets } }) => {
        const { messagegroup, ...detail } = EventPattern.detail;
        const [{ Id: _, SqsParameters, ...target }] = Targets;
        const name = `${stack}/${id.replace(/(Ungrouped)?[0-9A-F]{8}$/, '')}`;
        return { name, messagegroup, SqsParameters, same: { ...EventPattern, detail, target } };
      });
    const grouped = rules.filter(({ SqsParameters }) => SqsParameters !== undefined);
    expect(grouped).toHaveLength(15);
    expect(rules).toHaveLength(30);
    for (const { name, messagegroup, SqsParameters, same } of grouped) {
      expect(SqsParameters).toEqual({ MessageGroupId: '$.detail.messagegroup' });
      expect(messagegroup, name).toEqual([{ exists: true }]);
      const other = rules.find((rule) => rule.name === name && rule.SqsParameters === undefined);
      expect(other?.messagegroup, name).toEqual([{ exists: false }]);
      expect(other?.same, name).toEqual(same);
    }
  });

  test('have enough messages in flight for SQS to detect a noisy group', () => {
    for (const { properties } of prod.everywhere('AWS::Lambda::EventSourceMapping')) {
      const { MaximumConcurrency = 0 } = properties.ScalingConfig ?? {};
      // Nobody waits for dead letters.
      if (MaximumConcurrency > 2) expect(MaximumConcurrency * properties.BatchSize).toBeGreaterThanOrEqual(2 * 30);
    }
  });

  test('have pinned names, since these are part of each processed record', () => {
    const names = prod
      .everywhere('AWS::Lambda::Function')
      .flatMap(({ id, properties }) => {
        const { CONSUMER, CONSUMER_GENERATION } = properties.Environment.Variables;
        return CONSUMER && id.startsWith('On') ? [`${CONSUMER}@${CONSUMER_GENERATION}`] : [];
      })
      .sort();
    expect(names).toEqual([
      'accounts-commands@0',
      'accounts-exhausted@0',
      'accounts-orders@0',
      'catalog-commands@0',
      'inventory-commands@0',
      'orders-list@0',
      'orders-saga@0',
      'payments-commands@0',
      'payments-orders@0',
      'payments-provider@0',
      'reservations@0',
    ]);
  });

  test('have both dead-letter queues drained by a function that writes their own failure records', () => {
    for (const stack of ['Orders', 'Inventory', 'Accounts', 'Payments', 'Catalog'] as const) {
      const { queues, isDeadLetters } = queuesOf(stack);
      for (const queue of queues.filter((queue) => isDeadLetters(queue) && !queue.id.includes('Undrained'))) {
        const [drain, ...others] = readersOf(stack, queue);
        expect(others).toEqual([]);
        expect(drain?.id).toMatch(/DrainDeadLetters/);
      }
    }
  });
});

const readersOf = (stack: (typeof STACKS)[number], queue: Resource): readonly Resource[] =>
  prod
    .resources(stack, 'AWS::Lambda::EventSourceMapping')
    .filter(({ properties }) => referenced(properties.EventSourceArn) === queue.id)
    .flatMap(({ properties }) =>
      prod.resources(stack, 'AWS::Lambda::Function').filter(({ id }) => id === referenced(properties.FunctionName)),
    );

function functionBehind(stack: (typeof STACKS)[number], queue: Resource): Resource {
  const [reader] = readersOf(stack, queue);
  if (!reader) throw new Error(`nothing reads ${queue.id}`);
  return reader;
}
