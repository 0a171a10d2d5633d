import type { PlantedBug } from './bugs.js';

/** Mistakes that a reviewer made on purpose without knowing the search, and that the search did not find then. */
export const REVIEWED_BUGS: readonly PlantedBug[] = [
  {
    name: 'a page that DynamoDB cuts short is taken for the last one',
    scenario: 'twenty-orders',
    source: {
      file: 'packages/kit/aws/reading.ts',
      from: 'while (next && items.length < limit && called < calls);',
      to: 'while (next && items.length === limit && called < calls);\n  if (items.length < limit) next = undefined;',
      only: /orders\/list-orders/,
    },
  },
  {
    name: 'the delivery audit skips the rest of an hour behind its first page',
    scenario: 'audited',
    source: {
      file: 'packages/operator/auditor/auditor.ts',
      from: 'if (isWhole || newest === undefined) {',
      to: "if (isWhole || newest !== '') {",
    },
  },
  {
    name: 'the relay goes on when the failure record of a commit that the bus will never take could not be written',
    scenario: 'bus-refuses',
    source: {
      file: 'packages/kit/outbox/relay.lambda.ts',
      from: '    await failures.put(failureOf(record, error));',
      to: `    await failures
      .put(failureOf(record, error))
      .catch((refused) => logger.warn('the failure could not be recorded', describeError(refused)));`,
    },
  },
  {
    name: 'a change of the price of a discontinued product says that it is sold again',
    scenario: 'discontinued-races',
    source: {
      file: 'lambdas/catalog/domain/product.ts',
      from: 'data: { sku, name, unitPrice, ...was, oldUnitPrice }',
      to: 'data: { sku, name, unitPrice, oldUnitPrice }',
    },
  },
  {
    name: 'a refused change of a state is not compared with an earlier success of the same request',
    scenario: 'keys',
    source: {
      file: 'packages/kit/idempotent-receiver/change-state-once.ts',
      from: `    const earlier = await record.find();
    if (earlier) return earlierAnswer(earlier);
    throw error;`,
      to: '    throw error;',
    },
  },
  {
    name: 'a request that is stored for the lane again makes the same item whenever that is, so the stream does not show it',
    scenario: 'hot-orders:losses',
    source: {
      file: 'packages/kit/lane/request-item.ts',
      from: `    storedIn: now.slice(0, 'yyyy-mm-ddThh'.length),`,
      to: `    storedIn: message.time.slice(0, 'yyyy-mm-ddThh'.length),`,
    },
  },
  {
    name: 'an answer that comes after its compensation was called stuck is ignored',
    scenario: 'stuck',
    source: {
      file: 'packages/kit/saga/saga.ts',
      from: `    if (outcome === 'DONE') this.undone({ step, at: now });`,
      to: `    if (outcome === 'DONE' && state.status === 'COMPENSATING') this.undone({ step, at: now });`,
    },
  },
  {
    name: 'an order is cancelled by whoever knows its id',
    scenario: 'cancel-races',
    source: {
      file: 'lambdas/orders/cancel-order.lambda.ts',
      from: '    admit: (order) => void visibleTo(caller, order),',
      to: '    admit: () => undefined,',
    },
  },
  {
    name: 'an order whose review ended because its user was active again is never reviewed again',
    scenario: 'user-races',
    source: {
      file: 'lambdas/orders/domain/order.ts',
      from: `...(outcome === 'RELEASED' ? {} : { review: outcome })`,
      to: '...{ review: outcome }',
    },
  },
  {
    name: 'a lane rejects every order behind the first one that does not fit',
    scenario: 'lane-races',
    source: {
      file: 'lambdas/inventory/domain/allotment.ts',
      from: '    if (quantity > left) return false;',
      to: `    if (quantity > left) {
      left = 0;
      return false;
    }`,
    },
  },
  {
    name: 'a return that comes before the approval is not counted',
    scenario: 'dispatch-races',
    source: {
      file: 'lambdas/accounts/domain/authorization.ts',
      from: `  return [...approval, ...refund(approval.reduce(evolve, state), { type: 'RefundAccount', data: step })];`,
      to: `  return refund(state, { type: 'RefundAccount', data: step });`,
    },
  },
  {
    name: `a payment is charged to an account that is not the caller's`,
    scenario: 'pay-once',
    source: {
      file: 'lambdas/payments/request-payment.lambda.ts',
      from: `  if (body.accountId !== caller.id) throw new Problem('not-found', 'no account has this id');
`,
      to: '',
    },
  },
  {
    name: 'a refund that failed is made again although another one was made since',
    scenario: 'refund-refused',
    source: {
      file: 'lambdas/payments/domain/payment.ts',
      from: `  if (later.some(({ status }) => status !== 'FAILED')) throw new PaymentRefused('REFUNDED_SINCE');
`,
      to: '',
    },
  },
  {
    name: 'failures of one step of different sagas count as repeats of one failure',
    scenario: 'participant-fails-26-hours',
    source: {
      file: 'packages/kit/messages/envelope.ts',
      from: `\`\${source}/\${to}/\${type}/\${data.stepId}\` : undefined`,
      to: `\`\${source}/\${to}/\${type}/\${data.stepId.split('/').at(1)}\` : undefined`,
    },
  },
  {
    name: `a price that arrives with the customer's confirmation counts as seen`,
    scenario: 'price-rollout',
    source: {
      file: 'lambdas/baskets/domain/basket.ts',
      from: `  const events = own(basket, command, products);
  return [...events, ...newerPrices(events.reduce(evolve, basket), command.customerId, products)];`,
      to: `  const newer = newerPrices(basket, command.customerId, products);
  return [...newer, ...own(newer.reduce(evolve, basket), command, products)];`,
    },
  },
  {
    name: 'a key that comes with another patch of the same fields gets the earlier answer',
    scenario: 'if-match',
    source: {
      file: 'lambdas/users/patch-profile.ts',
      from: `  if (replayed && profile !== 'forgotten' && !sameJson(profile as Json, merged(profile, patch))) record.refuseReused();
`,
      to: '',
    },
  },
  {
    name: 'a declined charge counts in a transaction of its own, before the payment ends: once for each attempt',
    scenario: 'payer-races',
    source: {
      file: 'lambdas/payments/payers.ts',
      from: `    return this.changeWrites({ type: 'CountDecline', customerId }, trace);`,
      to: `    return this.changeWrites({ type: 'CountDecline', customerId }, trace).then(async (writes) => {
      await this.store.table.transact(writes);
      return [];
    });`,
    },
  },
  {
    name: 'the first payment method of a payer is a change',
    scenario: 'payer-races',
    source: {
      file: 'lambdas/payments/payers.ts',
      from: `    return stored ? [put, ...(await this.changeWrites({ type: 'NoteMethodChange', customerId }, trace))] : [put];`,
      to: `    return [put, ...(await this.changeWrites({ type: 'NoteMethodChange', customerId }, trace))];`,
    },
  },
  {
    name: 'a charge that was declined before its payment was undone does not count',
    scenario: 'undo-at-19-of-40200',
    source: {
      file: 'lambdas/payments/provider-consumer.ts',
      from: `  const isDeclined = command.type === 'Decline' && isDeclinedCharge(command.reason);
  return event?.type === 'PaymentDeclined' && isDeclined ?`,
      to: `  return command.type === 'Decline' && event?.type === 'PaymentDeclined' && isDeclinedCharge(event.data.reason) ?`,
    },
  },
  {
    name: 'two publishers that give their events one id are one publisher',
    scenario: 'daily-reports',
    source: {
      file: 'packages/kit/messages/envelope.ts',
      from: 'isUuid(id) || to ===',
      to: 'id.length > 0 || to ===',
    },
  },
];
