import { clock } from '@orderly/kit/aws';
import { decideJointly, type Effect, type Handling, type JointDecision } from '@orderly/kit/idempotent-consumer';
import type { Trace } from '@orderly/kit/messages';
import { customerLimitsFromEnvironment } from '../customer-limits.js';
import { type AccountStores, loadOrders, type OrderOfAccount, orderWrite } from './account-store.js';
import { settlesApproved, tellsExhaustion } from './aggregates.js';
import type { AccountCommand } from './contract.js';
import { defaultCreditLimitFromEnvironment } from './default-credit-limit.js';
import { type Authorization, authorizationDecider, type Facts, type PaymentCommand } from './domain/authorization.js';

/** Stores and facts of a command on an account. */
export interface AccountsContext extends AccountStores {
  readonly facts: Facts;
}

/**
 * Reads the settings of this function's decisions.
 * @throws {SettingMissing} at start, if the construct did not set them
 */
export const factsFromEnvironment = (): Facts => ({
  defaultCreditLimit: defaultCreditLimitFromEnvironment(),
  limits: customerLimitsFromEnvironment(),
  tellsExhaustion: tellsExhaustion(),
  settlesApproved: settlesApproved(),
});

/** A command on an account and its authorization of one order. */
export interface OrderRequest {
  readonly customerId: string;
  readonly orderId: string;
  /** Returns the command that follows from the authorization. */
  readonly buildCommand: (authorization: Authorization) => AccountCommand | PaymentCommand;
  readonly trace: Trace;
}

/**
 * Handles a message by a command on an account and its authorization of one order. Messages about one account may be
 * decided together.
 * @param buildCommand command that follows from the authorization
 */
export const handleOrderCommand = (
  context: AccountsContext,
  { customerId, orderId }: Pick<OrderRequest, 'customerId' | 'orderId'>,
  buildCommand: OrderRequest['buildCommand'],
  trace: Trace,
): Handling =>
  decideJointly((requests: readonly OrderRequest[]) => decideOrders(context, requests), {
    customerId,
    orderId,
    buildCommand,
    trace,
  });

/**
 * Decides commands on one account in their order, each on top of those before it. Each message has a commit of its own, so
 * the history names its cause. An order's authorization is written once, with the last of its commands.
 * @param requests commands on the same account
 * @throws what the decider throws for one of them
 */
export async function decideOrders(
  { facts, ...stores }: AccountsContext,
  requests: readonly OrderRequest[],
): Promise<JointDecision> {
  const { accountStore } = stores;
  const customerId = requests[0]?.customerId ?? '';
  const orderIds = requests.map(({ orderId }) => orderId);
  const { account: loaded, orders } = await loadOrders(stores, customerId, orderIds);
  const present = new Map(orders);
  let account = loaded;
  const appends = requests.map(({ orderId, buildCommand, trace }): Effect => {
    const order = findOrder(present, orderId);
    const state = { account: account.state, authorization: order.authorization };
    const events = authorizationDecider.decide(state, buildCommand(order.authorization), {
      ...facts,
      now: clock.now(),
    });
    if (events.length === 0) return [];
    const commit = accountStore.buildCommit(account, events, trace);
    const { authorization } = events.reduce(authorizationDecider.evolve, state);
    const first = order.first ?? account.version + 1;
    present.set(orderId, { authorization, first, version: commit.lastVersion });
    account = accountStore.applyCommit(account, commit);
    return [accountStore.appendWrite(commit)];
  });
  const changedAt = loaded.commits.at(-1)?.at;
  return {
    effects: appends.map((append, at) => {
      const orderId = orderIds[at] ?? '';
      if (orderIds.lastIndexOf(orderId) > at) return append;
      const [read, decided] = [findOrder(orders, orderId), findOrder(present, orderId)];
      return [...append, orderWrite(accountStore, { customerId, orderId }, read, decided)];
    }),
    ...(changedAt === undefined ? {} : { changedAt }),
  };
}

const NO_ORDER: OrderOfAccount = { authorization: authorizationDecider.initialState.authorization, version: 0 };

const findOrder = (orders: ReadonlyMap<string, OrderOfAccount>, orderId: string): OrderOfAccount =>
  orders.get(orderId) ?? NO_ORDER;
