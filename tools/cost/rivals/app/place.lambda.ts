import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { documents, logger, once, outboxPut, TABLE } from './infrastructure.js';
import type { Message } from './messages.js';

interface Placing {
  readonly key: string;
  readonly customerId: string;
  readonly lines: Message['lines'];
}

const place = once<Placing, { readonly orderId: string }>('key', async ({ customerId, lines }) => {
  const orderId = crypto.randomUUID();
  const time = new Date().toISOString();
  const message = { id: crypto.randomUUID(), type: 'OrderPlaced', orderId, customerId, lines, time };
  const order = { pk: `ORDER#${orderId}`, sk: 'ORDER', status: 'PENDING', customerId, lines, time };
  const condition = 'attribute_not_exists(pk)';
  await documents.send(
    new TransactWriteCommand({
      TransactItems: [{ Put: { TableName: TABLE, Item: order, ConditionExpression: condition } }, outboxPut(message)],
    }),
  );
  return { orderId };
});

export async function handler(
  { headers, body }: APIGatewayProxyEvent,
  context: Context,
): Promise<APIGatewayProxyResult> {
  place.config.registerLambdaContext(context);
  logger.addContext(context);
  const { customerId, lines } = JSON.parse(body ?? '{}') as Omit<Placing, 'key'>;
  const answer = await place.handle({ key: headers['Idempotency-Key'] ?? '', customerId, lines });
  logger.info('order placed', answer);
  return { statusCode: 201, headers: { 'content-type': 'application/json' }, body: JSON.stringify(answer) };
}
