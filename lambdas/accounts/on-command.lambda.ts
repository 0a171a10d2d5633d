import { consumer, type Message, on } from '@orderly/kit/idempotent-consumer';
import { commandOnOrder } from './command-on-order.js';
import type { AccountCommand } from './contract.js';
import { AccountRefused } from './domain/account.js';
import { steps } from './subscriptions.js';

/** Handles a saga's steps, each once per business id. A repeat gets the current outcome as its answer. */
export const handler = consumer(
  [
    on(steps, {
      AuthorizeAccount: step,
      CaptureAuthorization: step,
      ReleaseAuthorization: step,
      RefundAccount: step,
    }),
  ],
  { isRefusal: (error) => error instanceof AccountRefused },
);

function step({ event: command, trace }: Message<AccountCommand>) {
  return commandOnOrder(command.data, () => command, trace);
}
