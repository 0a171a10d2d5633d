import { type DynamoDBDocumentClient, GetCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import { APP } from '../../lambdas/app.js';
import { readListedVersion } from '../../lambdas/operations/order-facts.js';
import type { OrderView } from '../../lambdas/orders/contract.js';
import { eventSource } from '../../packages/kit/aws/app-names.js';
import { recordKey } from '../../packages/kit/failures/failure-records.js';
import { type Commit, commitKey } from '../../packages/kit/messages/commit.js';
import { type Envelope, toBusEntries } from '../../packages/kit/messages/envelope.js';
import { parseVersions, pointerKey, versionedKey } from '../../packages/kit/projection/versions.js';
import {
  type Listener,
  listListeners,
  listRecordKeys,
  type Service,
} from '../../packages/operator/deployment/services.js';
import type { Aggregate } from '../acceptance/world.js';
import { owningService, SERVICE_OF } from './deployed-parts.js';

/** Aggregates that have the order's id. An account has its customer's. */
const OF_AN_ORDER = ['Order', 'CreateOrderSaga', 'PriceCheck', 'Reservation', 'Payment', 'Checkout'] as const;

/** How far an order has come, as the tables of everybody who has a part in it tell. */
export class OrderWay {
  /** @param dynamodb reads the deployment's tables */
  constructor(
    private readonly services: readonly Service[],
    private readonly dynamodb: DynamoDBDocumentClient,
  ) {}

  /** Of an aggregate, oldest first. @param between first and last sort key. @default all */
  async commits(aggregate: Aggregate, id: string, between = [commitKey(0), 'COMMIT#~']): Promise<readonly Commit[]> {
    const commits: Commit[] = [];
    for await (const { Items = [] } of paginateQuery(
      { client: this.dynamodb },
      {
        TableName: owningService(this.services, aggregate).table,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
        ExpressionAttributeValues: { ':pk': `${aggregate}#${id}`, ':first': between[0], ':last': between[1] },
        ConsistentRead: true,
      },
    )) {
      commits.push(...(Items as Commit[]));
    }
    return commits;
  }

  /** Record that a consumer has of a message. */
  async record(consumer: Listener, messageId: string) {
    return this.read(consumer.service.records, { pk: recordKey(consumer, messageId) });
  }

  /**
   * Looks once whether everything that was committed for an order is done.
   * @param done what an earlier look found done; is added to
   * @throws {Error} that says what is not
   */
  async refuseUnsettled(orderId: string, done: Set<string>): Promise<void> {
    const before = await this.readMessages(orderId);
    for (const message of before) {
      for (const consumer of this.findListeners(message)) {
        const delivery = `${consumer.name} ${message.id}`;
        if (!done.has(delivery) && !(await this.isDone(consumer, message))) {
          throw new Error(`${consumer.name} has not done ${message.type}`);
        }
        done.add(delivery);
      }
    }
    if ((await this.readMessages(orderId)).length !== before.length) throw new Error('a commit came in between');
  }

  private findListeners({ source, to, type }: Envelope): readonly Listener[] {
    return listListeners(this.services).filter(({ consumer, service }) =>
      to === undefined
        ? consumer?.events.some(
            (heard) => eventSource(APP.name, heard.service) === source && heard.types.includes(type),
          )
        : consumer?.takesCommands && service.name === to,
    );
  }

  /** All events and commands that an order has led to. */
  private async readMessages(orderId: string): Promise<readonly Envelope[]> {
    const all = OF_AN_ORDER.map(async (aggregate) =>
      publishedMessages(aggregate, await this.commits(aggregate, orderId)),
    );
    return (await Promise.all([...all, this.messagesOfAccount(orderId)])).flat();
  }

  /** Those commits of the customer's account that are about this order; its own item names the first and the last. */
  private async messagesOfAccount(orderId: string): Promise<readonly Envelope[]> {
    const { customerId } = await this.placed(orderId);
    const { table } = owningService(this.services, 'Account');
    const item = await this.read(table, { pk: `Account#${customerId}`, sk: `AUTH#${orderId}` });
    if (!item) return [];
    const commits = await this.commits('Account', customerId, [commitKey(item.first), commitKey(item.version)]);
    const isAbout = ({ events }: Commit) => events.some(({ data }) => JSON.parse(data).orderId === orderId);
    return publishedMessages('Account', commits.filter(isAbout));
  }

  /** A projection keeps no records of what it has done: its row's version tells. */
  private async isDone(listener: Listener, message: Envelope): Promise<boolean> {
    const { subject, sequence } = message;
    for (const pk of listRecordKeys(listener, message)) {
      const record = await this.read(listener.service.records, { pk });
      // An inbox has stored a pending message, and has not processed it. In mode batch, it is done with once it has a place: its
      // window may close tomorrow.
      if (record && (record.status !== 'PENDING' || record.window !== undefined)) return true;
    }
    if (!listener.consumer?.projection) return false;
    return (await this.shownVersion(listener, subject.slice(subject.indexOf('/') + 1))) >= sequence;
  }

  /** @param id of an order or an account */
  private async shownVersion({ name, service: { table } }: Listener, id: string): Promise<number> {
    if (name === 'orders-list') return readListedVersion(this.dynamodb, table, await this.placed(id));
    if (name !== 'accounts-exhausted') throw new Error(`test/support/order-way.ts doesn't know the rows of '${name}'`);
    const { reads } = parseVersions(await this.read(table, pointerKey(name)));
    const row = await this.read(table, { pk: `CREDIT#${id}`, sk: versionedKey('ROW', reads) });
    return row?.version ?? 0;
  }

  private async placed(orderId: string): Promise<Pick<OrderView, 'orderId' | 'customerId' | 'placedAt'>> {
    const [placed] = await this.commits('Order', orderId);
    return JSON.parse(placed?.events[0]?.data ?? '{}');
  }

  private async read(TableName: string, Key: Record<string, string>) {
    return (await this.dynamodb.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;
  }
}

/** Events and commands as they are published, oldest first. */
export const publishedMessages = (aggregate: Aggregate, commits: readonly Commit[]): readonly Envelope[] =>
  commits.flatMap((commit) =>
    toBusEntries(commit, { app: APP.name, service: SERVICE_OF[aggregate] }).map(
      ({ Detail }) => JSON.parse(Detail) as Envelope,
    ),
  );
