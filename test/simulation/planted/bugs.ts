import type { JsonObject } from '../../../packages/simulator/assembly/intrinsics.js';
import { LARGE_BURST } from '../scenarios/burst.js';

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

const KIT = 'packages/kit';

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

/** Catalog's relay sends a charge that nobody asked for, in the name of orders, beside what it publishes. */
const FORGING_RELAY = {
  file: `${KIT}/outbox/relay.lambda.ts`,
  from: '    const entries: {',
  to: `    if (sender.service === 'catalog') await publish(client, bus, [{
      Source: 'orderly.orders', DetailType: 'ChargePayment', Detail: JSON.stringify({
        id: 'forged', source: 'orderly.orders', to: 'payments', type: 'ChargePayment', subject: 'CreateOrderSaga/forged',
        time: new Date().toISOString(), dataschema: 'urn:orderly:payments:ChargePayment:1', sequence: 1, epoch: 0,
        data: {
          customerId: 'alice', orderId: 'forged', stepId: 'forged/charge', amount: { amount: 99900, currency: 'EUR' },
        },
        correlationid: 'c', causationid: 'c', traceparent: 't', actor: 'service:orders',
      }),
    }], () => true).catch(() => undefined);
    const entries: {`,
} as const;

export const BUGS: readonly PlantedBug[] = [
  {
    name: 'the message is acknowledged before the write',
    scenario: 'place-one',
    source: {
      file: `${KIT}/idempotent-consumer/consumer.ts`,
      from: 'const outcome = await processMessage(delivery, sources, this.records, this.rules);',
      to: `processMessage(delivery, sources, this.records, this.rules).catch(() => undefined);
      const outcome = 'applied' as const;`,
    },
  },
  {
    name: 'the processed record is written apart from the effect',
    scenario: 'place-one',
    source: {
      file: `${KIT}/idempotent-consumer/process-once.ts`,
      from: 'await records.transact([claim, ...effect.filter((write) => !clears(write, claim))]);',
      to: 'await transact([claim]); await transact(effect);',
    },
  },
  {
    name: 'the processed record replaces an earlier one',
    scenario: 'place-one',
    source: {
      file: `${KIT}/idempotent-consumer/process-once.ts`,
      from: 'Item: { ...Key, ...done }, ConditionExpression: isNew }',
      to: 'Item: { ...Key, ...done, ...(isNew ? {} : {}) } }',
    },
  },
  {
    name: 'a commit replaces what stands there',
    scenario: 'place-one',
    source: {
      file: 'packages/kit/aws/dynamodb.ts',
      from: "ConditionExpression: 'attribute_not_exists(pk)',",
      to: '',
    },
  },
  {
    name: 'failures of a batch are not reported',
    scenario: 'place-one',
    source: {
      file: `${KIT}/idempotent-consumer/consumer.ts`,
      from: 'return { batchItemFailures: unfinished.map(({ record }) => ({ itemIdentifier: record.messageId })) };',
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
      file: `${KIT}/outbox/publish.ts`,
      from: "if (answer?.EventId) outcomes[at] = { state: 'sent' };",
      to: "if (answer?.EventId || answer?.ErrorCode === 'InternalFailure') outcomes[at] = { state: 'sent' };",
    },
  },
  {
    name: 'the relay sends more entries at once than the bus takes',
    scenario: 'relay-catches-up',
    source: {
      file: `${KIT}/outbox/publish.ts`,
      from: ', EVENTS_BATCH);',
      to: ', { ...EVENTS_BATCH, entries: 20 });',
    },
  },
  {
    name: 'a retry treats an unknown result as a failure: it takes its own commit for a stranger',
    scenario: 'place-one',
    source: {
      file: `${KIT}/idempotent-receiver/create-once.ts`,
      from: /return earlier\(error\.existing.*\);/,
      to: "throw new WriteConflict('exists', { cause: error });",
    },
  },
  {
    name: 'a refusal is sent before the record was looked for: the commit',
    scenario: 'keys',
    source: {
      file: `${KIT}/idempotent-receiver/create-once.ts`,
      from: 'return found ? earlier(found) : refuse();',
      to: 'refuse(); if (found) return earlier(found);',
    },
  },
  {
    name: 'a refusal is sent before the record was looked for: the record of a change',
    scenario: 'keys',
    source: {
      file: `${KIT}/idempotent-receiver/change-once.ts`,
      from: 'if (expectedVersion === undefined)',
      to: 'if (error instanceof Problem || expectedVersion === undefined)',
    },
  },
  {
    name: 'a decision without events is recorded without the version check',
    scenario: 'cancel-races',
    source: {
      file: `${KIT}/saga/orchestrator.ts`,
      from: 'return { events, writes: [store.unchangedCheck(loaded)] };',
      to: 'return { events, writes: [] };',
    },
  },
  {
    name: 'TTL is read as if deletion were prompt: a record that is to lapse after a minute locks its message',
    scenario: 'place-one',
    source: {
      file: `${KIT}/idempotent-consumer/process-once.ts`,
      from: 'await records.transact([claim, ...effect.filter((write) => !clears(write, claim))]);',
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
      file: `${KIT}/failures/failure-records.ts`,
      from: "status: 'FAILED',",
      to: "status: 'FAILED', expiresAt: Math.floor(Date.parse(at) / 1000) + 35 * 86_400,",
    },
  },
  {
    name: 'a redrive is done whatever became of its message',
    scenario: 'consumer-fails-26-hours',
    source: {
      file: `${KIT}/idempotent-consumer/process-once.ts`,
      from: "const waits = '#status = :before';",
      to: "const waits = '(attribute_exists(pk) OR #status = :before)';",
    },
  },
  {
    name: 'a list shows whichever version came last',
    scenario: 'place-one',
    source: {
      file: `${KIT}/projection/projection.ts`,
      from: "'attribute_not_exists(pk) OR version < :version'",
      to: "'attribute_not_exists(pk) OR version <> :version'",
    },
  },
  {
    name: 'a release that overtakes its reservation leaves nothing behind',
    scenario: 'cancel-at-48-of-approval',
    source: {
      file: 'lambdas/inventory/domain/reservation.ts',
      from: "return [{ type: 'ReservationVoided', data: idsOf(order) }];",
      to: "return answer(order, { outcome: 'DONE' });",
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
      file: `${KIT}/idempotent-consumer/consumer.ts`,
      from: 'await this.postpone(delivery);\n        return false;',
      to: 'await this.postpone(delivery);\n        return true;',
    },
  },
  {
    name: 'a message that crashes its function takes its whole batch with it, however often it comes',
    scenario: 'crash-in-a-batch',
    source: {
      file: `${KIT}/idempotent-consumer/consumer.ts`,
      from: 'const CALM_DELIVERIES = 2;',
      to: 'const CALM_DELIVERIES = 99;',
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
    name: "who reads an order has lost the tag that the key of people's keys asks for",
    scenario: 'forget-races',
    resource: properties('AWS::IAM::Role', /^(GetOrder|PlaceOrder)Role/, without('Tags')),
  },
  {
    name: "a consumer's log names whom its message is about",
    scenario: 'account-one',
    source: {
      file: `${KIT}/idempotent-consumer/message-log.ts`,
      from: 'this.subjectToLog(envelope)',
      to: 'envelope.subject',
    },
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
    scenario: 'reject-one',
    source: {
      file: 'lambdas/inventory/stock-counter.ts',
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
    resource: properties('AWS::SQS::Queue', /^SagaDeadLetters/, without('MessageRetentionPeriod')),
  },
  {
    name: 'what is too old is dropped without a word',
    scenario: 'redrive-weeks-later',
    source: {
      file: `${KIT}/idempotent-consumer/process-message.ts`,
      from: 'if (tooOld && !recorded) throw tooOld;',
      to: "if (tooOld && !recorded) return 'duplicate';",
    },
  },
  {
    name: 'the age gate is open',
    scenario: 'redelivery-ttl-at-once',
    source: {
      file: `${KIT}/idempotent-consumer/process-message.ts`,
      from: 'if (tooOld && !recorded) throw tooOld;',
      to: 'if (tooOld && recorded) throw tooOld;',
    },
  },
  {
    name: 'the age gate takes the window of today',
    scenario: 'window-raised',
    source: {
      file: `${KIT}/aws/dedupe-window.ts`,
      from: '{ from: earliest, to: now }',
      to: '{ from: now, to: now }',
    },
  },
  {
    name: 'the age gate takes the largest window',
    scenario: 'window-raised',
    source: {
      file: `${KIT}/aws/dedupe-window.ts`,
      from: 'Math.min(...inForce',
      to: 'Math.max(...inForce',
    },
  },
  {
    name: 'the age gate takes the first window',
    scenario: 'window-lowered',
    source: {
      file: `${KIT}/aws/dedupe-window.ts`,
      from: '{ from: earliest, to: now }',
      to: "{ from: '1970-01-01', to: '1970-01-01' }",
    },
  },
  {
    name: 'processed records are kept for the first window',
    scenario: 'window-raised',
    source: {
      file: `${KIT}/idempotent-consumer/process-once.ts`,
      from: 'expiryOf(this.window, from)',
      to: 'from + expiryOf(this.window, 0)',
    },
  },
  {
    name: 'answered requests are kept for the first window',
    scenario: 'window-raised',
    source: {
      file: `${KIT}/idempotent-receiver/key-record.ts`,
      from: 'expiryOf(windowSeconds, clock.epochSeconds())',
      to: 'clock.epochSeconds() + expiryOf(windowSeconds, 0)',
    },
  },
  {
    name: "a step's repeat is answered by telling its fact again",
    scenario: 'account-one',
    source: {
      file: 'lambdas/accounts/domain/authorization.ts',
      from: 'sameAmount(authorization.amount, amount);\n      return [done(data)];',
      to: "sameAmount(authorization.amount, amount);\n      return [{ type: 'AccountAuthorized', data }];",
    },
  },
  {
    name: 'a closed account authorises an order',
    scenario: 'closed-accounts',
    source: {
      file: 'lambdas/accounts/domain/account.ts',
      from: "if (account.status === 'CLOSED') return { reason: 'ACCOUNT_CLOSED' };",
      to: '',
    },
  },
  {
    name: 'a closed account releases nothing that it holds',
    scenario: 'closed-accounts',
    source: {
      file: 'lambdas/accounts/domain/authorization.ts',
      from: 'return release(state, command);',
      to: "return state.account.status === 'CLOSED' ? [refused(command.data, 'ACCOUNT_CLOSED')] : release(state, command);",
    },
  },
  {
    name: 'the list of accounts without credit shows closed ones',
    scenario: 'closed-accounts',
    source: {
      file: 'lambdas/accounts/exhausted-list.ts',
      from: "account?.status === 'OPEN' && account.available",
      to: 'account?.available',
    },
  },
  {
    name: 'a bonus is applied again for each repeat of its request',
    scenario: 'bonuses',
    source: {
      file: 'lambdas/accounts/apply-bonus.lambda.ts',
      from: 'record: keyRecord(idempotencyKey(personal.hashed(keyedBy(request))), records),',
      to: 'record: keyRecord({ ...idempotencyKey(personal.hashed(keyedBy(request))), scope: traceOf(request).trigger }, records),',
    },
  },
  {
    name: 'the log of a bonus says why it was applied',
    scenario: 'bonuses',
    source: {
      file: 'lambdas/accounts/apply-bonus.lambda.ts',
      from: '{ version: loaded.version });',
      to: '{ version: loaded.version, reason: body.reason });',
    },
  },
  {
    name: 'an authorisation looks at the limit, not at what is left of it',
    scenario: 'account-one',
    source: {
      file: 'lambdas/accounts/domain/account.ts',
      from: 'amount > availableOf(account)',
      to: 'amount > account.creditLimit.amount',
    },
  },
  {
    name: 'a release that comes first leaves no tombstone',
    scenario: 'account-one',
    source: {
      file: 'lambdas/accounts/domain/authorization.ts',
      from: "return [{ type: 'AuthorizationVoided', data }];",
      to: 'return [done(data)];',
    },
  },
  {
    name: "an order's prices are compared anew for each repeat of the step",
    scenario: 'price-races',
    source: {
      file: 'lambdas/catalog/domain/price-check.ts',
      from: 'switch (check.status) {',
      to: "switch ('NONE' as PriceCheck['status']) {",
    },
  },
  {
    name: "a number's answer is written over an earlier one",
    scenario: 'numbers',
    source: {
      file: `${KIT}/idempotent-receiver/numbered-session.ts`,
      from: "'attribute_not_exists(answers.#number)'",
      to: "'attribute_exists(answers)'",
    },
  },
  {
    name: 'a consumer shows an event in the version that is read only',
    scenario: 'rebuild-under-load',
    source: {
      file: `${KIT}/projection/versions.ts`,
      from: 'builds === undefined ? [reads] : [builds, reads]',
      to: '[reads].concat(builds === undefined ? [] : [])',
    },
  },
  {
    name: 'old rows are deleted as soon as it has switched',
    scenario: 'rebuild-under-load',
    source: {
      file: `${KIT}/projection/rebuilder.ts`,
      from: 'const DRAIN_SECONDS = 60;',
      to: 'const DRAIN_SECONDS = 0;',
    },
  },
  {
    name: 'the pages behind a cursor are those of the first version',
    scenario: 'rebuild-under-load',
    source: {
      file: 'lambdas/orders/order-list.ts',
      from: 'const prefix = inVersion(ORDER, reads);',
      to: 'const prefix = inVersion(ORDER, before === undefined ? reads : 1);',
    },
  },
  {
    name: 'the rows of a rebuild forget which index they are in',
    scenario: 'rebuild-credit',
    source: {
      file: 'lambdas/accounts/exhausted-list.ts',
      from: "versionedKeys: ['sk', 'exhaustedPk'],",
      to: "versionedKeys: ['sk'],",
    },
  },
  {
    name: 'a new key replaces what stands in its place, be it a tombstone',
    scenario: 'forget-races',
    source: {
      file: `${KIT}/personal-data/personal-keys.ts`,
      from: /await putNew\((\{ TableName.*\}), documents\);/,
      to: "const { PutCommand } = await import('@aws-sdk/lib-dynamodb'); await documents.send(new PutCommand($1));",
    },
  },
  {
    name: "a key from memory is used without a look at the person's item",
    scenario: 'forget-at-once',
    source: {
      file: `${KIT}/personal-data/personal-keys.ts`,
      from: 'const item = await this.itemOf(person);',
      to: 'const item = this.memory.get(person) ?? (await this.itemOf(person));',
    },
  },
  {
    name: 'what a request has seen of a person is kept for the next ones',
    scenario: 'forget-at-once',
    source: {
      file: `${KIT}/personal-data/personal-keys.ts`,
      from: 'keys.seen = new Map();',
      to: 'keys.seen = this.seen ??= new Map();',
    },
  },
  {
    name: 'a new order is logged as it is answered',
    scenario: 'forget-races',
    source: {
      file: 'lambdas/orders/place-order.lambda.ts',
      from: "'order placed', { orderId: order.orderId }",
      to: "'order placed', { order }",
    },
  },
  {
    name: 'a provider that has forgotten its keys is not asked what it did',
    scenario: 'pay-three-days-later',
    source: {
      file: 'lambdas/payments/once-at-provider.ts',
      from: 'if (mayBeForgotten) {',
      to: 'if (mayBeForgotten && !since) {',
    },
  },
  {
    name: 'a failure of the provider is tried again under another key, without asking what it did',
    scenario: 'pay-trouble',
    source: {
      file: 'lambdas/payments/once-at-provider.ts',
      from: 'if (!(error instanceof ProviderUndecided)) throw error;\n      const done = await ask();',
      to: 'if (!(error instanceof ProviderUndecided)) throw error;\n      const done = number === MOST_KEYS ? await ask() : undefined;',
    },
  },
  {
    name: 'a refund looks at the charge, not at what is left of it',
    scenario: 'pay-once',
    source: {
      file: 'lambdas/payments/domain/payment.ts',
      from: 'if (left === 0 || amount.amount > left)',
      to: 'if (amount.amount > charged.amount)',
    },
  },
  {
    name: "the provider's key is made of the attempt, not of the business id",
    scenario: 'pay-once',
    source: {
      file: 'lambdas/payments/provider-consumer.ts',
      from: 'provider.refund({ key, providerId',
      to: 'provider.refund({ key: key + clock.now(), providerId',
    },
  },
  {
    name: 'an undoing that comes first leaves no tombstone',
    scenario: 'charge-one',
    source: {
      file: 'lambdas/payments/domain/steps.ts',
      from: "[{ type: 'PaymentVoided', data: { paymentId } }, replyOf(data)]",
      to: '[replyOf(data)]',
    },
  },
  {
    name: 'a charge that may be under way is taken for one that will never be',
    scenario: 'charge-one',
    source: {
      file: 'lambdas/payments/domain/steps.ts',
      from: "return [requested, ...answerTo(payment, payment.stepId, 'VOIDED')];",
      to: "return [{ type: 'PaymentDeclined', data: { paymentId, reason: 'VOIDED' } }, replyOf(data)];",
    },
  },
  {
    name: 'an undoing asks the provider whether it charged, and does not end what it may still charge',
    scenario: 'undo-at-18-of-1000',
    source: {
      file: 'lambdas/payments/provider-consumer.ts',
      from: 'provider.cancel({ key, providerId }).catch(',
      to: "ask().then((done) => done ?? ({ status: 'DECLINED', reason: 'VOIDED' } as const)).catch(",
    },
  },
  {
    name: 'what is charged after its undoing was asked for is kept',
    scenario: 'charge-one',
    source: {
      file: 'lambdas/payments/domain/payment.ts',
      from: 'if (voidFor === undefined) return [charged, ...answerTo(payment, stepId)];',
      to: 'if (voidFor !== stepId) return [charged, ...answerTo(payment, stepId)];',
    },
  },
  {
    name: 'an undoing is answered before the money is back',
    scenario: 'charge-one',
    source: {
      file: 'lambdas/payments/domain/steps.ts',
      from: '[requested, ...giveAllBack(payment)]',
      to: '[requested, ...giveAllBack(payment), replyOf(data)]',
    },
  },
  {
    name: 'a repeat of a charge under way is recorded without looking whether it ended meanwhile',
    scenario: 'charge-one',
    source: {
      file: `${KIT}/idempotent-consumer/command-on.ts`,
      from: '[(await decideOn(store, target, ...facts)).write]',
      to: '(({ events, write }) => (events.length > 0 ? [write] : []))(await decideOn(store, target, ...facts))',
      only: /^payments\/on-command$/,
    },
  },
  {
    name: 'an answer is matched by its saga, not by its step',
    scenario: 'answers-late',
    source: {
      file: `${KIT}/saga/saga.ts`,
      from: 'if (stepId !== stepIdOf(this.id, step)) return;',
      to: '',
    },
  },
  {
    name: 'an answer to a step is taken for one to its compensation',
    scenario: 'cancel-races',
    source: {
      file: `${KIT}/saga/saga.ts`,
      from: 'if (stepId !== undoIdOf(this.id, step)) return;',
      to: 'if (!stepId.startsWith(stepIdOf(this.id, step))) return;',
    },
  },
  {
    name: "a step's identity is made of its attempt",
    scenario: 'place-one',
    source: {
      file: `${KIT}/saga/saga.ts`,
      from: /stepIdOf\((this\.)?id, step\)/g,
      to: "stepIdOf($1id, step) + (typeof attempt === 'undefined' ? this.state.waiting.attempt : attempt)",
    },
  },
  {
    name: 'an answer is one: a refusal is taken for done',
    scenario: 'steps-refused',
    source: {
      file: 'lambdas/orders/on-saga-message.ts',
      from: 'answered(data, data.outcome, trace)',
      to: "answered(data, 'DONE', trace)",
    },
  },
  {
    name: 'a step that is not needed is asked for',
    scenario: 'steps-refused',
    source: { file: `${KIT}/saga/saga.ts`, from: 'at > done && isNeeded(state.data)', to: 'at > done' },
  },
  {
    name: 'a step that was sent and not answered is not undone',
    scenario: 'cancel-races',
    source: {
      file: `${KIT}/saga/state.ts`,
      from: /toUndo: \[\.\.\.without\(saga\.toUndo, step\), step\](.*?case 'StepDone':\s*return) saga;/s,
      to: 'toUndo: saga.toUndo$1 { ...saga, toUndo: [...saga.toUndo, event.data.step] };',
    },
  },
  {
    name: 'compensations go in the order of the steps',
    scenario: 'cancel-races',
    source: { file: `${KIT}/saga/saga.ts`, from: 'toUndo.findLast(', to: 'toUndo.find(' },
  },
  {
    name: 'what is sent again is recorded, and not sent',
    scenario: 'answers-late',
    source: {
      file: `${KIT}/saga/saga.ts`,
      from: 'if (outgoing) this.commands.push(outgoing);',
      to: 'if (outgoing && attempt === 1) this.commands.push(outgoing);',
    },
  },
  {
    name: 'the clock is set apart from the commit that needs it',
    scenario: 'place-one',
    source: {
      file: `${KIT}/saga/orchestrator.ts`,
      from: '...this.timeoutWrites(id, loaded.state, after, trace),',
      to: `...(await (async () => {
        const { transact } = await import('../aws/dynamodb.js');
        const writes = this.timeoutWrites(id, loaded.state, after, trace);
        if (writes.length > 0) await transact(writes);
        return [];
      })()),`,
    },
  },
  {
    name: 'the clock is set once, and not again when it rang',
    scenario: 'answers-late',
    source: {
      file: `${KIT}/saga/saga.ts`,
      from: 'timerAt === undefined || mayBeGone || timerAt <= now || timerAt > waiting.again',
      to: 'timerAt === undefined || timerAt > waiting.again',
    },
  },
  {
    name: 'the clock of a saga that is over is left to ring',
    scenario: 'place-one',
    source: {
      file: `${KIT}/saga/orchestrator.ts`,
      from: 'if (before.timers > 0 && (isSet || isOver))',
      to: 'if (before.timers > 0 && isSet)',
    },
  },
  {
    name: 'a ring that is early for the step that is waited for by now sends it again',
    scenario: 'answers-late',
    source: {
      file: `${KIT}/saga/saga.ts`,
      from: " && state.status !== 'STUCK' && now >= state.waiting.again;",
      to: " && state.status !== 'STUCK' && now !== '';",
    },
  },
  {
    name: 'a compensation is given up as soon as its step',
    scenario: 'stuck',
    source: {
      file: `${KIT}/saga/saga.ts`,
      from: "this.state.status === 'RUNNING' ? this.stepCalled(step).retryPolicy : this.saga.compensation",
      to: 'this.stepCalled(step).retryPolicy',
    },
  },
  {
    name: 'a compensation is given up as a step is, and its saga goes on',
    scenario: 'stuck',
    source: {
      file: `${KIT}/saga/saga.ts`,
      from: "else this.stuck(step, 'UNANSWERED');",
      to: 'else this.undone({ step, at: now });',
    },
  },
  {
    name: 'a stuck saga is counted, and not listed',
    scenario: 'stuck',
    source: {
      file: `${KIT}/saga/orchestrator.ts`,
      from: /return \[\{ Put: \{ TableName, Item.*/,
      to: 'return [];',
    },
  },
  {
    name: 'a saga that goes on stays in the list of stuck ones',
    scenario: 'stuck',
    source: { file: `${KIT}/saga/orchestrator.ts`, from: '[{ Delete: { TableName, Key } }]', to: '[]' },
  },
  {
    name: 'an order is approved without looking whether it was cancelled meanwhile',
    scenario: 'cancel-at-80-of-approval',
    source: {
      file: 'lambdas/orders/domain/create-order.ts',
      from: "command.type === 'Approve' && (order.status === 'CANCELLED' || order.status === 'REJECTED')",
      to: "command.type === 'Approve' && (order.status as string) === ''",
    },
  },
  {
    name: 'an order is approved in a commit of its own, before its saga ends',
    scenario: 'place-one',
    source: {
      file: 'lambdas/orders/on-saga-message.ts',
      from: "if (command.type === 'Approve') return",
      to: `if (command.type === 'Approve') {
        const { transact } = await import('../../packages/kit/aws/dynamodb.js');
        await transact([write]);
        return writes;
      }
      if (changes.length < 0) return`,
    },
  },
  {
    name: 'a cancellation does not say that the saga is under way',
    scenario: 'cancel-races',
    source: {
      file: 'lambdas/orders/domain/order.ts',
      from: '(isUnderWay(order) ? { underWay: true } : {})',
      to: '({})',
    },
  },
  ...(['inventory', 'accounts', 'payments'] as const).map((service) => ({
    name: `${service} undo what a saga under way will undo`,
    scenario: 'cancel-races',
    source: { file: `lambdas/${service}/on-order-event.ts`, from: 'isLeftToSaga(data)', to: 'false' },
  })),
  {
    name: "a repeat of a saga's step is taken, and not answered",
    scenario: 'answers-late',
    source: {
      file: 'lambdas/inventory/domain/reservation.ts',
      from: "return answer(order, { outcome: 'DONE' });\n    case 'REJECTED':",
      to: "return [];\n    case 'REJECTED':",
    },
  },
  {
    name: 'what is approved is not captured',
    scenario: 'place-one',
    resource: properties('AWS::Events::Rule', /^OrderEndsOrders/, replaced('"OrderApproved"', '"OrderRejected"')),
  },
  {
    name: 'what is cancelled when it is owed already is released, as if it were only held',
    scenario: 'place-one',
    source: {
      file: 'lambdas/accounts/domain/authorization.ts',
      from: "if (authorization.status !== 'CAPTURED') return { type: 'ReleaseAuthorization', data };",
      to: "if (how === 'CANCELLED') return { type: 'ReleaseAuthorization', data };",
    },
  },
  {
    name: 'the money of an order that is cancelled after its approval is kept',
    scenario: 'place-one',
    resource: properties('AWS::Events::Rule', /^CancellationsOrders/, replaced('"OrderCancelled"', '"OrderRejected"')),
  },
  {
    name: 'nobody is called every minute: no clock ever rings',
    scenario: 'deadlines-pass',
    resource: properties('AWS::Events::Rule', /EveryMinute/, without('Targets')),
  },
  {
    name: 'a refund of what was settled raises the credit a second time',
    scenario: 'place-one',
    source: {
      file: 'lambdas/accounts/domain/authorization.ts',
      from: 'data: { ...data, ...settledPart(authorization, data.amount) } }];',
      to: 'data }];',
    },
  },
  {
    name: 'a release of what was settled raises the credit a second time',
    scenario: 'cancel-races',
    source: {
      file: 'lambdas/accounts/domain/authorization.ts',
      from: 'amount: authorization.amount, ...settledPart(authorization, authorization.amount) },',
      to: 'amount: authorization.amount },',
    },
  },
  {
    name: 'the capture settles what the charge has settled',
    scenario: 'place-one',
    source: {
      file: 'lambdas/accounts/domain/authorization.ts',
      from: "return [{ type: 'AuthorizationCaptured', data: { ...data, amount: authorization.amount } }];",
      to: `return [
        { type: 'AuthorizationCaptured', data: { ...data, amount: authorization.amount } },
        {
          type: 'CreditSettled',
          data: { customerId: data.customerId, orderId: data.orderId, amount: authorization.amount },
        },
      ];`,
    },
  },
  {
    name: 'a charge that comes before the capture settles nothing',
    scenario: 'place-one',
    source: {
      file: 'lambdas/accounts/domain/authorization.ts',
      from: "if (authorization.status !== 'AUTHORIZED' && authorization.status !== 'CAPTURED') return [];",
      to: "if (authorization.status !== 'CAPTURED') return [];",
    },
  },
  {
    name: 'an order whose cancellation has begun is dispatched',
    scenario: 'dispatch-races',
    source: {
      file: 'lambdas/orders/domain/order.ts',
      from: "if (order.status !== 'APPROVED') throw new OrderRefused('NOT_APPROVED');",
      to: "if (order.status !== 'APPROVED' && order.status !== 'CANCELLED') throw new OrderRefused('NOT_APPROVED');",
    },
  },
  {
    name: 'a dispatch by another key dispatches the order again',
    scenario: 'dispatch-races',
    source: {
      file: 'lambdas/orders/domain/order.ts',
      from: "if (order.status === 'DISPATCHED') return [];\n      if (order.status === 'UNDER_REVIEW') throw new OrderRefused('UNDER_REVIEW');\n      if (order.status !== 'APPROVED')",
      to: "if (order.status !== 'DISPATCHED' && order.status !== 'APPROVED')",
    },
  },
  {
    name: 'a dispatched order is cancelled',
    scenario: 'dispatch-one',
    source: {
      file: 'lambdas/orders/domain/order.ts',
      from: "if (order.status === 'REJECTED' || order.status === 'DISPATCHED') throw",
      to: "if (order.status === 'REJECTED') throw",
    },
  },
  {
    name: 'a dispatch is heard again, and takes the stock again',
    scenario: 'dispatch-one',
    source: {
      file: 'lambdas/inventory/domain/reservation.ts',
      from: "reservation.status === 'RESERVED'\n    ? [{ type: 'StockDispatched'",
      to: "reservation.status === 'RESERVED' || reservation.status === 'DISPATCHED'\n    ? [{ type: 'StockDispatched'",
    },
  },
  {
    name: 'what was dispatched is no longer on hand, but still reserved',
    scenario: 'dispatch-one',
    source: {
      file: 'lambdas/inventory/stock-counter.ts',
      from: "'SET reserved = reserved - :quantity, onHand = onHand - :quantity'",
      to: "'SET available = available - :quantity, onHand = onHand - :quantity'",
    },
  },
  {
    name: 'what was dispatched is free again, as if it were released',
    scenario: 'dispatch-one',
    source: {
      file: 'lambdas/inventory/reservation-effects.ts',
      from: 'event.data.lines.map((line) => dispatch(store.table, line))',
      to: 'event.data.lines.map((line) => release(store.table, line))',
    },
  },
  {
    name: 'inventory hears of no dispatch',
    scenario: 'dispatch-one',
    resource: properties('AWS::Events::Rule', /^ReservationsOrders/, replaced('"OrderDispatched"', '"OrderRejected"')),
  },
  {
    name: 'what was released is taken by an approval that comes late',
    scenario: 'late-approval',
    source: {
      file: 'lambdas/accounts/domain/authorization.ts',
      from: "case 'RELEASED':\n      return [refused(data, 'RELEASED')];\n    case 'AUTHORIZED':\n      return [{ type: 'AuthorizationCaptured'",
      to: "return [refused(data, 'RELEASED')];\n    case 'RELEASED':\n    case 'AUTHORIZED':\n      return [{ type: 'AuthorizationCaptured'",
    },
  },
  {
    name: 'a refused compensation is taken for done',
    scenario: 'refund-refused',
    source: {
      file: `${KIT}/saga/saga.ts`,
      from: "else if (state.status === 'COMPENSATING') this.stuck(step, reason);",
      to: "else if (state.status === 'COMPENSATING') this.undone({ step, at: now });",
    },
  },
  {
    name: 'a refund that was refused for good is told as made',
    scenario: 'refund-refused',
    source: {
      file: 'lambdas/payments/provider-consumer.ts',
      from: "type: status === 'REFUNDED' ? 'Refund' : 'FailRefund'",
      to: "type: status ? 'Refund' : 'FailRefund'",
    },
  },
  {
    name: 'a refund that was refused for good is in no list',
    scenario: 'refund-refused',
    source: {
      file: 'lambdas/payments/provider-consumer.ts',
      from: 'if (!redriven) throw new RefundRefused(',
      to: 'if (!redriven) return [paymentStore.effect(payment, [], trace)];\n  if (!paymentId) throw new RefundRefused(',
    },
  },
  {
    name: 'a refund that was refused for good is retried under its old id',
    scenario: 'refund-refused',
    source: {
      file: 'lambdas/payments/domain/payment.ts',
      from: '{ refundId: again, amount',
      to: '{ refundId, amount',
    },
  },
  {
    name: 'what an alarm waits for is counted when the invocation ends',
    scenario: 'refund-refused',
    source: {
      file: 'packages/kit/aws/telemetry.ts',
      from: 'metrics.singleMetric().addMetric(',
      to: 'metrics.addMetric(',
    },
  },
  {
    name: 'an order is shown to whoever asks',
    scenario: 'read-one',
    source: {
      file: 'lambdas/orders/order-store.ts',
      from: "view && (role === 'operator' || view.customerId === id) ? view : noSuchOrder()",
      to: 'view ?? noSuchOrder()',
    },
  },
  {
    name: 'a payment is shown to whoever asks',
    scenario: 'read-one',
    source: {
      file: 'lambdas/payments/payment-store.ts',
      from: "view && (role === 'operator' || view.customerId === id) ? view : noSuchPayment()",
      to: 'view ?? noSuchPayment()',
    },
  },
  {
    name: "an account's history is shown to whoever asks",
    scenario: 'read-one',
    source: {
      file: 'lambdas/accounts/account-history.lambda.ts',
      from: "ownOf(caller, customerIdOf(parameter('customerId')))",
      to: "customerIdOf(parameter('customerId'))",
    },
  },
  {
    name: 'a list of products goes on from any place that a cursor names',
    scenario: 'read-one',
    source: {
      file: 'lambdas/catalog/list-products.lambda.ts',
      from: 'query.cursor, Sku)',
      to: 'query.cursor, z.string())',
    },
  },
  {
    name: 'answers may be kept by whoever is on their way',
    scenario: 'read-one',
    source: { file: 'packages/kit/http/http.ts', from: '...ANSWER_HEADERS, ', to: '' },
  },
  {
    name: 'what is sent again and fails again is drained without a word',
    scenario: 'consumer-fails-26-hours',
    source: {
      file: `${KIT}/failures/failure-records.ts`,
      from: 'await this.failedAgain(key, error);',
      to: '',
      only: /drain-dead-letters$/,
    },
  },
  {
    name: 'a relay speaks for another service',
    scenario: 'place-one',
    source: FORGING_RELAY,
  },
  {
    name: 'a relay speaks for another service, and its right to publish holds for any source',
    scenario: 'place-one',
    source: FORGING_RELAY,
    resource: properties('AWS::IAM::Policy', /^OutboxRelayRole/, (policy) => {
      const text = JSON.stringify(policy);
      const condition =
        /"Condition":\{"ForAllValues:StringEquals":\{"events:source":"orderly\.[a-z]+"\},"Null":\{"events:source":"false"\}\},/;
      if (!condition.test(text)) throw new Error('the right to publish has no condition');
      return JSON.parse(text.replace(condition, '')) as JsonObject;
    }),
  },
  {
    name: 'the drain reads whatever lies under the name of a failed batch by now',
    scenario: 'batches-overwritten',
    source: {
      file: `${KIT}/drains/drain-failed-batches.lambda.ts`,
      from: ", VersionId: object['version-id'] ?? UNVERSIONED",
      to: '',
    },
    resource: properties(
      'AWS::IAM::Policy',
      /^OutboxDrainFailedBatchesRole/,
      replaced('s3:GetObjectVersion', 's3:GetObject'),
    ),
  },
  {
    name: 'the bucket of failed batches keeps no versions',
    scenario: 'batches-overwritten',
    resource: properties('AWS::S3::Bucket', /FailedBatches/, without('VersioningConfiguration')),
  },
  {
    name: 'the limit of refunds is not in the condition of the write',
    scenario: 'refund-limit',
    source: {
      file: 'lambdas/payments/daily-limits.ts',
      from: "'attribute_not_exists(refunds) OR refunds < :most'",
      to: "'attribute_not_exists(refunds) OR refunds < :most OR refunds >= :most'",
    },
  },
  {
    name: 'a repeat is counted too: the count is written apart from the change that it counts',
    scenario: 'refund-limit',
    source: {
      file: `${KIT}/idempotent-receiver/change-once.ts`,
      from: 'await transact([claim, change, ...(more?.writes ?? [])]);',
      to: 'if (more) await transact([...more.writes]); await transact([claim, change]);',
    },
  },
  {
    name: 'a payment is counted apart from its commit',
    scenario: 'pay-once',
    source: {
      file: `${KIT}/idempotent-receiver/create-once.ts`,
      from: 'await (more ? transact([store.appendWrite(commit), ...more.writes]) : store.append(commit));',
      to: 'if (more) await transact([...more.writes]); await store.append(commit);',
    },
  },
  {
    name: 'one order more than the limit is under way',
    scenario: 'order-limit',
    source: {
      file: 'lambdas/accounts/domain/account.ts',
      from: 'account.underWay >= ordersUnderWay',
      to: 'account.underWay > ordersUnderWay',
    },
  },
  {
    name: 'an order that has ended counts as under way',
    scenario: 'order-limit',
    source: {
      file: 'lambdas/accounts/domain/account.ts',
      from: /underWay: underWay - 1/g,
      to: 'underWay',
    },
  },
  {
    name: 'nothing is reserved: a flood of the API takes every execution',
    scenario: 'api-flood',
    resource: properties('AWS::Lambda::Function', /./, without('ReservedConcurrentExecutions')),
  },
  {
    name: 'a step is sent again while a backlog explains the silence',
    scenario: 'overload',
    source: {
      file: `${KIT}/saga/saga.ts`,
      from: 'const pause = this.backlogPause(state, roundTrip);',
      to: 'const pause = 0 * this.backlogPause(state, roundTrip);',
    },
  },
  {
    name: 'the patience of a step runs while a backlog explains the silence',
    scenario: 'overload',
    source: {
      file: `${KIT}/saga/saga.ts`,
      from: 'const pause = this.backlogPause(state, roundTrip);',
      to: `const isPatient = now < later(since, this.retryPolicyOf(step).timeout);
    const pause = isPatient ? this.backlogPause(state, roundTrip) : 0;`,
    },
  },
  {
    name: 'routes that begin orders have no limit of their own',
    scenario: 'overload',
    resource: properties('AWS::ApiGateway::Stage', /./, ({ MethodSettings = [], ...stage }) => ({
      ...stage,
      MethodSettings: (MethodSettings as readonly JsonObject[]).filter(({ ResourcePath }) => ResourcePath === '/*'),
    })),
  },
  {
    name: 'queues are not fair: messages have no group',
    scenario: `burst-of-${LARGE_BURST}`,
    resource: properties('AWS::Events::Rule', /./, ({ Targets = [], ...rule }) => ({
      ...rule,
      Targets: (Targets as readonly JsonObject[]).map(without('SqsParameters')),
    })),
  },
  {
    name: 'a cancellation is logged as it is answered',
    scenario: 'forget-races',
    source: {
      file: 'lambdas/orders/cancel-order.lambda.ts',
      from: "'order cancelled', { orderId: loaded.id }",
      to: "'order cancelled', { order }",
    },
  },
  {
    name: 'a list leaves out what is sealed',
    scenario: 'forget-races',
    source: {
      file: 'lambdas/orders/order-list.ts',
      from: 'sealed: JSON.parse(String(sealed)),',
      to: 'sealed: {},',
    },
  },
  {
    name: "an order's reference is its correlation id as well, in plain text",
    scenario: 'forget-races',
    source: {
      file: 'lambdas/orders/place-order.lambda.ts',
      from: 'trace: traceOf(request),',
      to: 'trace: { ...traceOf(request), ...(body.clientReference ? { correlationId: body.clientReference } : {}) },',
    },
  },
  {
    name: 'the catalogue answers without reading whether a product is discontinued',
    scenario: 'discontinued-races',
    source: {
      file: 'lambdas/catalog/product-store.ts',
      from: "['listSk', 'unitPrice', 'discontinued']",
      to: "['listSk', 'unitPrice']",
    },
  },
  {
    name: 'an order is refused only if all of its products are discontinued',
    scenario: 'discontinued-races',
    source: {
      file: 'lambdas/catalog/domain/price-check.ts',
      from: 'if (discontinued.length > 0) {',
      to: 'if (discontinued.length === lines.length) {',
    },
  },
  {
    name: 'a product that is set again stays discontinued',
    scenario: 'discontinued-races',
    source: {
      file: 'lambdas/catalog/product-store.ts',
      from: '...(discontinued ? { discontinued } : {}),\n      version,',
      to: '...(discontinued || before?.discontinued ? { discontinued: true as const } : {}),\n      version,',
    },
  },
  {
    name: 'a refusal is written for the previous release without the field that says why',
    scenario: 'discontinued-races',
    source: {
      file: 'lambdas/orders/contract.ts',
      from: "? { reason: 'UNKNOWN_PRODUCT', discontinued: true }",
      to: "? { reason: 'UNKNOWN_PRODUCT' }",
    },
  },
  {
    name: 'an order that was confirmed is refused on a repeat, once its product is discontinued',
    scenario: 'discontinued-races',
    source: {
      file: 'lambdas/catalog/domain/price-check.ts',
      from: 'switch (check.status) {',
      to: `switch (lines.some(({ sku }) => offers.get(sku)?.discontinued) ? ('NONE' as PriceCheck['status']) : check.status) {`,
    },
  },
  {
    name: 'the record of a patch does not hold its answer',
    scenario: 'user-races',
    source: {
      file: `${KIT}/idempotent-receiver/change-state-once.ts`,
      from: 'claimOf(after?.version ?? 0, after && ({ ...after } as Item))',
      to: 'claimOf(after?.version ?? 0)',
    },
  },
  {
    name: 'a patch is committed without the record of its request',
    scenario: 'user-races',
    source: {
      file: `${KIT}/idempotent-receiver/change-state-once.ts`,
      from: 'await store.table.transact([claim, ...writes, ...alongside]);',
      to: 'await store.table.transact([...writes, ...alongside]);',
    },
  },
  {
    name: 'a new status loses the profile',
    scenario: 'user-races',
    source: {
      file: 'lambdas/users/domain/user.ts',
      from: 'return { ...kept, ...profile, status: event.data.newStatus };',
      to: 'return { ...kept, status: event.data.newStatus };',
    },
  },
  {
    name: 'a new profile makes a user active',
    scenario: 'user-races',
    source: {
      file: 'lambdas/users/domain/user.ts',
      from: 'return { ...kept, ...changed };',
      to: "return { ...kept, ...changed, status: 'ACTIVE' };",
    },
  },
  {
    name: 'a user is forgotten, and the data key stays',
    scenario: 'user-races',
    source: {
      file: 'lambdas/users/forget-user.ts',
      from: "alongside: [erasure(userId, 'customer')],",
      to: 'alongside: [],',
    },
  },
  {
    name: 'an order is admitted without a look at the status of its user',
    scenario: 'user-races',
    source: {
      file: 'lambdas/orders/admission.ts',
      from: "status === 'BLOCKED'",
      to: "(status as string) === ''",
    },
  },
  {
    name: 'orders take whichever status of a user came last',
    scenario: 'user-races',
    source: {
      file: 'lambdas/orders/user-copy.ts',
      from: 'return !copy || ordinalOf(position) >',
      to: 'return !copy || copy || ordinalOf(position) >',
    },
  },
  {
    name: 'a second change of a price in a basket forgets the price that was seen',
    scenario: 'basket-races',
    source: {
      file: 'lambdas/baskets/domain/basket.ts',
      from: 'const seen = line.oldUnitPrice ?? line.unitPrice;',
      to: 'const seen = line.unitPrice;',
    },
  },
  {
    name: 'a checkout orders lines of a basket that another one is ordering',
    scenario: 'basket-races',
    source: {
      file: 'lambdas/baskets/domain/basket.ts',
      from: 'lines.filter(({ checkedOut }) => checkedOut === undefined)',
      to: 'lines.filter(({ quantity }) => quantity > 0)',
    },
  },
  {
    name: 'an order takes every line out of its basket',
    scenario: 'basket-races',
    source: {
      file: 'lambdas/baskets/domain/basket.ts',
      from: 'lines.filter(({ checkedOut }) => checkedOut === orderId)',
      to: 'lines.filter(({ quantity }) => quantity > 0)',
    },
  },
  {
    name: 'a line of a basket that was changed stays marked as being ordered',
    scenario: 'basket-races',
    source: {
      file: 'lambdas/baskets/domain/basket.ts',
      from: '({ checkedOut: _, ...line }) => ({ ...line, quantity: set.quantity })',
      to: '(line) => ({ ...line, quantity: set.quantity })',
    },
  },
  {
    name: 'a checkout does not mark the lines of its basket',
    scenario: 'basket-races',
    source: {
      file: 'lambdas/baskets/check-out.ts',
      from: 'writes: baskets.checkOutWrites(current, customerId, orderId, trace),',
      to: 'writes: [],',
    },
  },
  {
    name: 'a removed line stays on the list of baskets that hold its product',
    scenario: 'basket-races',
    source: {
      file: 'lambdas/baskets/basket-store.ts',
      from: '...without(before.lines, lines).map((sku) => this.holderDelete(sku, customerId)),',
      to: '',
    },
  },
  {
    name: 'a page of baskets is resumed one late',
    scenario: 'price-rollout',
    source: {
      file: 'lambdas/baskets/basket-store.ts',
      from: 'customerIds: items.map(',
      to: 'customerIds: items.slice(after === undefined ? 0 : 1).map(',
    },
  },
  {
    name: 'the next page of baskets is not asked for',
    scenario: 'price-rollout',
    source: {
      file: 'lambdas/baskets/price-rollout.ts',
      from: 'commands: [{ to: basketsContract, command }],',
      to: 'commands: [],',
    },
  },
  {
    name: 'a basket that is read is not compared with the products',
    scenario: 'price-rollout',
    source: {
      file: 'lambdas/baskets/domain/basket.ts',
      from: 'return [...events, ...newerPrices(events.reduce(evolve, basket), command.customerId, products)];',
      to: 'return events;',
    },
  },
  {
    name: 'the lane decides without the records of its requests',
    scenario: 'lane-one',
    source: {
      file: `${KIT}/lane/round.ts`,
      from: '...parts.flatMap(({ claim, effect }) => [claim, ...effect]),',
      to: '...parts.flatMap(({ effect }) => effect),',
    },
  },
  {
    name: 'the lane changes the counter without a condition',
    scenario: 'lane-one',
    source: {
      file: `${KIT}/lane/round.ts`,
      from: "...shared.Update, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }",
      to: '...shared.Update, ConditionExpression: undefined }',
    },
  },
  {
    name: 'the lane decides for an order that was decided by a plain transaction',
    scenario: 'lane-one',
    source: {
      file: `${KIT}/event-store/folding-event-store.ts`,
      from: 'Item: commit, ConditionExpression: versionIsFree } };',
      to: 'Item: commit, ...(versionIsFree ? {} : {}) } };',
      only: /inventory\/on-lane/,
    },
  },
  {
    name: 'a request that the lane can not decide takes its round with it',
    scenario: 'lane-one',
    source: {
      file: `${KIT}/lane/round.ts`,
      from: 'duplicates.push(...known.map(',
      to: `if (other.length > 0) throw error;
        duplicates.push(...known.map(`,
    },
  },
  {
    name: 'a request that was decided before holds up those behind it',
    scenario: 'lane-one',
    source: {
      file: `${KIT}/lane/round.ts`,
      from: 'const rest = parts.filter((part) => !known.includes(part) && !other.includes(part));',
      to: 'const rest = parts.filter((part) => !other.includes(part));',
    },
  },
  {
    name: 'what the lane can not decide is dropped',
    scenario: 'lane-one',
    source: {
      file: `${KIT}/lane/writer.ts`,
      from: 'const returned = await this.giveBack(alone);',
      to: 'const returned = alone;',
    },
  },
  {
    name: 'a request that the lane returned is stored for it again',
    scenario: 'lane-one',
    source: {
      file: `${KIT}/lane/entrance.ts`,
      from: '!recorded && !returned && !replayed && !tooOld',
      to: '!recorded && !replayed && !tooOld && returned !== undefined',
    },
  },
  {
    name: 'requests that DynamoDB did not store count as stored',
    scenario: 'lane-one',
    source: {
      file: `${KIT}/lane/entrance.ts`,
      from: 'if (!left.has(sk)) stored.add(id);',
      to: 'if (left && sk) stored.add(id);',
    },
  },
  {
    name: 'the lane does not report what the queue did not take back',
    scenario: 'lane-one',
    source: {
      file: `${KIT}/lane/writer.ts`,
      from: 'return { batchItemFailures: [{ itemIdentifier }] };',
      to: 'return { batchItemFailures: [] };',
    },
  },
  {
    name: 'a request that was given up is recorded as an unpublished commit',
    scenario: 'lane-fails-26-hours',
    source: {
      file: `${KIT}/drains/drain-failed-batches.lambda.ts`,
      from: 'if (isRequest(record.dynamodb?.Keys?.sk?.S)) await keepRequest(record, condition);',
      to: 'if (isRequest(record.dynamodb?.Keys?.sk?.S) && !condition) await keepRequest(record, condition);',
    },
  },
  {
    name: 'a checkout is placed without a look at its customer',
    scenario: 'checkout-refused',
    source: { file: 'lambdas/orders/place-checked-out.ts', from: '...(rejection ? { rejection } : {}),', to: '' },
  },
  {
    name: 'a saga charges without a look at the status of its user',
    scenario: 'user-races',
    source: {
      file: 'lambdas/orders/reviews.ts',
      from: 'if (!copy || !isDoubtful(copy.status)) return undefined;\n  return {',
      to: 'if (!copy || copy || !isDoubtful(copy.status)) return undefined;\n  return {',
    },
  },
  {
    name: 'an order under review is not in the list of reviews',
    scenario: 'user-races',
    source: {
      file: 'lambdas/orders/reviews.ts',
      from: 'return [write, beginReviewWrite(table, customerId, id), copyCheck(table, customerId, copy)];',
      to: 'return [write, copyCheck(table, customerId, copy)];',
    },
  },
  {
    name: 'a cancelled order stays in the list of reviews',
    scenario: 'review-races',
    source: {
      file: 'lambdas/orders/cancel-order.lambda.ts',
      from: 'alongside: () => ({ writes: leaves }),',
      to: 'alongside: () => ({ writes: leaves.slice(0, 0) }),',
    },
  },
  {
    name: 'an order is dispatched without a look at the status of its user',
    scenario: 'review-races',
    source: {
      file: 'lambdas/orders/reviews.ts',
      from: 'if (copy && isDoubtful(copy.status)) throw new NeedsReview();\n  return copyCheck(table, order.customerId, copy);',
      to: 'return copy && undefined;',
    },
  },
  {
    name: 'a paid order is not active: no review finds it',
    scenario: 'review-races',
    source: {
      file: 'lambdas/orders/on-user-judged.ts',
      from: 'APPROVED: false,',
      to: 'APPROVED: true,',
    },
  },
  {
    name: 'a review of a paid order leads back to PENDING',
    scenario: 'review-races',
    source: {
      file: 'lambdas/orders/domain/order.ts',
      from: "order.paid ? 'APPROVED' : 'PENDING';",
      to: "'PENDING' as 'APPROVED' | 'PENDING';",
    },
  },
  {
    name: 'a paid order that its review rejects is not cancelled',
    scenario: 'review-races',
    source: {
      file: 'lambdas/orders/domain/order.ts',
      from: "if (order.paid) return [ended, { type: 'OrderCancelled', data: { orderId, customerId } }];",
      to: '',
    },
  },
  {
    name: 'the orders of a blocked user are released',
    scenario: 'review-races',
    source: {
      file: 'lambdas/orders/on-user-judged.ts',
      from: '(isDoubtful(newStatus) ? fan.review() : fan.release())',
      to: "(isDoubtful(newStatus) && newStatus !== 'BLOCKED' ? fan.review() : fan.release())",
    },
  },
  {
    name: 'a timeout ends the pause of a saga that is held for a review',
    scenario: 'user-races',
    source: {
      file: `${KIT}/saga/saga.ts`,
      from: "isGoing(state) && !isHeld(state) && state.status !== 'STUCK' && now >= state.waiting.again;",
      to: "isGoing(state) && state.status !== 'STUCK' && now >= state.waiting.again;",
    },
  },
  {
    name: 'a rejected review releases the saga',
    scenario: 'user-races',
    source: {
      file: 'lambdas/orders/domain/create-order.ts',
      from: "outcome === 'REJECTED' ? { type: 'Cancel' } : { type: 'Release' }",
      to: "outcome === 'REJECTED' ? { type: 'Release' } : { type: 'Release' }",
    },
  },
  {
    name: 'an order that is under review already is charged when its saga asks',
    scenario: 'user-races',
    source: {
      file: 'lambdas/orders/reviews.ts',
      from: "if (order.state.status === 'UNDER_REVIEW') return { next: 'hold', writes: [isUnchanged] };",
      to: "if ((order.state.status as string) === '') return { next: 'hold', writes: [isUnchanged] };",
    },
  },
  {
    name: 'the address of an order is compared with none',
    scenario: 'user-races',
    source: {
      file: 'lambdas/orders/reviews.ts',
      from: 'rules.otherAddress ? addressesOf(people, table, order) : {}',
      to: 'rules.otherAddress ? {} : addressesOf(people, table, order)',
    },
  },
  {
    name: 'a customer reads the reasons of a review and the note of its operator',
    scenario: 'user-races',
    source: {
      file: 'lambdas/orders/order-history.lambda.ts',
      from: 'const entries = historyFor(caller, page.items);',
      to: "const entries = historyFor({ ...caller, role: 'operator' }, page.items);",
    },
  },
  {
    name: 'a refund takes back the full units of its part, not the difference',
    scenario: 'rewards-in-order',
    source: {
      file: 'lambdas/rewards/domain/entries.ts',
      from: 'points: pointsOf(after) - pointsOf(before), orderId',
      to: 'points: Math.sign(change) * pointsOf({ ...after, amount: amount.amount }), orderId',
    },
  },
  {
    name: 'a standing is that of its newest entry alone',
    scenario: 'rewards-in-order',
    source: {
      file: 'lambdas/rewards/rewards-store.ts',
      from: 'standingAfter(loaded.standing, counted.entry, tiers)',
      to: 'standingAfter(initialStanding, counted.entry, tiers)',
    },
  },
  {
    name: 'a page of rewards shows its newest entry only',
    scenario: 'rewards-in-order',
    source: {
      file: 'lambdas/rewards/rewards-view.ts',
      from: 'entries: found.slice(0, limit).map(',
      to: 'entries: found.slice(0, 1).map(',
    },
  },
  {
    name: 'refunds take back no points',
    scenario: 'rewards-in-order',
    source: {
      file: 'lambdas/rewards/on-account-event.ts',
      from: 'AccountRefunded: counted,',
      to: 'AccountRefunded: ignored,',
    },
  },
  {
    name: 'a redriven message of an inbox keeps its attempts',
    scenario: 'rewards-held-back',
    source: {
      file: `${KIT}/inbox/stored-messages.ts`,
      from: 'const { pk, fence: _, ...fields } = this.itemOf(message, payload);',
      to: 'const { pk, fence: _, attempts: __, ...fields } = this.itemOf(message, payload);',
    },
  },
  {
    name: 'a redriven message that was never stored gets no place',
    scenario: 'rewards-held-back',
    source: {
      file: `${KIT}/inbox/sequenced-messages.ts`,
      from: "if ((await super.retry(message, payload, confirmed)) === 'stored') return 'stored';",
      to: 'if (message) return super.retry(message, payload, confirmed);',
    },
  },
  {
    name: 'a message that failed for good is passed over',
    scenario: 'rewards-held-back',
    source: {
      file: `${KIT}/inbox/sequential-runner.ts`,
      from: "if (awaited?.status === 'DISCARDED' && isNext(placeOf(awaited), cursor)) {",
      to: "if (awaited?.status !== undefined && awaited.status !== 'PENDING' && isNext(placeOf(awaited), cursor)) {",
    },
  },
  {
    name: 'a report leaves out the events that came late',
    scenario: 'daily-reports',
    source: {
      file: 'lambdas/reports/on-day.ts',
      from: 'tallyOf(messages)',
      to: 'tallyOf(messages.filter(({ lateFrom }) => lateFrom === undefined))',
    },
  },
  {
    name: 'a late event names the day in which it is counted',
    scenario: 'daily-reports',
    source: {
      file: `${KIT}/inbox/collected-messages.ts`,
      from: '{ lateFrom: own }',
      to: '{ lateFrom: window }',
    },
  },
  {
    name: 'a report is written before the end of its day is committed',
    scenario: 'daily-reports',
    source: {
      file: 'lambdas/reports/on-day.ts',
      from: 'return { decide: async () => [reportWrite(table, reportOf(day, tally))] };',
      to: `await table.transact([reportWrite(table, reportOf(day, tally))]);
    return { decide: async () => [] };`,
    },
  },
  {
    name: 'a page of a day is resumed one late',
    scenario: 'daily-reports',
    source: {
      file: `${KIT}/inbox/batch-runner.ts`,
      from: 'let page = window.done + 1; page <= pages',
      to: 'let page = window.done + (window.done > 0 ? 2 : 1); page <= pages',
    },
  },
  {
    name: 'the last page of a day is not in its report',
    scenario: 'daily-reports',
    source: {
      file: 'lambdas/reports/report-store.ts',
      from: "':last': pageSk(pages) }",
      to: "':last': pageSk(--pages) }",
    },
  },
  {
    name: 'a day with one event does not count in the numbers',
    scenario: 'daily-reports',
    source: {
      file: `${KIT}/inbox/collected-messages.ts`,
      from: "ExpressionAttributeValues: { ':next': next, ':number': number, ':window': window.id },",
      to: "ExpressionAttributeValues: { ':next': next, ':number': window.size !== 1 ? number : closed, ':window': window.id },",
    },
  },
  {
    name: 'each command of a step that fails is a failure of its own',
    scenario: 'stuck',
    source: {
      file: `${KIT}/failures/step-failures.ts`,
      from: "first?.status === 'FAILED' && seen",
      to: "first?.status === 'PENDING' && seen",
    },
  },
  {
    name: 'an aggregate is loaded as it was a moment ago',
    scenario: 'place-one',
    source: {
      file: `${KIT}/event-store/dynamodb-event-store.ts`,
      from: 'ConsistentRead: true',
      to: 'ConsistentRead: false',
    },
  },
  {
    name: "after a refusal, the session of a request's number is read as it was a moment ago",
    scenario: 'numbers',
    source: {
      file: `${KIT}/idempotent-receiver/session.ts`,
      from: 'ConsistentRead: true',
      to: 'ConsistentRead: false',
    },
  },
  {
    name: "a person's key is read as it was a moment ago",
    scenario: 'forget-at-once',
    source: {
      file: `${KIT}/personal-data/personal-keys.ts`,
      from: /ConsistentRead: true/g,
      to: 'ConsistentRead: false',
    },
  },
  {
    name: 'a rebuild compares with the rows of a moment ago',
    scenario: 'rebuild-behind-feed',
    source: { file: `${KIT}/projection/replay.ts`, from: 'ConsistentRead: true', to: 'ConsistentRead: false' },
  },
  {
    name: 'a row is put into the version that is read before the one that is built',
    scenario: 'rebuild-switches',
    source: {
      file: `${KIT}/projection/versions.ts`,
      from: 'builds === undefined ? [reads] : [builds, reads]',
      to: 'builds === undefined ? [reads] : [reads, builds]',
    },
  },
  {
    name: 'the drain of a failed batch ends after its first record',
    scenario: 'relay-behind-a-day',
    source: {
      file: `${KIT}/drains/drain-failed-batches.lambda.ts`,
      from: 'of payload?.Records ?? []) {',
      to: 'of (payload?.Records ?? []).slice(0, 1)) {',
    },
  },
  {
    name: 'a redrive that fails for a passing reason counts as a duplicate',
    scenario: 'redrive-once',
    source: {
      file: `${KIT}/idempotent-consumer/process-once.ts`,
      from: 'if (!recorded && (await records.has(message)))',
      to: 'if (await records.has(message))',
    },
  },
  {
    name: 'orders that an account decides together do not see one another',
    scenario: 'account-lane-one',
    source: {
      file: 'lambdas/accounts/command-on-order.ts',
      from: 'const state = { account: account.state, ',
      to: 'const state = { account: loaded.state, ',
    },
  },
  {
    name: 'messages about one order that are decided together do not see one another',
    scenario: 'account-lane-orders',
    source: {
      file: 'lambdas/accounts/command-on-order.ts',
      from: 'const order = orderIn(present, orderId);',
      to: 'const order = orderIn(orders, orderId);',
    },
  },
  {
    name: 'what is decided together has the cause of the first message',
    scenario: 'account-lane-one',
    source: {
      file: 'lambdas/accounts/command-on-order.ts',
      from: 'accountStore.commit(account, events, trace);',
      to: 'accountStore.commit(account, events, requests[0]?.trace ?? trace);',
    },
  },
  {
    name: 'a lane of several consumers returns a request to all of them',
    scenario: 'account-lane-one',
    source: {
      file: `${KIT}/lane/writer.ts`,
      from: '(request) => request.consumer.name === consumer',
      to: '() => consumer.length > 0',
    },
  },
  {
    name: 'the lane decides on an account that another transaction has changed',
    scenario: 'account-lane-orders',
    source: {
      file: `${KIT}/event-store/folding-event-store.ts`,
      from: 'Item: commit, ConditionExpression: versionIsFree } };',
      to: 'Item: commit, ...(versionIsFree ? {} : {}) } };',
      only: /accounts\/on-lane/,
    },
  },
  {
    name: 'an event of a snapshot is folded a second time',
    scenario: 'long-life',
    source: {
      file: `${KIT}/event-store/folding-event-store.ts`,
      from: 'if (next <= version || next > upTo) continue;',
      to: 'if (next < version || next > upTo) continue;',
    },
  },
  {
    name: 'a state at a time leaves out the commit of that very time',
    scenario: 'long-life',
    source: {
      file: `${KIT}/event-store/folding-event-store.ts`,
      from: '(commit) => commit.at <= at);',
      to: '(commit) => commit.at < at);',
    },
  },
  {
    name: 'credit is not given to its last cent',
    scenario: 'credit-races',
    source: {
      file: 'lambdas/accounts/domain/account.ts',
      from: 'if (amount > availableOf(account)) return',
      to: 'if (amount >= availableOf(account)) return',
    },
  },
  {
    name: 'the relay reports the last record that it could not send, not the first',
    scenario: 'relay-catches-up',
    source: {
      file: `${KIT}/outbox/relay.lambda.ts`,
      from: 'firstUnsent = Math.min(firstUnsent, at);',
      to: 'firstUnsent = at;',
    },
  },
  {
    name: 'a key that comes with another change gets the earlier answer',
    scenario: 'keys',
    source: {
      file: `${KIT}/idempotent-receiver/change-once.ts`,
      from: 'if (!isSameRequest(record, requestHash)) record.refuseReused();',
      to: '',
    },
  },
  {
    name: 'a repeat opens a session that has ended',
    scenario: 'numbers',
    source: {
      file: `${KIT}/idempotent-receiver/numbered-session.ts`,
      from: '`${isOpen} AND ${isLater}`',
      to: '`(${isOpen} OR attribute_exists(pk)) AND ${isLater}`',
    },
  },
  {
    name: 'a session that has moved on is moved back',
    scenario: 'numbered-cancellations',
    source: {
      file: `${KIT}/idempotent-receiver/numbered-session.ts`,
      from: "'answeredUpTo = :seen'",
      to: "'answeredUpTo >= :seen'",
    },
  },
  {
    name: 'a timer that the queue refuses for a moment is given up',
    scenario: 'answers-late',
    source: {
      file: `${KIT}/timers/timer-dispatcher.ts`,
      from: 'if (SenderFault && pk !== undefined)',
      to: 'if (pk !== undefined)',
    },
  },
  {
    name: 'a redriven message of an inbox stays in the list of failures',
    scenario: 'rewards-held-back',
    source: {
      file: `${KIT}/inbox/stored-messages.ts`,
      from: /remove: \[\n *'failedConsumer',/,
      to: 'remove: [',
    },
  },
  {
    name: 'rewards hear of no settlement, which has its place in the order of events',
    scenario: 'rewards-in-order',
    resource: properties(
      'AWS::Events::Rule',
      /^AccountEventsAccountsEvents/,
      replaced('"CreditSettled"', '"CreditSettlement"'),
    ),
  },
  {
    name: 'a patch of a profile does not look at If-Match',
    scenario: 'if-match',
    source: {
      file: 'lambdas/users/patch-profile.ts',
      from: 'refuseOtherVersion(ifMatch, user?.version ?? 0);',
      to: '',
    },
  },
  {
    name: 'an older event of a product replaces a newer one in a race',
    scenario: 'price-races',
    source: {
      file: 'lambdas/baskets/products.ts',
      from: 'Item, ConditionExpression: isAsRead, ...values } } };',
      to: 'Item, ...(isAsRead && values ? {} : {}) } } };',
    },
  },
  {
    name: 'a type or a version of a newer release fails at once',
    scenario: 'poison',
    source: {
      file: `${KIT}/failures/failure-kinds.ts`,
      from: 'return !NEWER.has(error.code);',
      to: 'return true;',
    },
  },
  {
    name: "a step's failure is a repeat of one that an operator has ended",
    scenario: 'participant-fails-26-hours',
    source: {
      file: `${KIT}/failures/step-failures.ts`,
      from: "first?.status === 'FAILED' && seen",
      to: 'first !== undefined && seen',
    },
  },
  {
    name: 'a page of a history is resumed one event late',
    scenario: 'long-life',
    source: {
      file: `${KIT}/event-store/folding-event-store.ts`,
      from: 'shown: version - 1 } };',
      to: 'shown: version } };',
    },
  },
  {
    name: "the room for a day's refunds leaves out the refund itself",
    scenario: 'refund-limit',
    source: {
      file: 'lambdas/payments/daily-limits.ts',
      from: "':room': refundedPerDay - amount",
      to: "':room': refundedPerDay",
    },
  },
  {
    name: 'a key that is in use at Stripe counts as a refusal',
    scenario: 'pay-trouble-at-stripe',
    source: {
      file: 'lambdas/payments/provider/stripe-provider.ts',
      from: '[0, 401, 403, 409].includes(statusCode)',
      to: '[0, 401, 403].includes(statusCode)',
    },
  },
  {
    name: 'a day closes at its end, without its time of grace',
    scenario: 'daily-reports',
    source: {
      file: `${KIT}/inbox/collected-messages.ts`,
      from: 'after(windows.endOf(window), graceSeconds)',
      to: 'after(windows.endOf(window), 0 * graceSeconds)',
    },
  },
  {
    name: 'a year of points has a day too many',
    scenario: 'rewards-in-order',
    source: {
      file: 'lambdas/rewards/domain/standing.ts',
      from: 'daysAfter(day, 1 - YEAR)',
      to: 'daysAfter(day, -YEAR)',
    },
  },
  {
    name: 'a page of a list behind a cursor does not see that there are more',
    scenario: 'twenty-orders',
    source: {
      file: 'lambdas/orders/order-list.ts',
      from: '{ limit: limit + 2 }',
      to: '{ limit: limit + 1 }',
    },
  },
  {
    name: 'a basket with two currencies is checked out',
    scenario: 'checkout-refused',
    source: {
      file: 'lambdas/baskets/domain/checkout.ts',
      from: '(line) => line.unitPrice.currency !== currency,',
      to: '(line) => line.unitPrice.currency === undefined,',
    },
  },
  {
    name: 'the delivery audit says what is missing, and sends nothing',
    scenario: 'audited',
    source: {
      file: `packages/operator/auditor/resent.ts`,
      from: /, \{ Put: \{ TableName: table, Item \} \}(\] \}\),\n {4}\);)\n {4}await transports\.send\(.*\);/,
      to: '$1\n    void [table, Item, transports, this.bodyOf(delivery, from)];',
    },
  },
  {
    name: 'the delivery audit sends what is missing to everybody',
    scenario: 'audited',
    source: {
      file: `packages/operator/auditor/resent.ts`,
      from: "    await transports.send(listener.consumer?.queueUrl ?? '', this.bodyOf(delivery, from));",
      to: '    for (const { consumers } of this.options.services) for (const { queueUrl } of consumers) await transports.send(queueUrl, this.bodyOf(delivery, from));',
    },
  },
  {
    name: 'the delivery audit leaves out the sagas',
    scenario: 'audited',
    source: {
      file: `packages/operator/audit/deliveries.ts`,
      from: '(({ name }) => consumer === undefined || name === consumer)',
      to: "(({ name }) => name !== 'orders-saga' && (consumer === undefined || name === consumer))",
      only: /^kit\/operator\/auditor/,
    },
  },
  {
    name: 'the delivery audit moves its watermark before it has judged the page',
    scenario: 'audited',
    source: {
      file: `packages/operator/auditor/auditor.ts`,
      from: '      const judgedUntil = await this.judged(service, entries);\n',
      to: '      const judgedUntil = entries.at(-1)?.feedSk; if (judgedUntil) yield { judgedUntil, commits: 1000 }; await this.judged(service, entries);\n',
    },
  },
  {
    name: 'the delivery audit counts what is pending as processed',
    scenario: 'audited-late',
    source: {
      file: `packages/operator/auditor/auditor.ts`,
      from: 'if (its.some(({ isOpen }) => isOpen) ||',
      to: "if (its.some(({ state }) => state === 'too new') ||",
    },
  },
  {
    name: 'a message of an inbox that has ended is stored again when it comes again',
    scenario: 'rewards-in-order',
    source: {
      file: `${KIT}/aws/dynamodb.ts`,
      from: "        ConditionExpression: 'attribute_not_exists(pk)',\n",
      to: '',
      only: /inbox\/receive/,
    },
  },
];
