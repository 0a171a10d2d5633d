import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { Logger } from '@aws-lambda-powertools/logger';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { Message } from './messages.js';

/** Clients that the rival's functions share, as Powertools' documentation puts it together. */
export const documents = DynamoDBDocumentClient.from(new DynamoDBClient({}));
export const logger = new Logger();
export const TABLE = process.env.TABLE_NAME ?? '';
export const SERVICE = process.env.POWERTOOLS_SERVICE_NAME ?? '';

const persistenceStore = new DynamoDBPersistenceLayer({ tableName: process.env.IDEMPOTENCY_TABLE ?? '' });
/** As long as Orderly's deduplication window. */
const EXPIRES_AFTER_SECONDS = 35 * 86_400;

type Write = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** Returns the write of an outbox's item, beside the effect in the same transaction. The relay deletes nothing: it expires. */
export const outboxPut = (message: Message): Write => ({
  Put: {
    TableName: TABLE,
    Item: { pk: `OUTBOX#${message.id}`, sk: 'OUTBOX', message: JSON.stringify(message), expiresAt: expiresAt() },
  },
});

/** Makes a handler of an event idempotent by the event's id. */
export function once<Event, Answer>(keyPath: string, handle: (event: Event) => Promise<Answer>) {
  const config = new IdempotencyConfig({ eventKeyJmesPath: keyPath, expiresAfterSeconds: EXPIRES_AFTER_SECONDS });
  const idempotent: unknown = makeIdempotent(handle as unknown as (event: never) => Promise<never>, {
    persistenceStore,
    config,
  });
  return { config, handle: idempotent as (event: Event) => Promise<Answer> };
}

/** Returns the handler of a queue that reports failed messages (`processPartialResponse` of Powertools' batch utility). */
export function consumer(handle: (message: Message) => Promise<void>) {
  const idempotent = once<Message, void>('id', handle);
  return async ({ Records }: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    idempotent.config.registerLambdaContext(context);
    logger.addContext(context);
    const results = await Promise.allSettled(
      Records.map(async ({ body }) => {
        const message = (JSON.parse(body) as { readonly detail: Message }).detail;
        await idempotent.handle(message);
        logger.info('message processed', { messageId: message.id, type: message.type, orderId: message.orderId });
      }),
    );
    const failed = Records.filter((_, at) => results[at]?.status === 'rejected');
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
}

export const expiresAt = (): number => Math.floor(Date.now() / 1000) + EXPIRES_AFTER_SECONDS;
