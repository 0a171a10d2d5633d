import {
  DeleteRuleCommand,
  EventBridgeClient,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  type ReceiveMessageCommandOutput,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { clientConfig } from '@orderly/operator';
import type { Endpoint } from '../endpoint.js';

/** Consumer of a demo, in this process. */
export interface DemoConsumer {
  /**
   * Handles a message.
   * @param body envelope of the event or command, as EventBridge delivers it
   * @returns whether the message is acknowledged; otherwise the queue delivers it again
   */
  handle(body: string): Promise<boolean>;
}

/** Seconds after which a message that was not acknowledged is delivered again. */
const VISIBILITY = 2;

/** A queue and a rule of their own on Orderly's bus, for a consumer in this process. They are never deployed. */
export class BusQueue {
  private readonly stopping = new AbortController();
  private polling: Promise<void> = Promise.resolve();

  private constructor(
    private readonly clients: { readonly sqs: SQSClient; readonly bus: EventBridgeClient },
    private readonly names: { readonly EventBusName: string; readonly Rule: string; readonly QueueUrl: string },
    private readonly consumer: DemoConsumer,
  ) {}

  /** @param name of the queue and of the rule @param pattern of the rule */
  static async start(
    endpoint: Endpoint,
    { bus, name, pattern }: { readonly bus: string; readonly name: string; readonly pattern: object },
    consumer: DemoConsumer,
  ): Promise<BusQueue> {
    const clients = {
      sqs: new SQSClient({ ...clientConfig(endpoint), useQueueUrlAsEndpoint: false }),
      bus: new EventBridgeClient(clientConfig(endpoint)),
    };
    const Attributes = { VisibilityTimeout: String(VISIBILITY) };
    const { QueueUrl = '' } = await clients.sqs.send(new CreateQueueCommand({ QueueName: name, Attributes }));
    const queue = new BusQueue(clients, { EventBusName: bus, Rule: name, QueueUrl }, consumer);
    await queue.subscribe(JSON.stringify(pattern));
    queue.polling = queue.poll();
    queue.polling.catch(() => {}); // \`stop\` tells
    return queue;
  }

  private async subscribe(EventPattern: string): Promise<void> {
    const { sqs, bus } = this.clients;
    const { EventBusName, Rule, QueueUrl } = this.names;
    const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }));
    const Arn = Attributes?.QueueArn;
    const Policy = JSON.stringify({
      Version: '2012-10-17',
      Statement: [
        { Effect: 'Allow', Principal: { Service: 'events.amazonaws.com' }, Action: 'sqs:SendMessage', Resource: Arn },
      ],
    });
    await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }));
    await bus.send(new PutRuleCommand({ Name: Rule, EventBusName, EventPattern }));
    await bus.send(new PutTargetsCommand({ Rule, EventBusName, Targets: [{ Id: 'demo', Arn }] }));
  }

  private async poll(): Promise<void> {
    const { QueueUrl } = this.names;
    const { signal: abortSignal } = this.stopping;
    while (!abortSignal.aborted) {
      const receive = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 5 });
      const { Messages = [] }: ReceiveMessageCommandOutput = await this.clients.sqs
        .send(receive, { abortSignal })
        .catch((error: unknown) => {
          if (abortSignal.aborted) return { $metadata: {} };
          throw error;
        });
      for (const { Body = '', ReceiptHandle } of Messages) {
        if (!(await this.consumer.handle(Body))) continue;
        await this.clients.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
      }
    }
  }

  /** Deletes the rule and the queue. */
  async stop(): Promise<void> {
    const { sqs, bus } = this.clients;
    const { EventBusName, Rule, QueueUrl } = this.names;
    this.stopping.abort();
    await this.polling;
    await bus.send(new RemoveTargetsCommand({ Rule, EventBusName, Ids: ['demo'] }));
    await bus.send(new DeleteRuleCommand({ Name: Rule, EventBusName }));
    await sqs.send(new DeleteQueueCommand({ QueueUrl }));
    sqs.destroy();
    bus.destroy();
  }
}
