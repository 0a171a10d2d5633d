import { type Message, on, type Source } from '@orderly/kit/idempotent-consumer';
import { type AccountsContext, commandOnOrder } from './command-on-order.js';
import type { AccountCommand } from './contract.js';
import { steps } from './subscriptions.js';

/** Handles a saga's steps, each once per business id. A repeat gets the current outcome as its answer. */
export function onCommand(context: AccountsContext): Source {
  const step = ({ event: command, trace }: Message<AccountCommand>) =>
    commandOnOrder(context, command.data, () => command, trace);
  return on(steps, {
    AuthorizeAccount: step,
    CaptureAuthorization: step,
    ReleaseAuthorization: step,
    RefundAccount: step,
  });
}
