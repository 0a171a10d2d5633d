import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { documentClient } from '@orderly/kit/aws';
import type { Context } from 'aws-lambda';
import { KEY_MEMORY_SECONDS, type PaymentProvider } from './payment-provider.js';

/**
 * A provider whose calls that move money are guarded by Powertools idempotency, in a separate table. Two simultaneous
 * deliveries make one call, and a repeat within 23 hours gets the first one's answer without another call.
 *
 * The guard saves calls; it does not by itself ensure a single effect. If the function crashes after the effect, the
 * guard's record stays in progress, and the call is repeated once the function's time is over. If an answer is lost,
 * the guard deletes its record. In these cases the provider's own key and `onceAtProvider` prevent a second effect.
 */
export class GuardedProvider implements PaymentProvider {
  // An answer is kept for a shorter time than the provider itself would repeat it.
  private readonly config = new IdempotencyConfig({
    eventKeyJmesPath: 'key',
    throwOnNoIdempotencyKey: true,
    expiresAfterSeconds: KEY_MEMORY_SECONDS - 3600,
  });
  readonly create: PaymentProvider['create'];
  readonly confirm: PaymentProvider['confirm'];
  readonly cancel: PaymentProvider['cancel'];
  readonly refund: PaymentProvider['refund'];
  readonly findCharge: PaymentProvider['findCharge'];
  readonly findRefund: PaymentProvider['findRefund'];

  /**
   * @param tableName the guard's own table (`pk`, TTL on `expiresAt`)
   * @param keyPrefix prefix of the guard's records: the function has no right on any other
   */
  constructor(provider: PaymentProvider, tableName: string, keyPrefix: string) {
    const options = {
      config: this.config,
      keyPrefix,
      persistenceStore: new DynamoDBPersistenceLayer({
        tableName,
        keyAttr: 'pk',
        expiryAttr: 'expiresAt',
        // The document client wraps this client, and all other modules call the document client.
        awsSdkV3Client: documentClient,
      }),
    };
    this.create = (wanted) => provider.create(wanted);
    this.confirm = makeIdempotent(
      (wanted: Parameters<PaymentProvider['confirm']>[0]) => provider.confirm(wanted),
      options,
    );
    this.cancel = (wanted) => provider.cancel(wanted);
    this.refund = makeIdempotent(
      (wanted: Parameters<PaymentProvider['refund']>[0]) => provider.refund(wanted),
      options,
    );
    this.findCharge = (providerId) => provider.findCharge(providerId);
    this.findRefund = (providerId, refundId) => provider.findRefund(providerId, refundId);
  }

  /** Tells the guard how long this invocation may take: after that, a record in progress has expired. */
  registerContext(context: Context): void {
    this.config.registerLambdaContext(context);
  }
}
