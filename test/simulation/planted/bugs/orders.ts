import { bugsIn, type PlantedBug } from '../bug.js';

const admission = bugsIn('lambdas/orders/admission.ts');
const cancelOrder = bugsIn('lambdas/orders/cancel-order.lambda.ts');
const contract = bugsIn('lambdas/orders/contract.ts');
const createOrder = bugsIn('lambdas/orders/domain/create-order.ts');
const order = bugsIn('lambdas/orders/domain/order.ts');
const onSagaMessage = bugsIn('lambdas/orders/on-saga-message.ts');
const onUserJudged = bugsIn('lambdas/orders/on-user-status-changed.ts');
const orderHistory = bugsIn('lambdas/orders/order-history.lambda.ts');
const orderList = bugsIn('lambdas/orders/order-list.ts');
const orderSummary = bugsIn('lambdas/orders/domain/order-summary.ts');
const orderStore = bugsIn('lambdas/orders/order-store.ts');
const placeCheckedOut = bugsIn('lambdas/orders/place-checked-out.ts');
const placeOrder = bugsIn('lambdas/orders/place-order.lambda.ts');
const reviews = bugsIn('lambdas/orders/reviews.ts');
const userCopy = bugsIn('lambdas/orders/user-copy.ts');

export const ORDERS: readonly PlantedBug[] = [
  cancelOrder('a cancellation is logged as it is answered', 'forget-races', {
    from: "'order cancelled', { orderId: loaded.id }",
    to: "'order cancelled', { order }",
  }),
  cancelOrder('a cancelled order stays in the list of reviews', 'review-races', {
    from: 'alongside: () => ({ writes: leaves }),',
    to: 'alongside: () => ({ writes: leaves.slice(0, 0) }),',
  }),
  cancelOrder('an order is cancelled by whoever knows its id', 'cancel-races', {
    from: '    admit: (order) => void requireVisible(caller, order),',
    to: '    admit: () => undefined,',
  }),
  contract('a refusal is written for the previous release without the field that says why', 'discontinued-races', {
    from: "? { reason: 'UNKNOWN_PRODUCT', discontinued: true }",
    to: "? { reason: 'UNKNOWN_PRODUCT' }",
  }),
  createOrder('an order is approved without looking whether it was cancelled meanwhile', 'cancel-at-80-of-approval', {
    from: "command.type === 'Approve' && (order.status === 'CANCELLED' || order.status === 'REJECTED')",
    to: "command.type === 'Approve' && (order.status as string) === ''",
  }),
  order('a cancellation does not say that the saga is under way', 'cancel-races', {
    from: '(isUnderWay(order) ? { underWay: true } : {})',
    to: '({})',
  }),
  order('an order whose cancellation has begun is dispatched', 'dispatch-races', {
    from: "if (order.status !== 'APPROVED') throw new OrderRefused('NOT_APPROVED', order.status);",
    to: "if (order.status !== 'APPROVED' && order.status !== 'CANCELLED') throw new OrderRefused('NOT_APPROVED', order.status);",
  }),
  order('a dispatch by another key dispatches the order again', 'dispatch-races', {
    from: "if (order.status === 'DISPATCHED') return [];\n      if (order.status === 'UNDER_REVIEW') throw new OrderRefused('UNDER_REVIEW');\n      if (order.status !== 'APPROVED')",
    to: "if (order.status !== 'DISPATCHED' && order.status !== 'APPROVED')",
  }),
  order('a dispatched order is cancelled', 'dispatch-one', {
    from: "if (order.status === 'REJECTED' || order.status === 'DISPATCHED')\n        throw",
    to: "if (order.status === 'REJECTED')\n        throw",
  }),
  order('a review of a paid order leads back to PENDING', 'review-races', {
    from: "order.paid ? 'APPROVED' : 'PENDING';",
    to: "'PENDING' as 'APPROVED' | 'PENDING';",
  }),
  order('a paid order that its review rejects is not cancelled', 'review-races', {
    from: "if (order.paid) return [ended, { type: 'OrderCancelled', data: { orderId, customerId } }];",
    to: '',
  }),
  order('an order whose review ended because its user was active again is never reviewed again', 'user-races', {
    from: `...(outcome === 'RELEASED' ? {} : { review: outcome })`,
    to: '...{ review: outcome }',
  }),
  onSagaMessage('an answer is one: a refusal is taken for done', 'steps-refused', {
    from: 'advanceByReply(data, data.outcome, trace)',
    to: "advanceByReply(data, 'DONE', trace)",
  }),
  onSagaMessage('an order is approved in a commit of its own, before its saga ends', 'place-one', {
    from: "if (command.type === 'Approve') return",
    to: `if (command.type === 'Approve') {
        const { transact } = await import('../../packages/kit/aws/dynamodb.js');
        await transact([write]);
        return writes;
      }
      if (changes.length < 0) return`,
  }),
  onUserJudged('a paid order is not active: no review finds it', 'review-races', {
    from: 'APPROVED: false,',
    to: 'APPROVED: true,',
  }),
  onUserJudged('the orders of a blocked user are released', 'review-races', {
    from: '(isDoubtful(newStatus) ? ordersOfUser.review() : ordersOfUser.release())',
    to: "(isDoubtful(newStatus) && newStatus !== 'BLOCKED' ? ordersOfUser.review() : ordersOfUser.release())",
  }),
  orderHistory('a customer reads the reasons of a review and the note of its operator', 'user-races', {
    from: 'const entries = redactHistory(caller, page.items);',
    to: "const entries = redactHistory({ ...caller, role: 'operator' }, page.items);",
  }),
  orderList('the pages behind a cursor are those of the first version', 'rebuild-under-load', {
    from: 'const prefix = versionedKey(ORDER, reads);',
    to: 'const prefix = versionedKey(ORDER, before === undefined ? reads : 1);',
  }),
  orderList('a list leaves out what is sealed', 'forget-races', {
    from: 'sealed: JSON.parse(String(sealed)),',
    to: 'sealed: {},',
  }),
  orderList('a page of a list behind a cursor does not see that there are more', 'twenty-orders', {
    from: '{ limit: limit + 2 }',
    to: '{ limit: limit + 1 }',
  }),
  orderStore('an order is shown to whoever asks', 'read-one', {
    from: "view && (role === 'operator' || view.customerId === id) ? view : refuseUnknownOrder()",
    to: 'view ?? refuseUnknownOrder()',
  }),
  placeCheckedOut('a checkout is placed without a look at its customer', 'checkout-refused', {
    from: '...(rejection ? { rejection } : {}),',
    to: '',
  }),
  placeOrder('a new order is logged as it is answered', 'forget-races', {
    from: "'order placed', { orderId: order.orderId }",
    to: "'order placed', { order }",
  }),
  placeOrder("an order's reference is its correlation id as well, in plain text", 'forget-races', {
    from: 'trace: toTrace(request),',
    to: 'trace: { ...toTrace(request), ...(body.clientReference ? { correlationId: body.clientReference } : {}) },',
  }),
  admission('an order is admitted without a look at the status of its user', 'user-races', {
    from: "status === 'BLOCKED'",
    to: "(status as string) === ''",
  }),
  reviews('a saga charges without a look at the status of its user', 'user-races', {
    from: 'if (!copy || !isDoubtful(copy.status)) return undefined;\n  return {',
    to: 'if (!copy || copy || !isDoubtful(copy.status)) return undefined;\n  return {',
  }),
  reviews('an order under review is not in the list of reviews', 'user-races', {
    from: 'return [write, beginReviewWrite(table, customerId, id), copyCheck(table, customerId, copy)];',
    to: 'return [write, copyCheck(table, customerId, copy)];',
  }),
  reviews('an order is dispatched without a look at the status of its user', 'review-races', {
    from: 'if (copy && isDoubtful(copy.status)) throw new NeedsReview();\n  return copyCheck(table, order.customerId, copy);',
    to: 'return copy && undefined;',
  }),
  reviews('an order that is under review already is charged when its saga asks', 'user-races', {
    from: "if (order.state.status === 'UNDER_REVIEW') return { next: 'hold', writes: [isUnchanged] };",
    to: "if ((order.state.status as string) === '') return { next: 'hold', writes: [isUnchanged] };",
  }),
  reviews('the address of an order is compared with none', 'user-races', {
    from: 'rules.otherAddress ? readAddresses(personalKeys, table, order) : {}',
    to: 'rules.otherAddress ? {} : readAddresses(personalKeys, table, order)',
  }),
  userCopy('orders take whichever status of a user came last', 'user-races', {
    from: 'const isNewer = !copy || toOrdinal(position) >',
    to: 'const isNewer = !copy || Boolean(copy) || toOrdinal(position) >',
  }),
  userCopy('a copy of a user compares versions without their epoch', 'restored-users', {
    from: 'toOrdinal(position) > toOrdinal({ epoch: copy.epoch, sequence: copy.version })',
    to: 'version > copy.version',
  }),
];

/** Bugs in how operators find orders. They are listed last, so that the others are the ones that each run has looked for. */
export const ORDERS_FOUND: readonly PlantedBug[] = [
  orderList(
    'rows of a rebuild are in the index under the version before, where no operator finds them',
    'rebuild-under-load',
    {
      from: "versionedKeys: ['sk', 'placedPk'],",
      to: "versionedKeys: ['sk'],",
    },
  ),
  orderSummary('operators find a decided order as its placement left it', 'place-one', {
    from: '...describeOrder(order),',
    to: "...describeOrder({ ...order, status: 'PENDING' }),",
  }),
];
