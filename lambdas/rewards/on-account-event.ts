import { noEffect } from '@orderly/kit/idempotent-consumer';
import { type InboxSource, on, type WorkHandle } from '@orderly/kit/inbox';
import type { CountedEvent } from './domain/entries.js';
import { type Rewards, writesOf } from './rewards-store.js';
import { accountEvents } from './subscriptions.js';

/** Counts the events of accounts, each customer's in the order of their account's history. */
export function onAccountEvent(rewards: Rewards): InboxSource {
  const counted: WorkHandle<CountedEvent> = ({ event, envelope }) => ({
    decide: () => writesOf(rewards, event, envelope),
  });
  const ignored = () => noEffect;
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
