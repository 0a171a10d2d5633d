import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { expect } from 'vitest';
import { awsApiOf } from './clients.js';
import { createCloud } from './clouds.js';

/** Milliseconds that pass at once while an answer is awaited. */
const STEP = 100;

/** An empty account, with a client of AWS's SDK: no more time passes in a request than it takes. */
export class QueueAccount {
  readonly cloud = createCloud({});
  readonly sqs = new SQSClient(awsApiOf(this.cloud, (answered) => this.lets(answered)).config);
  private queues = 0;

  private async lets(answered: Promise<unknown>): Promise<void> {
    let isOver = false;
    void answered.then(() => {
      isOver = true;
    });
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (isOver) return;
      await this.cloud.world.pass(STEP);
    }
  }

  /** Lets seconds pass. */
  pass(seconds: number): Promise<void> {
    return this.cloud.world.pass(seconds * 1000);
  }

  /** @returns the address of a queue */
  async create(Attributes: Record<string, string> = {}, QueueName = `queue-${++this.queues}`): Promise<string> {
    const { QueueUrl = '' } = await this.sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
    return QueueUrl;
  }

  /** @returns the address of a queue, and that of its dead-letter queue */
  async createWithDeadLetters(maxReceiveCount = 1): Promise<readonly [string, string]> {
    const dead = await this.create();
    const deadLetterTargetArn = await this.readArn(dead);
    return [await this.create({ RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount }) }), dead];
  }

  send(QueueUrl: string, MessageBody: string, more: object = {}) {
    return this.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, ...more }));
  }

  async receive(QueueUrl: string, more: object = {}): Promise<readonly Message[]> {
    return (await this.sqs.send(new ReceiveMessageCommand({ QueueUrl, ...more }))).Messages ?? [];
  }

  /** Receives one message, which must be there. */
  async one(QueueUrl: string, more: object = {}): Promise<Message> {
    const [message] = await this.receive(QueueUrl, more);
    if (!message) throw new Error(`${QueueUrl} has no message`);
    return message;
  }

  delete(QueueUrl: string, { ReceiptHandle }: Message) {
    return this.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  }

  hide(QueueUrl: string, { ReceiptHandle }: Message, VisibilityTimeout: number) {
    return this.sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }));
  }

  set(QueueUrl: string, Attributes: Record<string, string>) {
    return this.sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
  }

  async attributes(QueueUrl: string, ...AttributeNames: string[]): Promise<Record<string, string>> {
    const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: AttributeNames as never });
    return (await this.sqs.send(command)).Attributes ?? {};
  }

  async readArn(queue: string): Promise<string> {
    return (await this.attributes(queue, 'QueueArn')).QueueArn ?? '';
  }
}

/** Expects the SDK to throw an error with this code of the Query protocol, and with this message. */
export async function expectRefusal(answer: Promise<unknown>, Code: string, message?: string): Promise<void> {
  const error: unknown = await answer.then(
    () => 'no error',
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ Code, ...(message !== undefined && { message }) });
}

export const sortedBodies = (messages: readonly Message[]): readonly (string | undefined)[] =>
  messages.map(({ Body }) => Body).sort();
