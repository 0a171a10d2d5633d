import { noEffect } from '@orderly/kit/idempotent-consumer';
import { type InboxSource, on, type WorkHandle } from '@orderly/kit/inbox';
import type { AccountEvent } from '../accounts/contract.js';
import type { CountedEvent } from './domain/entries.js';
import { buildWrites, type Rewards } from './rewards-store.js';
import { accountEvents } from './subscriptions.js';

/**
 * Counts the events of accounts, each customer's in the order of their account's history.
 * @param syntheticCustomer gets no points, and no entries: the account's events are passed over
 */
export function onAccountEvent(rewards: Rewards, syntheticCustomer?: string): InboxSource {
  const onCounted: WorkHandle<CountedEvent> = ({ event, envelope, forgotten }) =>
    event.data.customerId === syntheticCustomer
      ? noEffect
      : { decide: () => buildWrites(rewards, { customerId: event.data.customerId, event, envelope, forgotten }) };
  // It gives no points, but it may be the first one after a restore of the accounts.
  const onIgnored: WorkHandle<AccountEvent> = ({ event, envelope, forgotten }) =>
    forgotten
      ? { decide: () => buildWrites(rewards, { customerId: event.data.customerId, envelope, forgotten }) }
      : noEffect;
  return on(accountEvents, {
    AuthorizationCaptured: onCounted,
    AccountRefunded: onCounted,
    BonusApplied: onCounted,
    AccountOpened: onIgnored,
    AccountClosed: onIgnored,
    AccountReopened: onIgnored,
    CreditLimitSet: onIgnored,
    AccountAuthorized: onIgnored,
    AuthorizationDeclined: onIgnored,
    AuthorizationReleased: onIgnored,
    AuthorizationVoided: onIgnored,
    CreditSettled: onIgnored,
    ExhaustedAccountChanged: onIgnored,
    SagaReplyRequested: onIgnored,
  });
}
