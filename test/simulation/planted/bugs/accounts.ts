import { bugsIn, type PlantedBug } from '../bug.js';

const accountHistory = bugsIn('lambdas/accounts/account-history.lambda.ts');
const applyBonus = bugsIn('lambdas/accounts/apply-bonus.lambda.ts');
const commandOnOrder = bugsIn('lambdas/accounts/handle-order-command.ts');
const account = bugsIn('lambdas/accounts/domain/account.ts');
const authorization = bugsIn('lambdas/accounts/domain/authorization.ts');
const exhaustedList = bugsIn('lambdas/accounts/exhausted-list.ts');
const onOrderEvent = bugsIn('lambdas/accounts/on-order-event.ts');

export const ACCOUNTS: readonly PlantedBug[] = [
  accountHistory("an account's history is shown to whoever asks", 'read-one', {
    from: "checkOwner(caller, parseCustomerId(parameter('customerId')))",
    to: "parseCustomerId(parameter('customerId'))",
  }),
  applyBonus('a bonus is applied again for each repeat of its request', 'bonuses', {
    from: 'record: createKeyRecord(parseIdempotencyKey(personal.toHashable(toKeyedRequest(request))), records),',
    to: 'record: createKeyRecord({ ...parseIdempotencyKey(personal.toHashable(toKeyedRequest(request))), scope: toTrace(request).trigger }, records),',
  }),
  applyBonus('the log of a bonus says why it was applied', 'bonuses', {
    from: '{ version: loaded.version });',
    to: '{ version: loaded.version, reason: body.reason });',
  }),
  commandOnOrder('orders that an account decides together do not see one another', 'account-lane-one', {
    from: 'const state = { account: account.state, ',
    to: 'const state = { account: loaded.state, ',
  }),
  commandOnOrder('messages about one order that are decided together do not see one another', 'account-lane-orders', {
    from: 'const order = findOrder(present, orderId);',
    to: 'const order = findOrder(orders, orderId);',
  }),
  commandOnOrder('what is decided together has the cause of the first message', 'account-lane-one', {
    from: 'accountStore.buildCommit(account, events, trace);',
    to: 'accountStore.buildCommit(account, events, requests[0]?.trace ?? trace);',
  }),
  account('a closed account authorises an order', 'closed-accounts', {
    from: "if (account.status === 'CLOSED') return { reason: 'ACCOUNT_CLOSED' };",
    to: '',
  }),
  account('an authorisation looks at the limit, not at what is left of it', 'account-one', {
    from: 'amount > computeAvailable(account)',
    to: 'amount > account.creditLimit.amount',
  }),
  account('one order more than the limit is under way', 'order-limit', {
    from: 'account.underWay >= ordersUnderWay',
    to: 'account.underWay > ordersUnderWay',
  }),
  account('an order that has ended counts as under way', 'order-limit', {
    from: /underWay: underWay - 1/g,
    to: 'underWay',
  }),
  account('credit is not given to its last cent', 'credit-races', {
    from: 'if (amount > computeAvailable(account)) return',
    to: 'if (amount >= computeAvailable(account)) return',
  }),
  authorization("an order's authorization forgets what its approval settled", 'payer-races-at-stripe', {
    from: ' + (event.data.settles?.amount ?? 0),',
    to: ',',
  }),
  authorization('an approval settles nothing, and nobody receives the charge', 'payer-races-at-stripe', {
    from: 'const amount = settlesApproved ? computeUsed(state.authorization) : 0;',
    to: 'const amount = 0;',
  }),
  authorization("a step's repeat is answered by telling its fact again", 'account-one', {
    from: `checkSameAmount(authorization.amount, amount);
      return [replyDone(data)];`,
    to: `checkSameAmount(authorization.amount, amount);
      return [{ type: 'AccountAuthorized', data }];`,
  }),
  authorization('a closed account releases nothing that it holds', 'closed-accounts', {
    from: 'return release(state, command);',
    to: "return state.account.status === 'CLOSED' ? [replyRefused(command.data, 'ACCOUNT_CLOSED')] : release(state, command);",
  }),
  authorization('a release that comes first leaves no tombstone', 'account-one', {
    from: "return [{ type: 'AuthorizationVoided', data }];",
    to: 'return [replyDone(data)];',
  }),
  authorization('what is cancelled when it is owed already is released, as if it were only held', 'place-one', {
    from: "if (authorization.status !== 'CAPTURED') return { type: 'ReleaseAuthorization', data };",
    to: "if (how === 'CANCELLED') return { type: 'ReleaseAuthorization', data };",
  }),
  authorization('a refund of what was settled raises the credit a second time', 'place-one', {
    from: 'data: { ...data, ...computeSettledPart(authorization, data.amount) } }];',
    to: 'data }];',
  }),
  authorization('a release of what was settled raises the credit a second time', 'cancel-races', {
    from: 'amount: authorization.amount, ...computeSettledPart(authorization, authorization.amount) },',
    to: 'amount: authorization.amount },',
  }),
  authorization('the capture settles what the charge has settled', 'place-one', {
    from: "return [{ type: 'AuthorizationCaptured', data: { ...data, amount: authorization.amount } }];",
    to: `return [
        { type: 'AuthorizationCaptured', data: { ...data, amount: authorization.amount } },
        {
          type: 'CreditSettled',
          data: { customerId: data.customerId, orderId: data.orderId, amount: authorization.amount },
        },
      ];`,
  }),
  authorization('a charge that comes before the capture settles nothing', 'late-approval', {
    from: "if (authorization.status !== 'AUTHORIZED' && authorization.status !== 'CAPTURED') return [];",
    to: "if (authorization.status !== 'CAPTURED') return [];",
  }),
  authorization('what was released is taken by an approval that comes late', 'late-approval', {
    from: `case 'RELEASED':
      return [replyRefused(data, 'RELEASED')];
    case 'AUTHORIZED':
      return [{ type: 'AuthorizationCaptured'`,
    to: `return [replyRefused(data, 'RELEASED')];
    case 'RELEASED':
    case 'AUTHORIZED':
      return [{ type: 'AuthorizationCaptured'`,
  }),
  authorization('a return that comes before the approval is not counted', 'dispatch-races', {
    from: `  return [...approval, ...refund(approval.reduce(evolve, state), { type: 'RefundAccount', data: step })];`,
    to: `  return refund(state, { type: 'RefundAccount', data: step });`,
  }),
  exhaustedList('the list of accounts without credit shows closed ones', 'closed-accounts', {
    from: "account?.status === 'OPEN' && account.available",
    to: 'account?.available',
  }),
  exhaustedList('the rows of a rebuild forget which index they are in', 'rebuild-credit', {
    from: "versionedKeys: ['sk', 'exhaustedPk'],",
    to: "versionedKeys: ['sk'],",
  }),
  onOrderEvent('accounts undo what a saga under way will undo', 'cancel-races', {
    from: 'isLeftToSaga(data)',
    to: 'false',
  }),
];
