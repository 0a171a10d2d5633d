import { randomUUID } from 'node:crypto';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { expect } from 'vitest';
import { Env } from '../../packages/kit/aws/environment.js';
import { type AnyEvent, commandsOf, eventToWrite, type ServiceContract } from '../../packages/kit/messages/contract.js';
import { functionEnvironment } from './function-environment.js';

export type ConsumerHandler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;

/** What a consumer's function finds in its environment, for tests in this process: before its modules are imported. */
export const consumerEnvironment = (
  service: string,
  consumer: string,
  more: Readonly<Record<string, string>> = {},
): void =>
  functionEnvironment({
    [Env.SERVICE]: service,
    [Env.CONSUMER]: consumer,
    [Env.CONSUMER_GENERATION]: '0',
    [Env.QUEUE_URL]: 'https://queue.test',
    [Env.COMMANDERS]: JSON.stringify(['orders']),
    [Env.MAX_ATTEMPTS]: '8',
    ...more,
  });

/** One delivery of a message, with which the consumer has to be through. @param body as its queue has it */
export async function consumed(handler: ConsumerHandler, body: string, attempts = 1): Promise<void> {
  const attributes = { ApproximateReceiveCount: String(attempts) };
  const record = { messageId: 'm', receiptHandle: 'h', body, attributes, messageAttributes: {} };
  const context = { getRemainingTimeInMillis: () => 30_000 } as Context;
  expect(await handler({ Records: [record] } as unknown as SQSEvent, context)).toEqual({ batchItemFailures: [] });
}

/**
 * What a consumer's record says of a message that nobody else had: `PROCESSED` or `FAILED`; nothing where it isn't
 * through. By whichever name: test files share a module, and the name that it was first loaded with.
 */
export const outcomeOf = async (messageId: string): Promise<unknown> => (await recordOf(messageId))?.status;

/** Why a message failed, each time. */
export const failuresOf = async (messageId: string): Promise<unknown> => (await recordOf(messageId))?.failures;

async function recordOf(messageId: string): Promise<Record<string, unknown> | undefined> {
  const { documents } = await import('../../packages/kit/aws/dynamodb.js');
  const { Items = [] } = await documents.send(
    new ScanCommand({
      TableName: 'records',
      FilterExpression: 'contains(pk, :id)',
      ExpressionAttributeValues: { ':id': `#${messageId}` },
    }),
  );
  return Items[0];
}

/** An event of somebody's. */
export const eventConsumed = (
  handler: ConsumerHandler,
  contract: ServiceContract,
  event: AnyEvent,
  id: string = randomUUID(),
): Promise<void> => consumed(handler, bodyOf(contract, event, id));

/** A command to the contract's service. */
export const commandConsumed = (
  handler: ConsumerHandler,
  contract: ServiceContract,
  command: AnyEvent,
): Promise<void> => consumed(handler, bodyOf(commandsOf(contract), command, randomUUID(), contract.service));

export function bodyOf(contract: ServiceContract, { type, data: of }: AnyEvent, id: string, to?: string): string {
  const { schemaVersion, data } = eventToWrite(contract, { type, data: of });
  const source = to === undefined ? `orderly.${contract.service}` : 'orderly.orders';
  const detail = {
    id,
    source,
    to,
    type,
    subject: 'Thing/1',
    time: new Date().toISOString(),
    dataschema: `urn:orderly:${contract.service}:${type}:${schemaVersion}`,
    data,
    sequence: 1,
    epoch: 0,
    correlationid: 'c',
    causationid: 'm',
    traceparent: 't',
    actor: 'service:other',
    onbehalfof: 'customer:alice',
  };
  return JSON.stringify({ source, 'detail-type': type, detail });
}
