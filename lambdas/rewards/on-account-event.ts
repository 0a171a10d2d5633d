import { noEffect } from '@orderly/kit/idempotent-consumer';
import { type InboxSource, on, type WorkHandle } from '@orderly/kit/inbox';
import type { AccountEvent } from '../accounts/contract.js';
import type { CountedEvent } from './domain/entries.js';
import { type Rewards, writesOf } from './rewards-store.js';
import { accountEvents } from './subscriptions.js';

/** Counts the events of accounts, each customer's in the order of their account's history. */
export function onAccountEvent(rewards: Rewards): InboxSource {
  const counted: WorkHandle<CountedEvent> = ({ event, envelope, forgotten }) => ({
    decide: () => writesOf(rewards, { customerId: event.data.customerId, event, envelope, forgotten }),
  });
  // It gives no points, but it may be the first one after a restore of the accounts.
  const ignored: WorkHandle<AccountEvent> = ({ event, envelope, forgotten }) =>
    forgotten
      ? { decide: () => writesOf(rewards, { customerId: event.data.customerId, envelope, forgotten }) }
      : noEffect;
  return on(accountEvents, {
    AuthorizationCaptured: counted,
    AccountRefunded: counted,
    BonusApplied: counted,
    AccountOpened: ignored,
    AccountClosed: ignored,
    AccountReopened: ignored,
    CreditLimitSet: ignored,
    AccountAuthorized: ignored,
    AuthorizationDeclined: ignored,
    AuthorizationReleased: ignored,
    AuthorizationVoided: ignored,
    CreditSettled: ignored,
    SagaReplyRequested: ignored,
  });
}
