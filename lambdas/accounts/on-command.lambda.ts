import { clock, required } from '@orderly/kit/aws';
import { consumer, type Message, on } from '@orderly/kit/idempotent-consumer';
import * as z from 'zod/mini';
import { customerLimits } from '../customer-limits.js';
import { Money } from '../orders/contract.js';
import { orderOfAccount, writesOf } from './account-store.js';
import type { AccountCommand } from './contract.js';
import { AccountRefused } from './domain/account.js';
import { decide } from './domain/authorization.js';
import { AccountsEnv } from './environment.js';
import { steps } from './subscriptions.js';

const defaultCreditLimit = z.parse(Money, JSON.parse(required(AccountsEnv.DEFAULT_CREDIT_LIMIT)));
const limits = customerLimits();

/** Handles a saga's steps, each once per business id. A repeat gets the current outcome as its answer. */
export const handler = consumer(
  [
    on(steps, {
      AuthorizeAccount: handleStep,
      CaptureAuthorization: handleStep,
      ReleaseAuthorization: handleStep,
      RefundAccount: handleStep,
    }),
  ],
  { isRefusal: (error) => error instanceof AccountRefused },
);

function handleStep({ event: command, trace }: Message<AccountCommand>) {
  return {
    decide: async () => {
      const order = await orderOfAccount(command.data.customerId, command.data.orderId);
      const { account, authorization } = order;
      const events = decide({ account: account.state, authorization }, command, {
        defaultCreditLimit,
        limits,
        now: clock.now(),
      });
      return writesOf(order, events, trace);
    },
  };
}
