import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as accounts from '../../lambdas/accounts/subscriptions.js';
import * as baskets from '../../lambdas/baskets/subscriptions.js';
import * as catalog from '../../lambdas/catalog/subscriptions.js';
import * as inventory from '../../lambdas/inventory/subscriptions.js';
import * as orders from '../../lambdas/orders/subscriptions.js';
import * as payments from '../../lambdas/payments/subscriptions.js';
import * as reports from '../../lambdas/reports/subscriptions.js';
import * as rewards from '../../lambdas/rewards/subscriptions.js';
import { isEventSubscription, type Subscription } from '../../packages/kit/messages/subscriptions.js';
import {
  type Consumer,
  consumersOf,
  type Json,
  metricsOf,
  type Resource,
  referenced,
  SERVICES,
  STACKS,
  synthesized,
} from '../support/environments.js';

const prod = synthesized('prod');

/** Consumers for which no customer waits: their queues don't cost what a fair one does. All others are fair. */
const UNFAIR = [
  'Accounts/ExhaustedProjection',
  'Baskets/PlacedOrders',
  'Orders/ListProjection',
  'Reports/Days',
  'Rewards/AccountEvents',
];

/**
 * Messages that each consumer receives, by its name and generation. They are pinned here and nowhere else in the tests: they are part
 * of each record's key, so a consumer with another name would process everything again.
 */
const SUBSCRIPTIONS: Readonly<Record<string, readonly Subscription[]>> = {
  'accounts-commands@0': [accounts.stepCommands],
  'accounts-exhausted@0': [accounts.listEvents],
  'accounts-orders@0': [accounts.orderEnds],
  'accounts-payments@0': [accounts.paymentEvents],
  'baskets-orders@0': [baskets.placedOrders],
  'baskets-products@0': [baskets.productEvents, baskets.rolloutCommands],
  'catalog-commands@0': [catalog.stepCommands],
  'inventory-commands@0': [inventory.stepCommands],
  'orders-commands@0': [orders.checkoutCommands],
  'orders-list@0': [orders.listEvents],
  'orders-reviews@0': [orders.statusChanges],
  'orders-saga@0': [orders.orderEvents, ...Object.values(orders.sagaReplies)],
  'orders-users@0': [orders.userChanges, orders.payerChanges],
  'payments-accounts@0': [payments.accountStatuses],
  'payments-commands@0': [payments.stepCommands],
  'payments-orders@0': [payments.orderEnds],
  'payments-provider@0': [payments.providerTasks],
  'payments-users@0': [payments.userErasures],
  'reports-daily@0': [reports.orderEvents, reports.moneyEvents],
  'reservations@0': [inventory.orderEnds],
  'rewards-accounts@0': [rewards.accountEvents],
};

/** Pairs of a sender and a service that receives it, as the picture in the architecture page shows them. */
const pictured = (): readonly string[] => {
  const page = readFileSync('docs/architecture.md', 'utf8');
  const [, picture = ''] = /Message flow between services:[^`]*```mermaid\n([^`]*)```/.exec(page) ?? [];
  return [...picture.matchAll(/^ {2}(\w+) (<?)-->\|".*"\| (\w+)$/gm)].flatMap(([, one, isBoth, other]) => [
    `${one} -> ${other}`,
    ...(isBoth ? [`${other} -> ${one}`] : []),
  ]);
};

const consumers = consumersOf(prod);
const keyOf = ({ name, generation }: Consumer): string => `${name}@${generation}`;
const heardBy = (consumer: Consumer): readonly Subscription[] => SUBSCRIPTIONS[keyOf(consumer)] ?? [];
const commandersOf = (consumer: Consumer): readonly string[] =>
  heardBy(consumer).flatMap((one) => (isEventSubscription(one) ? [] : one.from.map(({ service }) => service)));

/** Returns the patterns of the messages that a consumer must receive: one per subscription. */
const wanted = (consumer: Consumer): readonly Json[] =>
  heardBy(consumer).map((one) =>
    isEventSubscription(one)
      ? { source: [`orderly.${one.contract.service}`], 'detail-type': one.types }
      : {
          source: one.from.map(({ service }) => `orderly.${service}`),
          'detail-type': Object.keys(one.commandsOf.commands ?? {}),
          detail: { to: [consumer.service] },
        },
  );

/** Returns the rules of a consumer's stack that lead into one of its queues. */
const rulesInto = ({ stack }: Consumer, queue: string): readonly Resource[] =>
  prod
    .resources(stack, 'AWS::Events::Rule')
    .filter(({ properties }) => properties.Targets.some(({ Arn }: Json) => referenced(Arn) === queue));

/** Returns the logical id of a consumer's dead-letter queue of this kind. */
function deadLettersOf({ stack, id }: Consumer, kind: 'DeadLetters' | 'Undelivered'): string {
  const own = prod
    .resources(stack, 'AWS::SQS::Queue')
    .filter((queue) => queue.id.replace(/[0-9A-F]{8}$/, '') === id + kind);
  expect(own).toHaveLength(1);
  return own[0]?.id ?? '';
}

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

/** Returns the queues of the runners of a stack's inboxes. */
const runnersOf = (stack: (typeof STACKS)[number]): readonly string[] =>
  consumers.flatMap((one) => (one.stack === stack && one.inbox ? [one.inbox.queueUrl] : []));

describe('each queue', () => {
  test.each(STACKS)('each queue of %s has a dead-letter queue, unless it is one', (stack) => {
    const { queues, isDeadLetters } = queuesOf(stack);
    for (const queue of queues.filter((queue) => !isDeadLetters(queue))) {
      // A runner's queue has keys of stored messages only. The records count the attempts.
      if (runnersOf(stack).includes(queue.id)) continue;
      const { deadLetterTargetArn, maxReceiveCount } = queue.properties.RedrivePolicy;
      expect(queues.map(({ id }) => id)).toContain(referenced(deadLetterTargetArn));
      const handler = functionBehind(stack, queue);
      expect(maxReceiveCount).toBeGreaterThan(Number(handler.properties.Environment.Variables.MAX_ATTEMPTS));
    }
  });

  test.each(STACKS)('each queue of %s has an alarm', (stack) => {
    const watched = new Set(
      prod
        .resources(stack, 'AWS::CloudWatch::Alarm')
        .flatMap(({ properties }) => metricsOf(properties))
        .filter(({ name }) => name.startsWith('Approximate'))
        .map(({ of }) => referenced(of[0].Value)),
    );
    for (const { id } of queuesOf(stack).queues) expect([...watched]).toContain(id);
  });

  test.each(STACKS)('each queue of %s keeps a message 7 days, and a dead letter 14', (stack) => {
    const { queues, isDeadLetters } = queuesOf(stack);
    for (const queue of queues) {
      expect(queue.properties.MessageRetentionPeriod).toBe((isDeadLetters(queue) ? 14 : 7) * 86_400);
    }
  });

  test.each(STACKS)('each queue of %s has a visibility timeout of at least 6 times its function’s timeout', (stack) => {
    for (const queue of queuesOf(stack).queues) {
      const reader = readersOf(stack, queue)[0];
      if (!reader) continue;
      expect(queue.properties.VisibilityTimeout).toBeGreaterThanOrEqual(6 * reader.properties.Timeout);
    }
  });

  test.each(STACKS)('each queue of %s accepts only messages of its own rules, over TLS', (stack) => {
    const rules = prod.resources(stack, 'AWS::Events::Rule').map(({ id }) => id);
    for (const { properties } of prod.resources(stack, 'AWS::SQS::QueuePolicy')) {
      for (const { Effect, Principal, Condition } of properties.PolicyDocument.Statement) {
        if (Effect === 'Deny') expect(Condition).toEqual({ Bool: { 'aws:SecureTransport': 'false' } });
        else {
          expect(Principal).toEqual({ Service: 'events.amazonaws.com' });
          const senders = [Condition.ArnEquals['aws:SourceArn']].flat().map(referenced);
          expect(rules).toEqual(expect.arrayContaining(senders));
          expect(senders.length).toBeGreaterThan(0);
        }
      }
    }
  });
});

describe('consumers', () => {
  test('consumers have pinned names, since these are part of each processed record', () => {
    const message = 'each consumer has a line in SUBSCRIPTIONS of this file, and a pinned name never changes';
    expect(consumers.map(keyOf).toSorted(), message).toEqual(Object.keys(SUBSCRIPTIONS));
    // A function that consumes says the name of a consumer, and no two say the same.
    const told = prod.everywhere('AWS::Lambda::Function').flatMap(({ id, properties }) => {
      const { CONSUMER, CONSUMER_GENERATION, QUEUE_URL } = properties.Environment.Variables;
      return CONSUMER && id.startsWith('On') ? [[`${CONSUMER}@${CONSUMER_GENERATION}`, referenced(QUEUE_URL)]] : [];
    });
    expect(told.toSorted()).toEqual(consumers.map((one) => [keyOf(one), one.queueUrl]).toSorted());
  });

  test('consumers are in the picture of the architecture, with all services', () => {
    const pairs = consumers.flatMap((consumer) => {
      const senders = heardBy(consumer).flatMap((one) => (isEventSubscription(one) ? [one.contract] : one.from));
      return senders.flatMap(({ service }) =>
        service === consumer.service ? [] : [`${service} -> ${consumer.service}`],
      );
    });
    // A setting adds webhooks.
    expect(pictured().toSorted()).toEqual([...new Set([...pairs, 'orders -> webhooks', 'users -> webhooks'])].toSorted());
    const services = [...SERVICES, 'webhooks'].map((stack) => stack.toLowerCase());
    expect(new Set(pictured().flatMap((pair) => pair.split(' -> ')))).toEqual(new Set(services));
  });

  test('read their queues with partial batch responses and a maximum concurrency', () => {
    const mappings = prod
      .everywhere('AWS::Lambda::EventSourceMapping')
      .filter(({ properties }) => !JSON.stringify(properties.EventSourceArn).includes('StreamArn'));
    const read = mappings.map(({ stack, properties }) => `${stack}/${referenced(properties.EventSourceArn)}`);
    const queues = consumers.flatMap((one) =>
      [
        ...(one.inbox ? [one.inbox.queueUrl] : []),
        one.queueUrl,
        deadLettersOf(one, 'DeadLetters'),
        deadLettersOf(one, 'Undelivered'),
      ].map((queue) => `${one.stack}/${queue}`),
    );
    expect(read.toSorted()).toEqual(queues.toSorted());
    for (const { properties } of mappings) {
      expect(properties.FunctionResponseTypes).toEqual(['ReportBatchItemFailures']);
      expect(properties.ScalingConfig.MaximumConcurrency).toBeGreaterThanOrEqual(2);
    }
  });

  test('consumers have alarms on their own queues and function', () => {
    for (const consumer of consumers) {
      const watched = (alarm: string) =>
        prod
          .resources(consumer.stack, 'AWS::CloudWatch::Alarm')
          .filter(({ properties }) => properties.AlarmDescription.startsWith(`${alarm}:`))
          .flatMap(({ properties }) => metricsOf(properties).map(({ of }) => JSON.stringify(of)));
      for (const [alarm, resource] of [
        ['QueueBehind', consumer.queueUrl],
        ['DeadLettersNotDrained', deadLettersOf(consumer, 'DeadLetters')],
        ['DeadLettersNotDrained', deadLettersOf(consumer, 'Undelivered')],
        ['FunctionFailing', `On${consumer.id}Function`],
      ] as const) {
        expect(
          watched(alarm).filter((of) => of.includes(`"${resource}`)),
          keyOf(consumer),
        ).toHaveLength(1);
      }
    }
  });

  test('consumers have one rule per service or for own commands, by contract types; no rule drops an event', () => {
    for (const consumer of consumers) {
      const patterns = rulesInto(consumer, consumer.queueUrl)
        .filter(({ properties }) => properties.EventPattern.detail.messagegroup?.[0].exists)
        .map(({ properties: { EventPattern } }) => {
          const { messagegroup: _, ...detail } = EventPattern.detail;
          return { ...EventPattern, detail };
        });
      expect(patterns, keyOf(consumer)).toEqual(wanted(consumer).map((pattern) => ({ detail: {}, ...pattern })));
      // The operator's command line says who receives what by the outputs.
      const { events, takesCommands } = consumer;
      expect(events).toEqual(
        heardBy(consumer)
          .filter(isEventSubscription)
          .map(({ contract, types }) => ({ service: contract.service, types })),
      );
      expect(takesCommands).toBe(commandersOf(consumer).length > 0);
    }
    // Every subscription is heard, by a consumer of its own service.
    for (const [service, own] of Object.entries({ accounts, baskets, catalog, inventory, orders, payments, reports })) {
      const declared = Object.values(own).flatMap((one) =>
        // Settings of later releases: these are heard instead of a service's other events.
        one === accounts.exhaustionEvents || one === accounts.returnEvents
          ? []
          : 'ownCommandsOf' in one
            ? []
            : 'contract' in one || 'commandsOf' in one
              ? [one]
              : Object.values(one),
      );
      const heard = consumers.filter((one) => one.service === service).flatMap(heardBy);
      expect(new Set<unknown>(heard)).toEqual(new Set<unknown>(declared));
    }
    for (const { properties } of prod.everywhere('AWS::Events::Rule')) {
      // A tick of a schedule contains nothing to keep. An alarm that no topic accepts for 24 hours has no other
      // destination.
      if (!properties.EventPattern || properties.EventPattern.source?.includes('aws.kms')) continue;
      for (const target of properties.Targets) expect(target.DeadLetterConfig?.Arn).toBeDefined();
    }
  });

  test('consumers of commands know the permitted senders, and pass no other commands to their function', () => {
    const told = prod
      .everywhere('AWS::Lambda::Function')
      .flatMap(({ stack, id, properties }) => {
        const { COMMANDERS } = properties.Environment.Variables;
        return COMMANDERS === undefined ? [] : [[`${stack}/${id.replace(/Function[0-9A-F]{8}$/, '')}`, COMMANDERS]];
      })
      .toSorted();
    expect(told).toEqual(
      consumers.map((one) => [`${one.stack}/On${one.id}`, JSON.stringify(commandersOf(one))]).toSorted(),
    );
    // Only orders' sagas command, and baskets, which command orders and themselves.
    expect(new Set(consumers.flatMap(commandersOf))).toEqual(new Set(['baskets', 'orders']));
    const drains = prod
      .everywhere('AWS::Lambda::Function')
      .filter(({ id }) => /DrainDeadLetters/.test(id))
      .map(({ stack, id, properties }) => [
        `${stack}/${id.replace(/DrainDeadLetters.*/, '')}`,
        referenced(properties.Environment.Variables.UNDELIVERED_QUEUE_ARN),
      ]);
    expect(drains.toSorted()).toEqual(
      consumers.map((one) => [`${one.stack}/${one.id}`, deadLettersOf(one, 'Undelivered')]).toSorted(),
    );
    for (const consumer of consumers) {
      const foreign = rulesInto(consumer, deadLettersOf(consumer, 'Undelivered'));
      const senders = commandersOf(consumer).map((service) => `orderly.${service}`);
      expect(foreign.map(({ properties }) => properties.EventPattern)).toEqual(
        senders.length === 0 ? [] : [{ source: [{ 'anything-but': senders }], detail: { to: [consumer.service] } }],
      );
      for (const { properties } of foreign) expect(properties.Targets).toHaveLength(1);
    }
    const all = prod.everywhere('AWS::Events::Rule').filter(({ id }) => id.includes('ForeignCommands'));
    expect(all).toHaveLength(consumers.filter(({ takesCommands }) => takesCommands).length);
  });

  test('receive each event in its message group if a customer waits for it, and events without one by a rule with the same pattern', () => {
    const rules = prod
      .everywhere('AWS::Events::Rule')
      .filter(({ id, properties }) => !/BatchFailed|ForeignCommands|InDanger/.test(id) && properties.EventPattern)
      .map(({ stack, id, properties: { EventPattern, Targets } }) => {
        const { messagegroup, ...detail } = EventPattern.detail;
        const [{ Id: _, SqsParameters, ...target }] = Targets;
        const name = `${stack}/${id.replace(/(Ungrouped)?[0-9A-F]{8}$/, '')}`;
        return { name, messagegroup, SqsParameters, same: { ...EventPattern, detail, target } };
      });
    const grouped = rules.filter(({ messagegroup }) => messagegroup[0].exists);
    const subscriptions = consumers.flatMap(heardBy);
    expect(grouped).toHaveLength(subscriptions.length);
    expect(rules).toHaveLength(2 * subscriptions.length);
    for (const { name, messagegroup, SqsParameters, same } of grouped) {
      const fair = { MessageGroupId: '$.detail.messagegroup' };
      expect(SqsParameters, name).toEqual(UNFAIR.some((consumer) => name.startsWith(consumer)) ? undefined : fair);
      expect(messagegroup, name).toEqual([{ exists: true }]);
      const other = rules.find((rule) => rule.name === name && !rule.messagegroup[0].exists);
      expect(other?.SqsParameters, name).toBeUndefined();
      expect(other?.messagegroup, name).toEqual([{ exists: false }]);
      expect(other?.same, name).toEqual(same);
    }
  });

  test('consumers have enough messages in flight for SQS to detect a noisy group', () => {
    for (const { properties } of prod.everywhere('AWS::Lambda::EventSourceMapping')) {
      const { MaximumConcurrency = 0 } = properties.ScalingConfig ?? {};
      // Nobody waits for dead letters.
      // One runner works on one stored message.
      if (MaximumConcurrency > 2 && properties.BatchSize > 1)
        expect(MaximumConcurrency * properties.BatchSize).toBeGreaterThanOrEqual(2 * 30);
    }
  });

  test('a function drains both dead-letter queues of a consumer, and writes its own failure records', () => {
    for (const stack of SERVICES) {
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
