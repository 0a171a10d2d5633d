import { ChangeMessageVisibilityCommand, SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { vi } from 'vitest';
import { APP } from '../../../lambdas/app.js';
import { documentClient, type Item, transact } from '../../../packages/kit/aws/dynamodb.js';
import { Env } from '../../../packages/kit/aws/environment.js';
import { DUE_INDEX } from '../../../packages/kit/aws/indexes.js';
import { STORED } from '../../../packages/kit/failures/delivery.js';
import { recordKey } from '../../../packages/kit/failures/failure-records.js';

import { Sweeper } from '../../../packages/kit/timers/sweeper.js';
import { Timers } from '../../../packages/kit/timers/timers.js';
import { functionEnvironment } from '../../support/function-environment.js';
import { type Call, inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { buildTrace } from '../../support/tally.js';
import { WAITER, waiterContract, waitId } from '../../support/waiter/contract.js';

export const QUEUE = 'http://queue.test';
export const INTERVAL = 3600;
export const BEGIN = '2026-03-01T00:00:00.000Z';

/** One message of a batch, as the queue takes it. */
export interface Sent {
  readonly body: string;
  readonly record: string;
}

/** Timers, their sweeper and their owner, in process; each with tables of its own. */
export class Waiting {
  readonly timers = new Timers({ app: APP.name, table: 'records', consumer: WAITER, contract: waiterContract });
  readonly sweeper = new Sweeper({ table: 'records', owner: WAITER.name, queue: QUEUE, intervalSeconds: INTERVAL });
  readonly calls: Call[];
  /** Messages that SQS took, batch by batch. */
  readonly batches: (readonly Sent[])[] = [];
  /** Message groups of what it took. */
  readonly groups: (string | undefined)[] = [];
  readonly postponed: number[] = [];
  /** Entries that SQS refuses, by their record's key. */
  readonly refused = new Map<string, { readonly Code: string; readonly SenderFault: boolean }>();
  /** Of the sweeper's function, milliseconds. */
  timeLeft = () => 50_000;

  constructor() {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(BEGIN) });
    const indexes = { [DUE_INDEX]: ['duePk', 'executeAt'], failed: ['failedConsumer', 'failedAt'] };
    this.calls = inProcessDynamoDb({ table: ['pk', 'sk'], records: ['pk'] }, { records: indexes }).calls;
    vi.spyOn(SQSClient.prototype, 'send').mockImplementation((async (command: unknown) => {
      if (command instanceof ChangeMessageVisibilityCommand) return this.postponed.push(1);
      if (command instanceof SendMessageBatchCommand) return this.take(command);
      throw new Error('unexpected');
    }) as never);
  }

  get sent(): readonly Sent[] {
    return this.batches.flat();
  }

  pass(seconds: number): void {
    vi.setSystemTime(Date.now() + seconds * 1000);
  }

  in(seconds: number): string {
    return new Date(Date.now() + seconds * 1000).toISOString();
  }

  /** Sets a timer of a waiter, by itself; @returns its record's key */
  async set(name: string, executeAt = this.in(0)): Promise<string> {
    await transact([this.write(name, executeAt)]);
    return this.record(name);
  }

  write(name: string, executeAt = this.in(0)) {
    const trace = buildTrace(`cause of ${name}`);
    const subject = `Waiter/${name}`;
    return this.timers.set({ type: 'WaitIsOver', data: { name }, id: waitId(name), subject, executeAt, trace });
  }

  /** Somebody waits, in the owner's table. */
  async waits(name: string): Promise<void> {
    await documentClient.send(new PutCommand({ TableName: 'table', Item: { ...this.keyOf(name), waits: 'WAITING' } }));
  }

  async stateOf(name: string): Promise<Item | undefined> {
    return this.get('table', this.keyOf(name));
  }

  record = (name: string): string => recordKey(WAITER, waitId(name));

  read = (pk: string): Promise<Item | undefined> => this.get('records', { pk });

  put = (item: Item): Promise<unknown> => documentClient.send(new PutCommand({ TableName: 'records', Item: item }));

  /** Sweeps once the index knows what was written. */
  async sweep(): Promise<void> {
    this.pass(10);
    await this.sweeper.sweep(() => this.timeLeft());
  }

  /** Returns the items of one partition that an index has by now. */
  async index(name: string, key: string, value: string): Promise<readonly Item[]> {
    this.pass(10);
    const { Items = [] } = await documentClient.send(
      new QueryCommand({
        TableName: 'records',
        IndexName: name,
        KeyConditionExpression: `${key} = :value`,
        ExpressionAttributeValues: { ':value': value },
      }),
    );
    return Items;
  }

  /** Delivers a message to the owner. @returns whether its queue may forget it */
  async deliver({ body, record }: Sent, receiveCount = 1, attribute = STORED): Promise<boolean> {
    const handler = await owner();
    const context = { getRemainingTimeInMillis: () => 9_000 } as Context;
    const { batchItemFailures } = (await handler(
      { Records: [delivery({ body, record }, receiveCount, attribute)] },
      context,
    )) as SQSBatchResponse;
    return batchItemFailures.length === 0;
  }

  private take({ input }: SendMessageBatchCommand) {
    const entries = input.Entries ?? [];
    const recordOf = (entry: (typeof entries)[number]) => String(entry.MessageAttributes?.[STORED]?.StringValue);
    const taken = entries.filter((entry) => !this.refused.has(recordOf(entry)));
    this.groups.push(...taken.map(({ MessageGroupId }) => MessageGroupId));
    this.batches.push(taken.map((entry) => ({ body: String(entry.MessageBody), record: recordOf(entry) })));
    return {
      Successful: taken.map(({ Id }) => ({ Id })),
      Failed: entries
        .filter((entry) => !taken.includes(entry))
        .map((entry) => ({ Id: entry.Id, ...this.refused.get(recordOf(entry)) })),
    };
  }

  private keyOf = (name: string) => ({ pk: `Waiter#${name}`, sk: 'STATE' });

  private async get(TableName: string, Key: Item): Promise<Item | undefined> {
    return (await documentClient.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;
  }
}

export const delivery = ({ body, record }: Sent, receiveCount: number, attribute = STORED): SQSRecord =>
  ({
    messageId: 'm',
    receiptHandle: 'h',
    body,
    attributes: { ApproximateReceiveCount: String(receiveCount) },
    messageAttributes: { [attribute]: { dataType: 'String', stringValue: record } },
  }) as unknown as SQSRecord;

type Handler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;

/** Variables of the functions' environment. @param generation that runs */
export function environment(generation = '0'): void {
  functionEnvironment({
    [Env.SERVICE]: waiterContract.service,
    [Env.CONSUMER]: WAITER.name,
    [Env.CONSUMER_GENERATION]: generation,
    [Env.QUEUE_URL]: QUEUE,
    [Env.COMMANDERS]: '[]',
    [Env.UNDELIVERED]: 'arn:undelivered',
    [Env.MAX_ATTEMPTS]: '3',
  });
}

const owner = async (): Promise<Handler> =>
  (await import('../../support/waiter/on-command.lambda.js')).handler as Handler;
