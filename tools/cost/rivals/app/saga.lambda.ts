import { GetCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { consumer, documents, outboxPut, TABLE } from './infrastructure.js';
import { STEPS } from './messages.js';

/** Leads an order through its steps: loads its state, and stores the next one with the next command, or approves it. */
export const handler = consumer(async (message) => {
  const Key = { pk: `SAGA#${message.orderId}`, sk: 'SAGA' };
  const { Item } = await documents.send(new GetCommand({ TableName: TABLE, Key, ConsistentRead: true }));
  const done = Item === undefined ? 0 : Number(Item.step) + 1;
  const next = STEPS[done];
  const time = new Date().toISOString();
  const type = next?.command ?? 'OrderApproved';
  const saga = { ...Key, step: done, status: next ? 'RUNNING' : 'COMPLETED', time };
  await documents.send(
    new TransactWriteCommand({
      TransactItems: [
        {
          Put: {
            TableName: TABLE,
            Item: saga,
            ConditionExpression: Item ? 'step = :step' : 'attribute_not_exists(pk)',
            ...(Item && { ExpressionAttributeValues: { ':step': Item.step } }),
          },
        },
        outboxPut({ ...message, id: crypto.randomUUID(), type, time }),
        ...(next
          ? []
          : [
              {
                Update: {
                  TableName: TABLE,
                  Key: { pk: `ORDER#${message.orderId}`, sk: 'ORDER' },
                  UpdateExpression: 'SET #status = :approved',
                  ConditionExpression: '#status = :pending',
                  ExpressionAttributeNames: { '#status': 'status' },
                  ExpressionAttributeValues: { ':approved': 'APPROVED', ':pending': 'PENDING' },
                },
              },
            ]),
      ],
    }),
  );
});
