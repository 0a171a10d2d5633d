import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type Clock, clientConfig, endpointClock, parseServices, type Service } from '@orderly/operator';
import { APP } from '../../lambdas/app.js';
import { type Delivery, reportEvents } from '../../lambdas/operations/deliveries.js';
import { readOrder } from '../../lambdas/operations/order-facts.js';
import { type BusEntry, toBusEntries } from '../../packages/kit/messages/envelope.js';
import type { Deployment } from './deploy.js';
import type { Endpoint } from './endpoint.js';

/** Events and commands that an order has caused, and their deliveries. */
export interface OrderOnBus {
  readonly entries: readonly BusEntry[];
  readonly deliveries: readonly Delivery[];
}

/** Events as the relay sends them. They are rebuilt from their commits and sent again. */
export class Events {
  readonly documents: DynamoDBDocumentClient;
  private readonly bus: EventBridgeClient;
  readonly services: readonly Service[];
  readonly clock: Clock;

  constructor(
    endpoint: Endpoint,
    private readonly outputs: Deployment['outputs'],
  ) {
    this.documents = DynamoDBDocumentClient.from(new DynamoDBClient(clientConfig(endpoint)));
    this.bus = new EventBridgeClient(clientConfig(endpoint));
    this.services = parseServices(outputs);
    this.clock = endpointClock(endpoint);
  }

  /** Returns everything that an order has caused, in all services that take part. */
  async ofOrder(orderId: string): Promise<OrderOnBus> {
    const facts = await readOrder(this, orderId);
    return {
      entries: facts.aggregates.flatMap(({ service, commits }) =>
        commits.flatMap((commit) => toBusEntries(commit, { app: APP.name, service })),
      ),
      deliveries: facts.aggregates.flatMap((one) => reportEvents(one, facts).flatMap(({ deliveries }) => deliveries)),
    };
  }

  /** Sends entries directly to the bus, past every outbox. */
  async send(entries: readonly BusEntry[]): Promise<void> {
    const EventBusName = this.outputs.Platform?.BusName;
    for (let at = 0; at < entries.length; at += 10) {
      const Entries = entries.slice(at, at + 10).map((entry) => ({ ...entry, EventBusName }));
      const { FailedEntryCount } = await this.bus.send(new PutEventsCommand({ Entries }));
      if (FailedEntryCount) throw new Error(`the bus refused ${FailedEntryCount} of ${Entries.length} events`);
    }
  }
}

/** Returns the id of the event in an entry. */
export const eventIdOf = ({ Detail }: BusEntry): string => (JSON.parse(Detail) as { id: string }).id;
