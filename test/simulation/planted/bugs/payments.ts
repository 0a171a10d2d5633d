import { bugsIn, type PlantedBug } from '../bug.js';

const dailyLimits = bugsIn('lambdas/payments/daily-limits.ts');
const payment = bugsIn('lambdas/payments/domain/payment.ts');
const steps = bugsIn('lambdas/payments/domain/steps.ts');
const onceAtProvider = bugsIn('lambdas/payments/call-provider-once.ts');
const payers = bugsIn('lambdas/payments/payers.ts');
const paymentStore = bugsIn('lambdas/payments/payment-store.ts');
const providerConsumer = bugsIn('lambdas/payments/provider-consumer.ts');
const stripeProvider = bugsIn('lambdas/payments/provider/stripe-provider.ts');
const requestPayment = bugsIn('lambdas/payments/request-payment.lambda.ts');
const onOrderEvent = bugsIn('lambdas/payments/on-order-event.ts');

export const PAYMENTS: readonly PlantedBug[] = [
  dailyLimits('the limit of refunds is not in the condition of the write', 'refund-limit', {
    from: "'attribute_not_exists(refunds) OR refunds < :most'",
    to: "'attribute_not_exists(refunds) OR refunds < :most OR refunds >= :most'",
  }),
  dailyLimits("the room for a day's refunds leaves out the refund itself", 'refund-limit', {
    from: "':room': refundedPerDay - amount",
    to: "':room': refundedPerDay",
  }),
  payment('a refund looks at the charge, not at what is left of it', 'pay-once', {
    from: 'if (left === 0 || amount.amount > left)',
    to: 'if (amount.amount > charged.amount)',
  }),
  payment('what is charged after its undoing was asked for is kept', 'charge-one', {
    from: 'if (voidFor === undefined) return [charged, ...replyToStep(payment, stepId)];',
    to: 'if (voidFor !== stepId) return [charged, ...replyToStep(payment, stepId)];',
  }),
  payment('a refund that was refused for good is retried under its old id', 'refund-refused', {
    from: '{ refundId: again, amount',
    to: '{ refundId, amount',
  }),
  payment('a refund that failed is made again although another one was made since', 'refund-refused', {
    from: `  if (later.some(({ status }) => status !== 'FAILED')) throw new PaymentRefused('REFUNDED_SINCE');
`,
    to: '',
  }),
  steps('an undoing that comes first leaves no tombstone', 'charge-one', {
    from: "[{ type: 'PaymentVoided', data: { paymentId } }, createReply(data)]",
    to: '[createReply(data)]',
  }),
  steps('a charge that may be under way is taken for one that will never be', 'charge-one', {
    from: "return [requested, ...replyToStep(payment, payment.stepId, 'VOIDED')];",
    to: "return [{ type: 'PaymentDeclined', data: { paymentId, reason: 'VOIDED' } }, createReply(data)];",
  }),
  steps('an undoing is answered before the money is back', 'charge-one', {
    from: '[requested, ...refundRemaining(payment)]',
    to: '[requested, ...refundRemaining(payment), createReply(data)]',
  }),
  onceAtProvider('a provider that has forgotten its keys is not asked what it did', 'pay-three-days-later', {
    from: 'if (mayBeForgotten) {',
    to: 'if (mayBeForgotten && !since) {',
  }),
  onceAtProvider(
    'a failure of the provider is tried again under another key, without asking what it did',
    'pay-trouble',
    {
      from: 'if (!(error instanceof ProviderUndecided)) throw error;\n      const done = await ask();',
      to: `if (!(error instanceof ProviderUndecided)) throw error;
      const done = number === MAX_KEYS ? await ask() : undefined;`,
    },
  ),
  payers(
    'a declined charge counts in a transaction of its own, before the payment ends: once for each attempt',
    'payer-races',
    {
      from: `    return this.changeWrites({ type: 'CountDecline', customerId }, trace);`,
      to: `    return this.changeWrites({ type: 'CountDecline', customerId }, trace).then(async (writes) => {
      await this.store.table.transact(writes);
      return [];
    });`,
    },
  ),
  payers('the first payment method of a payer is a change', 'payer-races', {
    from: `    return stored ? [put, ...(await this.changeWrites({ type: 'NoteMethodChange', customerId }, trace))] : [put];`,
    to: `    return [put, ...(await this.changeWrites({ type: 'NoteMethodChange', customerId }, trace))];`,
  }),
  paymentStore('a payment is shown to whoever asks', 'read-one', {
    from: "view && (role === 'operator' || view.customerId === id) ? view : refuseUnknownPayment()",
    to: 'view ?? refuseUnknownPayment()',
  }),
  providerConsumer("the provider's key is made of the attempt, not of the business id", 'pay-once', {
    from: 'provider.refund({ key, providerId',
    to: 'provider.refund({ key: key + clock.now(), providerId',
  }),
  providerConsumer(
    'an undoing asks the provider whether it charged, and does not end what it may still charge',
    'undo-at-18-of-1000',
    {
      from: 'provider.cancel({ key, providerId }).catch(',
      to: "ask().then((done) => done ?? ({ status: 'DECLINED', reason: 'VOIDED' } as const)).catch(",
    },
  ),
  providerConsumer('a refund that was refused for good is published as made', 'refund-refused', {
    from: "type: status === 'REFUNDED' ? 'Refund' : 'FailRefund'",
    to: "type: status ? 'Refund' : 'FailRefund'",
  }),
  providerConsumer('a refund that was refused for good is in no list', 'refund-refused', {
    from: 'if (!redriven) throw new RefundRefused(',
    to: `if (!redriven) return [paymentStore.toWrite(payment, [], trace)];
  if (!paymentId) throw new RefundRefused(`,
  }),
  providerConsumer('a charge that was declined before its payment was undone does not count', 'undo-at-19-of-40200', {
    from: `  const isDeclined = command.type === 'Decline' && isDeclinedCharge(command.reason);
  return event?.type === 'PaymentDeclined' && isDeclined ?`,
    to: `  return command.type === 'Decline' && event?.type === 'PaymentDeclined' && isDeclinedCharge(event.data.reason) ?`,
  }),
  stripeProvider('a key that is in use at Stripe counts as a refusal', 'pay-trouble-at-stripe', {
    from: '[0, 401, 403, 409].includes(statusCode)',
    to: '[0, 401, 403].includes(statusCode)',
  }),
  requestPayment(`a payment is charged to an account that is not the caller's`, 'pay-once', {
    from: `  if (body.accountId !== caller.id) throw new Problem('not-found', 'no account has this id');
`,
    to: '',
  }),
  onOrderEvent('payments undo what a saga under way will undo', 'cancel-races', {
    from: 'isLeftToSaga(data)',
    to: 'false',
  }),
];
