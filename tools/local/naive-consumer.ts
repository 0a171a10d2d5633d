import { randomBytes } from 'node:crypto';
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
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { clientConfig } from '@orderly/kit/operator';
import { inventoryContract } from '../../lambdas/inventory/contract.js';
import { ordersContract } from '../../lambdas/orders/contract.js';
import { readEnvelope } from '../../packages/kit/messages/envelope.js';
import type { Endpoint } from './endpoint.js';

/**
 * Naive consumer that shows what not to do, for comparison with the idempotent one. It takes pieces from the stock for each
 * ReserveStock command that it receives, as if each arrived exactly once. It has its own queue and rule on Orderly's bus,
 * and is never deployed.
 */
export class NaiveConsumer {
  /** What it did with each message that it received. */
  readonly handled: { readonly id: string; readonly at: string; readonly took: number; readonly left: number }[] = [];
  private stopping = false;
  private polling: Promise<void> = Promise.resolve();

  private constructor(
    private readonly clients: { readonly sqs: SQSClient; readonly bus: EventBridgeClient },
    private readonly names: { readonly EventBusName: string; readonly Rule: string; readonly QueueUrl: string },
    /** Pieces in stock, as this consumer counts them. */
    public stock: number,
  ) {}

  static async start(endpoint: Endpoint, EventBusName: string, stock: number): Promise<NaiveConsumer> {
    const clients = {
      sqs: new SQSClient({ ...clientConfig(endpoint), useQueueUrlAsEndpoint: false }),
      bus: new EventBridgeClient(clientConfig(endpoint)),
    };
    const Rule = `orderly-naive-demo-${randomBytes(3).toString('hex')}`;
    const { QueueUrl = '' } = await clients.sqs.send(new CreateQueueCommand({ QueueName: Rule }));
    const naive = new NaiveConsumer(clients, { EventBusName, Rule, QueueUrl }, stock);
    await naive.subscribe();
    naive.polling = naive.poll();
    return naive;
  }

  private async subscribe(): Promise<void> {
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
    const EventPattern = JSON.stringify({
      source: [`orderly.${ordersContract.service}`],
      'detail-type': ['ReserveStock'],
    });
    await bus.send(new PutRuleCommand({ Name: Rule, EventBusName, EventPattern }));
    await bus.send(new PutTargetsCommand({ Rule, EventBusName, Targets: [{ Id: 'naive', Arn }] }));
  }

  private async poll(): Promise<void> {
    const { QueueUrl } = this.names;
    while (!this.stopping) {
      const receive = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 });
      const { Messages = [] } = await this.clients.sqs.send(receive);
      for (const { Body = '', ReceiptHandle } of Messages) {
        this.handle(Body);
        await this.clients.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
      }
    }
  }

  /** Handles a message. The fault is here: nothing checks whether this command was handled before. */
  private handle(body: string): void {
    const { id, data } = readEnvelope(body);
    const { lines } = inventoryContract.commands.ReserveStock.data.parse(data);
    const took = lines.reduce((sum, { quantity }) => sum + quantity, 0);
    this.stock -= took;
    this.handled.push({ id, at: new Date().toISOString(), took, left: this.stock });
  }

  /** Deletes its rule and queue. */
  async stop(): Promise<void> {
    const { sqs, bus } = this.clients;
    const { EventBusName, Rule, QueueUrl } = this.names;
    this.stopping = true;
    await this.polling;
    await bus.send(new RemoveTargetsCommand({ Rule, EventBusName, Ids: ['naive'] }));
    await bus.send(new DeleteRuleCommand({ Name: Rule, EventBusName }));
    await sqs.send(new DeleteQueueCommand({ QueueUrl }));
  }
}
