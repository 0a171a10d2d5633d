import type { JsonObject } from '../../simulator/assembly/intrinsics.js';

/** A small mistake that a good engineer makes, put into Orderly on purpose. */
export interface PlantedBug {
  readonly name: string;
  /** Scenario whose singles or seeds must find it. */
  readonly scenario: string;
  /** In a source file: this text becomes that, in the entry points that `only` fits. @default in all */
  readonly source?: {
    readonly file: string;
    readonly from: string | RegExp;
    readonly to: string;
    readonly only?: RegExp;
  };
  /** In every resource of the templates. @returns the resource as it is to be */
  readonly resource?: (resource: { Type: string; Properties: JsonObject }, logicalId: string) => JsonObject;
}

const PATTERNS = 'lambdas/patterns';

/** Changes the properties of one type's resources whose logical id fits. */
const properties =
  (type: string, id: RegExp, change: (properties: JsonObject) => JsonObject): NonNullable<PlantedBug['resource']> =>
  (resource, logicalId) =>
    resource.Type === type && id.test(logicalId)
      ? { ...resource, Properties: change(resource.Properties) }
      : (resource as unknown as JsonObject);

const without =
  (name: string) =>
  (from: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(from).filter(([key]) => key !== name));

/** JSON with one text replaced in it. @throws {Error} where it isn't there */
const replaced =
  (from: string, to: string) =>
  (value: JsonObject): JsonObject => {
    const text = JSON.stringify(value);
    if (!text.includes(from)) throw new Error(`nothing to replace: ${from}`);
    return JSON.parse(text.replaceAll(from, to)) as JsonObject;
  };

export const BUGS: readonly PlantedBug[] = [
  {
    name: 'the message is acknowledged before the write',
    scenario: 'place-one',
    source: {
      file: `${PATTERNS}/idempotent-consumer/consumer.ts`,
      from: 'const outcome = await this.process(envelope, redriveOf(record) ?? storedOf(record));',
      to: "this.process(envelope, redriveOf(record)).catch(() => undefined); const outcome = 'applied' as const;",
    },
  },
  {
    name: 'the processed record is written apart from the effect',
    scenario: 'place-one',
    source: {
      file: `${PATTERNS}/idempotent-consumer/process-once.ts`,
      from: 'await transact([claim, ...effect.filter((write) => !clears(write, claim))]);',
      to: 'await transact([claim]); await transact(effect);',
    },
  },
  {
    name: 'the processed record replaces an earlier one',
    scenario: 'place-one',
    source: {
      file: `${PATTERNS}/idempotent-consumer/process-once.ts`,
      from: 'Item: { ...Key, ...done }, ConditionExpression: isNew }',
      to: 'Item: { ...Key, ...done, ...(isNew ? {} : {}) } }',
    },
  },
  {
    name: 'a commit replaces what stands there',
    scenario: 'place-one',
    source: {
      file: 'lambdas/platform/dynamodb.ts',
      from: "ConditionExpression: 'attribute_not_exists(pk)',",
      to: '',
    },
  },
  {
    name: 'failures of a batch are not reported',
    scenario: 'place-one',
    source: {
      file: `${PATTERNS}/idempotent-consumer/consumer.ts`,
      from: 'return { batchItemFailures: unfinished.map((itemIdentifier) => ({ itemIdentifier })) };',
      to: 'return { batchItemFailures: [] };',
    },
  },
  {
    name: 'the mapping does not ask for failures of single messages',
    scenario: 'place-one',
    resource: properties('AWS::Lambda::EventSourceMapping', /SqsEventSource/, without('FunctionResponseTypes')),
  },
  {
    name: 'entries that the bus refused count as sent',
    scenario: 'place-one',
    source: {
      file: `${PATTERNS}/outbox/publish.ts`,
      from: "if (answer?.EventId) outcomes[at] = { state: 'sent' };",
      to: "if (answer?.EventId || answer?.ErrorCode === 'InternalFailure') outcomes[at] = { state: 'sent' };",
    },
  },
  {
    name: 'the relay sends more entries at once than the bus takes',
    scenario: 'relay-catches-up',
    source: { file: `${PATTERNS}/outbox/publish.ts`, from: 'const MAX_ENTRIES = 10;', to: 'const MAX_ENTRIES = 20;' },
  },
  {
    name: 'a retry treats an unknown result as a failure: it takes its own commit for a stranger',
    scenario: 'place-one',
    source: {
      file: `${PATTERNS}/idempotent-receiver/create-once.ts`,
      from: /return earlier\(error\.existing.*\);/,
      to: "throw new WriteConflict('exists', { cause: error });",
    },
  },
  {
    name: 'a refusal is sent before the record was looked for: the commit',
    scenario: 'keys',
    source: {
      file: `${PATTERNS}/idempotent-receiver/create-once.ts`,
      from: 'return first ? earlier(first) : refuse();',
      to: 'refuse(); if (first) return earlier(first);',
    },
  },
  {
    name: 'a refusal is sent before the record was looked for: the record of a change',
    scenario: 'keys',
    source: {
      file: `${PATTERNS}/idempotent-receiver/change-once.ts`,
      from: 'if (expectedVersion === undefined)',
      to: 'if (error instanceof Problem || expectedVersion === undefined)',
    },
  },
  {
    name: 'a decision without events is recorded without the version check',
    scenario: 'cancel-races',
    source: {
      file: 'lambdas/services/orders/on-stock-answer.lambda.ts',
      from: /: orderStore\.unchangedCheck\(order\),\s*\]/,
      to: ': undefined].filter((write) => write !== undefined)',
    },
  },
  {
    name: 'TTL is read as if deletion were prompt: a record that is to lapse after a minute locks its message',
    scenario: 'place-one',
    source: {
      file: `${PATTERNS}/idempotent-consumer/process-once.ts`,
      from: 'await transact([claim, ...effect.filter((write) => !clears(write, claim))]);',
      to: `const put = claim.Put as { TableName: string; Item: { expiresAt: number } };
      const { expiresAt } = put.Item;
      put.Item.expiresAt = clock.epochSeconds() + 60;
      await transact([claim]);
      await transact([{ Put: { TableName: put.TableName, Item: { ...put.Item, expiresAt } } }, ...effect]);`,
    },
  },
  {
    name: 'failure records expire as processed ones do',
    scenario: 'redrive-weeks-later',
    source: {
      file: `${PATTERNS}/idempotent-consumer/failure-records.ts`,
      from: "status: 'FAILED',",
      to: "status: 'FAILED', expiresAt: Math.floor(Date.parse(at) / 1000) + 35 * 86_400,",
    },
  },
  {
    name: 'a redrive is done whatever became of its message',
    scenario: 'consumer-fails-26-hours',
    source: {
      file: `${PATTERNS}/idempotent-consumer/process-once.ts`,
      from: "const waits = '#status = :before';",
      to: "const waits = '(attribute_exists(pk) OR #status = :before)';",
    },
  },
  {
    name: 'a list shows whichever version came last',
    scenario: 'place-one',
    source: {
      file: `${PATTERNS}/projection/projection.ts`,
      from: "'attribute_not_exists(pk) OR version < :version'",
      to: "'attribute_not_exists(pk) OR version <> :version'",
    },
  },
  {
    name: 'a cancellation that overtakes its order leaves nothing behind',
    scenario: 'cancel-races',
    source: {
      file: 'lambdas/services/inventory/domain/reservation.ts',
      from: "return [{ type: 'ReservationVoided', data: idsOf(order) }];",
      to: 'return [];',
    },
  },
  {
    name: "TTL's deletions pass the filter of the stream",
    scenario: 'redelivery-ttl-at-once',
    resource: properties(
      'AWS::Lambda::EventSourceMapping',
      /^OutboxStream/,
      replaced('\\"eventName\\":[\\"INSERT\\"],', ''),
    ),
  },
  {
    name: 'an error is swallowed: what is to be tried again is acknowledged',
    scenario: 'place-one',
    source: {
      file: `${PATTERNS}/idempotent-consumer/consumer.ts`,
      from: 'await this.putOff(record, attempts);\n        return false;',
      to: 'await this.putOff(record, attempts);\n        return true;',
    },
  },
  {
    name: 'the filter of the stream lets no commit through',
    scenario: 'place-one',
    resource: properties('AWS::Lambda::EventSourceMapping', /^OutboxStream/, replaced('COMMIT#', 'COMMITS#')),
  },
  {
    name: 'the rule listens to the wrong type',
    scenario: 'place-one',
    resource: properties('AWS::Events::Rule', /^ReservationsOrders/, replaced('"OrderCancelled"', '"OrderCanceled"')),
  },
  {
    name: 'a permission is missing',
    scenario: 'place-one',
    resource: properties('AWS::IAM::Policy', /^OnReservations/, (policy) => {
      const text = JSON.stringify(policy).replace(/\{"Action":"dynamodb:UpdateItem".*?"Effect":"Allow".*?\}\},?/, '');
      return JSON.parse(text.replace(',]', ']')) as JsonObject;
    }),
  },
  {
    name: 'a rule target has no dead-letter queue',
    scenario: 'place-one',
    resource: properties('AWS::Events::Rule', /^ReservationsOrders/, ({ Targets, ...rule }) => ({
      ...rule,
      Targets: (Targets as readonly JsonObject[]).map(without('DeadLetterConfig')),
    })),
  },
  {
    name: 'messages become visible again while they are handled',
    scenario: 'place-one',
    resource: properties('AWS::SQS::Queue', /^ReservationsQueue/, (queue) => ({ ...queue, VisibilityTimeout: 5 })),
  },
  {
    name: 'stock is taken without looking whether it is there',
    scenario: 'sold-out',
    source: {
      file: 'lambdas/services/inventory/stock-counter.ts',
      from: "const enoughIsThere = 'available >= :quantity';",
      to: "const enoughIsThere = 'attribute_exists(pk) OR available >= :quantity';",
    },
  },
  {
    name: 'a batch that the relay gives up goes nowhere',
    scenario: 'relay-fails-26-hours',
    resource: properties('AWS::Lambda::EventSourceMapping', /^OutboxStream/, without('DestinationConfig')),
  },
  {
    name: 'a dead-letter queue keeps its messages for four days',
    scenario: 'drain-fails-13-days',
    resource: properties('AWS::SQS::Queue', /^ReservationsDeadLetters/, without('MessageRetentionPeriod')),
  },
  {
    name: 'what is too old is dropped without a word',
    scenario: 'redrive-weeks-later',
    source: {
      file: `${PATTERNS}/idempotent-consumer/consumer.ts`,
      from: 'if (tooOld && !recorded) throw tooOld;',
      to: "if (tooOld && !recorded) return 'duplicate';",
    },
  },
  {
    name: 'the age gate is open',
    scenario: 'redelivery-ttl-at-once',
    source: {
      file: `${PATTERNS}/idempotent-consumer/consumer.ts`,
      from: 'if (tooOld && !recorded) throw tooOld;',
      to: 'if (tooOld && recorded) throw tooOld;',
    },
  },
  {
    name: "a step's repeat is answered by telling its fact again",
    scenario: 'account-one',
    source: {
      file: 'lambdas/services/accounts/domain/authorization.ts',
      from: 'sameAmount(authorization.amount, amount);\n      return [done(data)];',
      to: "sameAmount(authorization.amount, amount);\n      return [{ type: 'AccountAuthorized', data }];",
    },
  },
  {
    name: 'an authorisation looks at the limit, not at what is left of it',
    scenario: 'account-one',
    source: {
      file: 'lambdas/services/accounts/domain/account.ts',
      from: 'amount > availableOf(account)',
      to: 'amount > account.creditLimit.amount',
    },
  },
  {
    name: 'a release that comes first leaves no tombstone',
    scenario: 'account-one',
    source: {
      file: 'lambdas/services/accounts/domain/authorization.ts',
      from: "return [{ type: 'AuthorizationVoided', data }];",
      to: 'return [done(data)];',
    },
  },
  {
    name: "an order's prices are compared anew for each repeat of the step",
    scenario: 'price-races',
    source: {
      file: 'lambdas/services/catalog/domain/price-check.ts',
      from: 'switch (check.status) {',
      to: "switch ('NONE' as PriceCheck['status']) {",
    },
  },
  {
    name: "a number's answer is written over an earlier one",
    scenario: 'numbers',
    source: {
      file: `${PATTERNS}/idempotent-receiver/numbered-session.ts`,
      from: "'attribute_not_exists(answers.#number)'",
      to: "'attribute_exists(answers)'",
    },
  },
  {
    name: 'a consumer shows an event in the version that is read only',
    scenario: 'rebuild-under-load',
    source: {
      file: `${PATTERNS}/projection/versions.ts`,
      from: 'builds === undefined ? [reads] : [builds, reads]',
      to: '[reads].concat(builds === undefined ? [] : [])',
    },
  },
  {
    name: 'old rows are deleted as soon as it has switched',
    scenario: 'rebuild-under-load',
    source: {
      file: `${PATTERNS}/projection/rebuilder.ts`,
      from: 'const DRAIN_SECONDS = 60;',
      to: 'const DRAIN_SECONDS = 0;',
    },
  },
  {
    name: 'the pages behind a cursor are those of the first version',
    scenario: 'rebuild-under-load',
    source: {
      file: 'lambdas/services/orders/order-list.ts',
      from: 'const prefix = inVersion(ORDER, reads);',
      to: 'const prefix = inVersion(ORDER, before === undefined ? reads : 1);',
    },
  },
  {
    name: 'the rows of a rebuild forget which index they are in',
    scenario: 'rebuild-credit',
    source: {
      file: 'lambdas/services/accounts/exhausted-list.ts',
      from: "versionedKeys: ['sk', 'exhaustedPk'],",
      to: "versionedKeys: ['sk'],",
    },
  },
  {
    name: 'a new key replaces what stands in its place, be it a tombstone',
    scenario: 'forget-races',
    source: {
      file: `${PATTERNS}/personal-data/personal-keys.ts`,
      from: /await putNew\((\{ TableName.*\}), documents\);/,
      to: "const { PutCommand } = await import('@aws-sdk/lib-dynamodb'); await documents.send(new PutCommand($1));",
    },
  },
  {
    name: 'a key stays in memory for as long as its function lives',
    scenario: 'forget-races',
    source: {
      file: `${PATTERNS}/personal-data/personal-keys.ts`,
      from: 'until <= now',
      to: 'until < 0',
    },
  },
  {
    name: 'a new order is logged as it is answered',
    scenario: 'forget-races',
    source: {
      file: 'lambdas/services/orders/place-order.lambda.ts',
      from: "'order placed', { orderId: order.orderId }",
      to: "'order placed', { order }",
    },
  },
  {
    name: 'a provider that has forgotten its keys is not asked what it did',
    scenario: 'pay-three-days-later',
    source: {
      file: 'lambdas/services/payments/once-at-provider.ts',
      from: 'if (mayBeForgotten) {',
      to: 'if (mayBeForgotten && !since) {',
    },
  },
  {
    name: 'a failure of the provider is tried again under another key, without asking what it did',
    scenario: 'pay-trouble',
    source: {
      file: 'lambdas/services/payments/once-at-provider.ts',
      from: 'if (!(error instanceof ProviderUndecided)) throw error;\n      const done = await ask();',
      to: 'if (!(error instanceof ProviderUndecided)) throw error;\n      const done = number === MOST_KEYS ? await ask() : undefined;',
    },
  },
  {
    name: 'a refund looks at the charge, not at what is left of it',
    scenario: 'pay-once',
    source: {
      file: 'lambdas/services/payments/domain/payment.ts',
      from: 'if (left === 0 || amount.amount > left)',
      to: 'if (amount.amount > charged.amount)',
    },
  },
  {
    name: "the provider's key is made of the attempt, not of the business id",
    scenario: 'pay-once',
    source: {
      file: 'lambdas/services/payments/provider-consumer.ts',
      from: 'provider.refund({ key, providerId',
      to: 'provider.refund({ key: key + clock.now(), providerId',
    },
  },
  {
    name: 'an undoing that comes first leaves no tombstone',
    scenario: 'charge-one',
    source: {
      file: 'lambdas/services/payments/domain/steps.ts',
      from: "[{ type: 'PaymentVoided', data: { paymentId } }, replyOf(data)]",
      to: '[replyOf(data)]',
    },
  },
  {
    name: 'a charge that may be under way is taken for one that will never be',
    scenario: 'charge-one',
    source: {
      file: 'lambdas/services/payments/domain/steps.ts',
      from: "return [requested, ...answerTo(payment, payment.stepId, 'VOIDED')];",
      to: "return [{ type: 'PaymentDeclined', data: { paymentId, reason: 'VOIDED' } }, replyOf(data)];",
    },
  },
  {
    name: 'an undoing asks the provider whether it charged, and does not end what it may still charge',
    scenario: 'charge-one',
    source: {
      file: 'lambdas/services/payments/provider-consumer.ts',
      from: 'provider.cancel({ key, providerId }).catch(',
      to: "ask().then((done) => done ?? ({ status: 'DECLINED', reason: 'VOIDED' } as const)).catch(",
    },
  },
  {
    name: 'what is charged after its undoing was asked for is kept',
    scenario: 'charge-one',
    source: {
      file: 'lambdas/services/payments/domain/payment.ts',
      from: 'if (voidFor === undefined) return [charged, ...answerTo(payment, stepId)];',
      to: 'if (voidFor !== stepId) return [charged, ...answerTo(payment, stepId)];',
    },
  },
  {
    name: 'an undoing is answered before the money is back',
    scenario: 'charge-one',
    source: {
      file: 'lambdas/services/payments/domain/steps.ts',
      from: '[requested, ...giveAllBack(payment)]',
      to: '[requested, ...giveAllBack(payment), replyOf(data)]',
    },
  },
  {
    name: 'a repeat of a charge under way is recorded without looking whether it ended meanwhile',
    scenario: 'charge-one',
    source: {
      file: 'lambdas/services/payments/payment-store.ts',
      from: /: paymentStore\.unchangedCheck\(payment\),\s*\]/,
      to: ': undefined].filter((write) => write !== undefined)',
    },
  },
];
