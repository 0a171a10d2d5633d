import { BatchGetCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { documents, SERVICE, TABLE } from './infrastructure.js';
import { type Message, totalOf } from './messages.js';

type Writes = NonNullable<TransactWriteCommandInput['TransactItems']>;

/** Effect of each participant: what it writes. */
const EFFECTS: Readonly<Record<string, (message: Message) => Promise<Writes>>> = {
  Catalog: async ({ orderId, lines }) => {
    const Keys = lines.map(({ sku }) => ({ pk: `PRICE#${sku}`, sk: 'PRICE' }));
    const { Responses } = await documents.send(
      new BatchGetCommand({ RequestItems: { [TABLE]: { Keys, ConsistentRead: true } } }),
    );
    const prices = new Map(Responses?.[TABLE]?.map(({ pk, amount }) => [pk, amount]));
    const wrong = lines.some(({ sku, amount }) => prices.get(`PRICE#${sku}`) !== amount);
    if (wrong) throw new Error(`a price of order ${orderId} has changed`);
    return [put(`CHECK#${orderId}`, { lines })];
  },
  Accounts: async (message) => [
    {
      Update: {
        TableName: TABLE,
        Key: { pk: `ACCOUNT#${message.customerId}`, sk: 'ACCOUNT' },
        UpdateExpression: 'ADD authorized :amount',
        ConditionExpression: 'attribute_not_exists(authorized) OR authorized < :most',
        ExpressionAttributeValues: { ':amount': totalOf(message), ':most': 1_000_000_000 },
      },
    },
    put(`AUTHORIZATION#${message.orderId}`, { customerId: message.customerId, amount: totalOf(message) }),
  ],
  Inventory: async ({ orderId, lines }) => [
    ...lines.map(({ sku, quantity }) => ({
      Update: {
        TableName: TABLE,
        Key: { pk: `STOCK#${sku}`, sk: 'STOCK' },
        UpdateExpression: 'ADD available :minus',
        ConditionExpression: 'available >= :quantity',
        ExpressionAttributeValues: { ':minus': -quantity, ':quantity': quantity },
      },
    })),
    put(`RESERVATION#${orderId}`, { lines }),
  ],
  Payments: async (message) => {
    const { orderId } = message;
    const body = new URLSearchParams({ amount: String(totalOf(message)), currency: 'eur', order: orderId });
    const answer = await fetch(`https://${PROVIDER}/v1/charges`, {
      method: 'POST',
      headers: { 'Idempotency-Key': orderId },
      body: body.toString(),
    });
    if (!answer.ok) throw new Error(`the provider answered ${answer.status}`);
    const { id } = (await answer.json()) as { readonly id: string };
    return [put(`PAYMENT#${orderId}`, { chargeId: id, amount: totalOf(message) })];
  },
};
const PROVIDER = process.env.PROVIDER_HOST ?? '';

const put = (pk: string, item: object) => ({
  Put: { TableName: TABLE, Item: { pk, sk: 'STATE', ...item }, ConditionExpression: 'attribute_not_exists(pk)' },
});

/** Returns the writes by which this service carries a command out. @throws {Error} if it can't */
export function effectOf(message: Message): Promise<Writes> {
  const effect = EFFECTS[SERVICE];
  if (!effect) throw new Error(`there is no participant '${SERVICE}'`);
  return effect(message);
}
