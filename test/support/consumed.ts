import { randomUUID } from 'node:crypto';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { expect } from 'vitest';
import { Env } from '../../packages/kit/aws/environment.js';
import { REDRIVE } from '../../packages/kit/failures/delivery.js';
import type { AnyEvent, ServiceContract } from '../../packages/kit/messages/contract.js';
import type { Envelope } from '../../packages/kit/messages/envelope.js';
import { commandMessage, eventMessage } from '../../packages/kit/testing/messages.js';
import { functionEnvironment } from './function-environment.js';

export type ConsumerHandler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;

/** Variables of the environment of a consumer's function, for tests in this process: before its modules are imported. */
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

/**
 * One delivery of a message, with which the consumer has to be through.
 * @param body as its queue has it
 * @param redrive value of the attribute of an operator's redrive, where it is one
 */
export async function deliverMessage(
  handler: ConsumerHandler,
  body: string,
  attempts = 1,
  redrive?: 'again' | 'not-done',
): Promise<void> {
  const attributes = { ApproximateReceiveCount: String(attempts) };
  const messageAttributes = redrive === undefined ? {} : { [REDRIVE]: { dataType: 'String', stringValue: redrive } };
  const record = { messageId: 'm', receiptHandle: 'h', body, attributes, messageAttributes };
  const context = { getRemainingTimeInMillis: () => 30_000 } as Context;
  expect(await handler({ Records: [record] } as unknown as SQSEvent, context)).toEqual({ batchItemFailures: [] });
}

/**
 * Returns the status of a message that nobody else had in a consumer's records: `PROCESSED` or `FAILED`; nothing where it isn't
 * through. By whichever name: test files share a module, and the name that it was first loaded with.
 */
export const readOutcome = async (messageId: string): Promise<unknown> => (await readRecord(messageId))?.status;

/** Why a message failed, each time. */
export const readFailures = async (messageId: string): Promise<unknown> => (await readRecord(messageId))?.failures;

/** Returns a consumer's record of a message. */
export async function readRecord(messageId: string): Promise<Record<string, unknown> | undefined> {
  const { documentClient: documents } = await import('../../packages/kit/aws/dynamodb.js');
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
): Promise<void> => {
  const source = `orderly.${contract.service}`;
  return deliverMessage(
    handler,
    toQueueBody(eventMessage(contract, event, { id, source, onbehalfof: 'customer:alice' })),
  );
};

/** A command to the contract's service. */
export const commandConsumed = (
  handler: ConsumerHandler,
  contract: ServiceContract,
  command: AnyEvent,
): Promise<void> => {
  const fields = { source: 'orderly.orders', onbehalfof: 'customer:alice' };
  return deliverMessage(handler, toQueueBody(commandMessage(contract, command, 'orders', fields)));
};

export const toQueueBody = (detail: Envelope): string =>
  JSON.stringify({ source: detail.source, 'detail-type': detail.type, detail });
