import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { reservations } from '../../lambdas/inventory/aggregates.js';
import type { InventoryCommand } from '../../lambdas/inventory/contract.js';
import { reserve } from '../../lambdas/inventory/stock-counter.js';
import { TransactionRefused, transact } from '../../packages/kit/aws/dynamodb.js';
import { Env } from '../../packages/kit/aws/environment.js';
import { retryOnConflict } from '../../packages/kit/aws/optimistic-retry.js';
import { requireEnv } from '../../packages/kit/aws/read-environment.js';
import { decideOnNew } from '../../packages/kit/event-store/decide-on.js';
import { eventStoreFromEnvironment } from '../../packages/kit/event-store/event-store-from-environment.js';
import { toMessageTrace } from '../../packages/kit/idempotent-consumer/process-message.js';
import { readEnvelope } from '../../packages/kit/messages/envelope.js';

// The consumer of ReserveStock as Powertools would have it, for comparison: each record of a batch is processed by a function
// that is idempotent, and failed records are reported (what `processPartialResponse` of its batch utility does). It gets the
// kit's own retry on conflicts, which makes it faster.

type ReserveStock = Extract<InventoryCommand, { type: 'ReserveStock' }>;

const reservationStore = eventStoreFromEnvironment(reservations);
const config = new IdempotencyConfig({ eventKeyJmesPath: 'id', expiresAfterSeconds: 35 * 86_400 });
const reserveOnce = makeIdempotent(reserveStock, {
  persistenceStore: new DynamoDBPersistenceLayer({
    tableName: requireEnv(Env.RECORDS),
    keyAttr: 'pk',
    expiryAttr: 'expiresAt',
  }),
  keyPrefix: `${requireEnv(Env.CONSUMER)}@0`,
  config,
});

async function reserveStock(message: { readonly id: string; readonly body: string }): Promise<string> {
  const envelope = readEnvelope(message.body);
  const data = envelope.data as ReserveStock['data'];
  const { lines, ...order } = data;
  const decided = (short: readonly string[]) =>
    decideOnNew(reservationStore, {
      id: order.orderId,
      command: { type: 'Reserve', ...order, lines, short },
      trace: toMessageTrace(envelope, requireEnv(Env.SERVICE)),
    }).write;
  try {
    await retryOnConflict(() =>
      transact([decided([]), ...lines.map((line) => reserve(reservationStore.table, line))]).catch(refusedAtOnce),
    );
    return 'reserved';
  } catch (error) {
    if (!(error instanceof OutOfStock)) throw error;
    await retryOnConflict(() => transact([decided(lines.map(({ sku }) => sku))]));
    return 'rejected';
  }
}

class OutOfStock extends Error {}

function refusedAtOnce(error: unknown): never {
  throw error instanceof TransactionRefused ? new OutOfStock() : error;
}

export async function handler({ Records }: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  config.registerLambdaContext(context);
  const results = await Promise.allSettled(Records.map(({ body }) => reserveOnce({ id: readEnvelope(body).id, body })));
  return {
    batchItemFailures: Records.filter((_, at) => results[at]?.status === 'rejected').map(({ messageId }) => ({
      itemIdentifier: messageId,
    })),
  };
}
