import { readFileSync } from 'node:fs';
import { DynamoDBClient, PutItemCommand, QueryCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';

// The least that a function with these requests costs: for each event it sends what Orderly's function sent in the meantime, and
// does nothing else. No check, no schema, no token, no log.

/** A request that the stub has taken. */
interface Recorded {
  readonly operation: string;
  readonly body: object;
}

const requests: readonly Recorded[] = JSON.parse(readFileSync(process.env.BENCH_REQUESTS ?? '', 'utf8'));
const dynamo = new DynamoDBClient({});
const bus = new EventBridgeClient({});

const send = ({ operation, body }: Recorded): Promise<unknown> => {
  // The bodies were made by the SDK from inputs of these very types.
  if (operation === 'PutEvents') return bus.send(new PutEventsCommand(body as never));
  if (operation === 'Query') return dynamo.send(new QueryCommand(body as never));
  if (operation === 'PutItem') return dynamo.send(new PutItemCommand(body as never));
  if (operation === 'TransactWriteItems') return dynamo.send(new TransactWriteItemsCommand(body as never));
  throw new Error(`the bench sends no ${operation}: add it to sdk-alone.lambda.ts`);
};

/** Calls of one event of the relay run side by side, as the relay's do; those of a request wait for each other. */
export async function handler(): Promise<object> {
  if (requests.every(({ operation }) => operation === 'PutEvents')) {
    const waiting = [...requests];
    const sendNext = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await send(next);
    };
    await Promise.all(Array.from({ length: 5 }, sendNext));
  } else for (const request of requests) await send(request);
  return { statusCode: 202 };
}
