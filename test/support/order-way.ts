import { type DynamoDBDocumentClient, GetCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import { APP } from '../../lambdas/app.js';
import type { OrderView } from '../../lambdas/orders/contract.js';
import { sourceOf } from '../../packages/kit/aws/app-names.js';
import { type Commit, commitKey } from '../../packages/kit/messages/commit.js';
import { busEntries, type Envelope } from '../../packages/kit/messages/envelope.js';
import { inVersion, pointerKey, versionsIn } from '../../packages/kit/projection/versions.js';
import type { ConsumerDescription } from '../../packages/kit/service/service-stack.js';
import { listedVersion } from '../../tools/operator/order-facts.js';
import type { Aggregate, ConsumerName } from '../acceptance/world.js';
import type { Deployed } from './deployed.js';
import { CONSUMERS, HOMES, output } from './deployed-parts.js';

/** What an adapter tells of the deployment that it stands before. */
export interface Tables {
  readonly outputs: Deployed['outputs'];
  /** Reads the deployment's tables. */
  readonly dynamodb: DynamoDBDocumentClient;
}

/** Aggregates that have the order's id. An account has its customer's. */
const OF_AN_ORDER = ['Order', 'CreateOrderSaga', 'PriceCheck', 'Reservation', 'Payment'] as const;

/** How far an order has come, as the tables of everybody who has a part in it tell. */
export class OrderWay {
  /** As the services' stacks describe them, with the service of each. */
  private readonly consumers: readonly (ConsumerDescription & { readonly service: string })[];

  constructor(private readonly tables: Tables) {
    this.consumers = Object.values(tables.outputs).flatMap(({ ServiceName = '', Consumers = '[]' }) =>
      (JSON.parse(Consumers) as ConsumerDescription[]).map((consumer) => ({ ...consumer, service: ServiceName })),
    );
  }

  /** Of an aggregate, oldest first. @param between first and last sort key. @default all */
  async commits(aggregate: Aggregate, id: string, between = [commitKey(0), 'COMMIT#~']): Promise<readonly Commit[]> {
    const commits: Commit[] = [];
    for await (const { Items = [] } of paginateQuery(
      { client: this.tables.dynamodb },
      {
        TableName: output(this.tables, HOMES[aggregate].stack, 'TableName'),
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
        ExpressionAttributeValues: { ':pk': `${aggregate}#${id}`, ':first': between[0], ':last': between[1] },
        ConsistentRead: true,
      },
    )) {
      commits.push(...(Items as Commit[]));
    }
    return commits;
  }

  /** What a consumer that keeps records knows of a message. */
  async record(consumer: ConsumerName, messageId: string) {
    return this.read(CONSUMERS[consumer].stack, 'RecordsName', { pk: `${consumer}@0#${messageId}` });
  }

  /**
   * Looks once whether everything that was committed for an order is done.
   * @param done what an earlier look found done; is added to
   * @throws {Error} that says what is not
   */
  async refuseUnsettled(orderId: string, done: Set<string>): Promise<void> {
    const before = await this.messagesOf(orderId);
    for (const message of before) {
      for (const consumer of this.listenersOf(message)) {
        const delivery = `${consumer} ${message.id}`;
        if (!done.has(delivery) && !(await this.isDone(consumer, message))) {
          throw new Error(`${consumer} has not done ${message.type}`);
        }
        done.add(delivery);
      }
    }
    if ((await this.messagesOf(orderId)).length !== before.length) throw new Error('a commit came in between');
  }

  private listenersOf({ source, to, type }: Envelope): readonly ConsumerName[] {
    const hears = ({ events, takesCommands, service }: (typeof this.consumers)[number]) =>
      to === undefined
        ? events.some((heard) => sourceOf(APP.name, heard.service) === source && heard.types.includes(type))
        : takesCommands && service === to;
    return this.consumers.filter(hears).map(({ name }) => known(name));
  }

  /** All events and commands that an order has led to. */
  private async messagesOf(orderId: string): Promise<readonly Envelope[]> {
    const all = OF_AN_ORDER.map(async (aggregate) => messagesIn(aggregate, await this.commits(aggregate, orderId)));
    return (await Promise.all([...all, this.messagesOfAccount(orderId)])).flat();
  }

  /** Those commits of the customer's account that are about this order; its own item names the first and the last. */
  private async messagesOfAccount(orderId: string): Promise<readonly Envelope[]> {
    const { customerId } = await this.placed(orderId);
    const item = await this.read('Accounts', 'TableName', { pk: `Account#${customerId}`, sk: `AUTH#${orderId}` });
    if (!item) return [];
    const commits = await this.commits('Account', customerId, [commitKey(item.first), commitKey(item.version)]);
    const isAbout = ({ events }: Commit) => events.some(({ data }) => JSON.parse(data).orderId === orderId);
    return messagesIn('Account', commits.filter(isAbout));
  }

  /** A projection keeps no records of what it has done: its row's version tells. */
  private async isDone(consumer: ConsumerName, { id, subject, sequence }: Envelope): Promise<boolean> {
    if (await this.record(consumer, id)) return true;
    const of = subject.slice(subject.indexOf('/') + 1);
    if (consumer === 'orders-list') {
      const table = output(this.tables, 'Orders', 'TableName');
      return (await listedVersion(this.tables.dynamodb, table, await this.placed(of))) >= sequence;
    }
    if (consumer !== 'accounts-exhausted') return false;
    const { reads } = versionsIn(await this.read('Accounts', 'TableName', pointerKey(consumer)));
    const row = await this.read('Accounts', 'TableName', { pk: `CREDIT#${of}`, sk: inVersion('ROW', reads) });
    return (row?.version ?? 0) >= sequence;
  }

  private async placed(orderId: string): Promise<Pick<OrderView, 'orderId' | 'customerId' | 'placedAt'>> {
    const [placed] = await this.commits('Order', orderId);
    return JSON.parse(placed?.events[0]?.data ?? '{}');
  }

  private async read(stack: string, table: string, Key: Record<string, string>) {
    const TableName = output(this.tables, stack, table);
    return (await this.tables.dynamodb.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;
  }
}

/** Events and commands as they are published, oldest first. */
export const messagesIn = (aggregate: Aggregate, commits: readonly Commit[]): readonly Envelope[] =>
  commits.flatMap((commit) =>
    busEntries(commit, { app: APP.name, service: HOMES[aggregate].service, epoch: 0 }).map(
      ({ Detail }) => JSON.parse(Detail) as Envelope,
    ),
  );

/** @throws {Error} where the deployment has a consumer that scenarios can't speak of */
function known(consumer: string): ConsumerName {
  if (consumer in CONSUMERS) return consumer as ConsumerName;
  throw new Error(`test/support/deployed-parts.ts doesn't know where consumer '${consumer}' is`);
}
