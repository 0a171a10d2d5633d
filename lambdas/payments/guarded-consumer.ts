import { Env, required } from '@orderly/kit/aws';
import { consumer } from '@orderly/kit/idempotent-consumer';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { PaymentStore } from './aggregates.js';
import { PaymentsEnv } from './environment.js';
import { type PayerStore, Payers } from './payers.js';
import { GuardedProvider } from './provider/guarded-provider.js';
import type { PaymentProvider } from './provider/payment-provider.js';
import { atProvider, isRefusal } from './provider-consumer.js';

/**
 * Returns the handler that calls this provider behind the guard. The entry point chooses the provider and the stores, so
 * its bundle contains no other provider's client.
 * @throws {SettingMissing} if the guard's table or the consumer's name is not set
 */
export function guardedConsumer(
  paymentStore: PaymentStore,
  payerStore: PayerStore,
  provider: PaymentProvider,
): (event: SQSEvent, context: Context) => Promise<SQSBatchResponse> {
  const guarded = new GuardedProvider(provider, required(PaymentsEnv.GUARD), required(Env.CONSUMER));
  const consume = consumer([atProvider({ paymentStore, payers: new Payers(payerStore), provider: guarded })], {
    isRefusal,
  });
  return (event, context) => {
    guarded.begins(context);
    return consume(event, context);
  };
}
