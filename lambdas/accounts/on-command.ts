import { type Message, on, type Source } from '@orderly/kit/idempotent-consumer';
import type { AccountCommand } from './contract.js';
import { type AccountsContext, handleOrderCommand } from './handle-order-command.js';
import { stepCommands } from './subscriptions.js';

/** Handles a saga's steps, each once per business id. A repeat gets the current outcome as its answer. */
export function onCommand(context: AccountsContext): Source {
  const step = ({ event: command, trace }: Message<AccountCommand>) =>
    handleOrderCommand(context, command.data, () => command, trace);
  return on(stepCommands, {
    AuthorizeAccount: step,
    CaptureAuthorization: step,
    ReleaseAuthorization: step,
    RefundAccount: step,
  });
}
