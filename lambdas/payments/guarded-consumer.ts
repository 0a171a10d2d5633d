import { Env, requireEnv } from '@orderly/kit/aws';
import { consumer } from '@orderly/kit/idempotent-consumer';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { PaymentStore } from './aggregates.js';
import { PaymentsEnv } from './environment.js';
import { type PayerStore, Payers } from './payers.js';
import { GuardedProvider } from './provider/guarded-provider.js';
import type { PaymentProvider } from './provider/payment-provider.js';
import { isRefusal, onProviderTask } from './provider-consumer.js';

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
  const guarded = new GuardedProvider(provider, requireEnv(PaymentsEnv.GUARD), requireEnv(Env.CONSUMER));
  const consume = consumer([onProviderTask({ paymentStore, payers: new Payers(payerStore), provider: guarded })], {
    isRefusal,
  });
  return (event, context) => {
    guarded.registerContext(context);
    return consume(event, context);
  };
}
