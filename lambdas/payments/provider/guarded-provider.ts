import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import type { Context } from 'aws-lambda';
import { documents } from '../../../packages/kit/aws/dynamodb.js';
import { KEY_MEMORY_SECONDS, type PaymentProvider } from './payment-provider.js';

/**
 * A provider whose calls that move money are guarded by Powertools idempotency, in a table of its own: two deliveries at
 * once make one call, and a repeat within 23 hours gets the first one's answer without another.
 *
 * It saves calls; it isn't what makes the effect happen once. A crash after the effect leaves its record in progress, and
 * when the function's time is over the call is made again; an answer that was lost deletes the record. What holds then
 * are the provider's own key and `onceAtProvider`.
 */
export class GuardedProvider implements PaymentProvider {
  // An answer is never kept for longer than the provider itself would repeat it.
  private readonly config = new IdempotencyConfig({
    eventKeyJmesPath: 'key',
    throwOnNoIdempotencyKey: true,
    expiresAfterSeconds: KEY_MEMORY_SECONDS - 3600,
  });
  readonly create: PaymentProvider['create'];
  readonly confirm: PaymentProvider['confirm'];
  readonly cancel: PaymentProvider['cancel'];
  readonly refund: PaymentProvider['refund'];
  readonly chargeOf: PaymentProvider['chargeOf'];
  readonly refundOf: PaymentProvider['refundOf'];

  /**
   * @param tableName the guard's own table (`pk`, TTL on `expiresAt`)
   * @param keyPrefix its records begin with this: the function has a right on no other
   */
  constructor(provider: PaymentProvider, tableName: string, keyPrefix: string) {
    const options = {
      config: this.config,
      keyPrefix,
      persistenceStore: new DynamoDBPersistenceLayer({
        tableName,
        keyAttr: 'pk',
        expiryAttr: 'expiresAt',
        // The document client wraps it, and is asked by every other module.
        awsSdkV3Client: documents,
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
    this.chargeOf = (providerId) => provider.chargeOf(providerId);
    this.refundOf = (providerId, refundId) => provider.refundOf(providerId, refundId);
  }

  /** Tells the guard how long this invocation may take: a record in progress is over when it is. */
  begins(context: Context): void {
    this.config.registerLambdaContext(context);
  }
}
