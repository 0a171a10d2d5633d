import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { aggregateKey, COMMIT_PREFIX, Commit } from '../../lambdas/patterns/event-store/commit.js';
import { type BusEntry, busEntries } from '../../lambdas/patterns/outbox/envelope.js';
import type { Deployment } from './deploy.js';
import { clientConfig, type Endpoint } from './endpoint.js';

/** Events as the relay sends them, rebuilt from the commits that hold them, and sent again. */
export class Events {
  private readonly documents: DynamoDBDocumentClient;
  private readonly bus: EventBridgeClient;

  constructor(
    endpoint: Endpoint,
    private readonly outputs: Deployment['outputs'],
  ) {
    this.documents = DynamoDBDocumentClient.from(new DynamoDBClient(clientConfig(endpoint)));
    this.bus = new EventBridgeClient(clientConfig(endpoint));
  }

  /** Every event of an order and of its reservation, with its place on the bus. */
  async ofOrder(orderId: string): Promise<readonly BusEntry[]> {
    const [order, reservation] = await Promise.all([
      this.commits('Orders', aggregateKey('Order', orderId)),
      this.commits('Inventory', aggregateKey('Reservation', orderId)),
    ]);
    return [
      ...order.flatMap((commit) => busEntries(commit, { service: 'orders', epoch: 0 })),
      ...reservation.flatMap((commit) => busEntries(commit, { service: 'inventory', epoch: 0 })),
    ];
  }

  /** Straight to the bus, past every outbox. */
  async send(entries: readonly BusEntry[]): Promise<void> {
    const EventBusName = this.outputs.Platform?.BusName;
    for (let at = 0; at < entries.length; at += 10) {
      const Entries = entries.slice(at, at + 10).map((entry) => ({ ...entry, EventBusName }));
      const { FailedEntryCount } = await this.bus.send(new PutEventsCommand({ Entries }));
      if (FailedEntryCount) throw new Error(`the bus refused ${FailedEntryCount} of ${Entries.length} events`);
    }
  }

  private async commits(stack: string, pk: string): Promise<readonly Commit[]> {
    const { Items = [] } = await this.documents.send(
      new QueryCommand({
        TableName: this.outputs[stack]?.TableName,
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :commit)',
        ExpressionAttributeValues: { ':pk': pk, ':commit': COMMIT_PREFIX },
      }),
    );
    return Items.map((item) => Commit.parse(item));
  }
}

/** Id of the event in an entry. */
export const eventIdOf = ({ Detail }: BusEntry): string => (JSON.parse(Detail) as { id: string }).id;
