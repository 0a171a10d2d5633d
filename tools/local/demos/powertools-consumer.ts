import {
  IdempotencyAlreadyInProgressError,
  IdempotencyConfig,
  makeIdempotent,
} from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import {
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  UpdateItemCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { clientConfig } from '@orderly/operator';
import type { Context } from 'aws-lambda';
import type { Endpoint } from '../endpoint.js';
import type { DemoConsumer } from './bus-queue.js';
import { parsePieces, type Worked } from './naive-consumer.js';

/** Milliseconds that an invocation may take: as long, its record says that it is in progress. */
const TIMEOUT = 1_500;
/** Key of the stock in the table. The records of Powertools have others. */
const STOCK = { id: { S: 'stock' } };

interface Command {
  readonly id: string;
  readonly pieces: number;
}

/**
 * Consumer that Powertools idempotency guards, for comparison with the idempotent one. Its stock and its records are items of
 * a table of its own, written one after the other: first `INPROGRESS`, then the effect, then `COMPLETED`.
 */
export class PowertoolsConsumer implements DemoConsumer {
  readonly worked: Worked[] = [];
  /** Whether the next invocation dies between its effect and its record. */
  dies = false;

  private constructor(
    private readonly client: DynamoDBClient,
    private readonly TableName: string,
    private readonly now: () => number,
    /** Pieces in stock. */
    public left: number,
  ) {}

  /** @param TableName of its table @param now the time, in milliseconds */
  static async start(
    endpoint: Endpoint,
    { TableName, stock, now }: { readonly TableName: string; readonly stock: number; readonly now: () => number },
  ): Promise<PowertoolsConsumer> {
    const client = new DynamoDBClient(clientConfig(endpoint));
    await client.send(
      new CreateTableCommand({
        TableName,
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        BillingMode: 'PAY_PER_REQUEST',
      }),
    );
    await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 0.1, maxDelay: 1 }, { TableName });
    const consumer = new PowertoolsConsumer(client, TableName, now, 0);
    await consumer.change(stock);
    return consumer;
  }

  async handle(body: string): Promise<boolean> {
    const command = parsePieces(body);
    const before = this.worked.length;
    try {
      if (!(await this.invoked(command))) return false;
    } catch (error) {
      if (!(error instanceof IdempotencyAlreadyInProgressError)) throw error;
      this.note(command, 'in progress: it is tried again later');
      return false;
    }
    if (this.worked.length === before) this.note(command, 'answered from its record: nothing changed');
    return true;
  }

  /** Invokes the guarded function as Lambda does. @returns false if the invocation dies: then nobody acknowledges */
  private invoked(command: Command): Promise<boolean> {
    const config = new IdempotencyConfig({ eventKeyJmesPath: 'id', expiresAfterSeconds: 3_600 });
    config.registerLambdaContext({ getRemainingTimeInMillis: () => TIMEOUT } as Context);
    return new Promise((resolve, reject) => {
      const reserve = async ({ id, pieces }: Command): Promise<string> => {
        await this.change(-pieces);
        const dies = this.dies;
        this.dies = false;
        this.note({ id, pieces }, `took ${pieces}, ${this.left} left${dies ? ', and dies' : ''}`);
        if (!dies) return 'reserved';
        resolve(false);
        // As in a killed environment, nothing behind this runs: the record is never completed.
        return new Promise<never>(() => {});
      };
      const persistenceStore = new DynamoDBPersistenceLayer({ tableName: this.TableName, awsSdkV3Client: this.client });
      makeIdempotent(reserve, { persistenceStore, config })(command).then(() => resolve(true), reject);
    });
  }

  /** The effect: one write. */
  private async change(pieces: number): Promise<void> {
    const { Attributes } = await this.client.send(
      new UpdateItemCommand({
        TableName: this.TableName,
        Key: STOCK,
        UpdateExpression: 'ADD pieces :pieces',
        ExpressionAttributeValues: { ':pieces': { N: String(pieces) } },
        ReturnValues: 'UPDATED_NEW',
      }),
    );
    this.left = Number(Attributes?.pieces?.N);
  }

  private note({ id }: Command, what: string): void {
    this.worked.push({ id, at: new Date(this.now()).toISOString(), what });
  }

  /** Deletes its table. */
  async stop(): Promise<void> {
    await this.client.send(new DeleteTableCommand({ TableName: this.TableName }));
    this.client.destroy();
  }
}
