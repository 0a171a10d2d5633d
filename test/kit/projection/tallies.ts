import { randomUUID } from 'node:crypto';
import { DeleteCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { Context } from 'aws-lambda';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { Env } from '../../../packages/kit/aws/environment.js';
import { DynamoDbEventStore } from '../../../packages/kit/event-store/dynamodb-event-store.js';
import type { RebuildAnswer, RebuildRequest } from '../../../packages/kit/projection/contract.js';
import { type Projection, type Row, updateProjection } from '../../../packages/kit/projection/projection.js';
import { rebuilder } from '../../../packages/kit/projection/rebuilder.js';
import {
  buildTrace,
  countedEvent,
  evolution,
  type Tally,
  type TallyEvent,
  tallyContract,
} from '../../support/tally.js';

const feedShards = [{ from: '1970-01-01T00:00:00.000Z', shards: 8 }];

/** One projection with its table, as a service has it: tallies by their sum. */
export class Tallies {
  readonly store: DynamoDbEventStore<Tally, TallyEvent>;
  readonly projection: Projection<Tally>;
  readonly ask: (request: RebuildRequest) => Promise<RebuildAnswer>;
  /** Milliseconds that a call of the function has left; read again at each look. */
  timeLeft = () => 30_000;

  /** @param table with keys `pk`, `sk` and the index `feed` */
  constructor(readonly table: string) {
    this.store = new DynamoDbEventStore(
      { table, aggregate: 'Tally', contract: tallyContract, feedShards },
      evolution(),
    );
    this.projection = {
      name: 'tallies',
      table,
      aggregate: 'Tally',
      store: this.store,
      partitions: 'SHOWN#',
      versionedKeys: ['sk', 'listPk'],
      row: ({ id, state, version }) =>
        version === 0
          ? undefined
          : {
              pk: `SHOWN#${id}`,
              sk: 'ROW',
              version,
              sum: state.sum,
              ...(state.sum % 2 === 0 ? { listPk: 'EVEN#tallies', listSk: id } : {}),
            },
      idOf: ({ pk }) => pk.slice('SHOWN#'.length),
    };
    process.env[Env.RECORDS] = 'records';
    const handler = rebuilder(this.projection);
    const context = { getRemainingTimeInMillis: () => this.timeLeft() } as Context;
    this.ask = (request) => handler(request, context);
  }

  /** Counts 1. @returns the tally's id */
  async count(id: string = randomUUID()): Promise<string> {
    await this.store.append(
      this.store.buildCommit(await this.store.load(id), [countedEvent(1)], buildTrace(randomUUID())),
    );
    return id;
  }

  /** Action of its consumer at any event. */
  consume = async (id: string): Promise<'applied' | 'duplicate'> =>
    updateProjection(this.projection, await this.store.load(id));

  /** A tally that its list shows. */
  async listed(): Promise<string> {
    const id = await this.count();
    await this.consume(id);
    return id;
  }

  /** Every row, of any version. */
  async rows(): Promise<readonly Row[]> {
    const { Items = [] } = await documentClient.send(new ScanCommand({ TableName: this.table, ConsistentRead: true }));
    return (Items as Row[]).filter(({ pk }) => pk.startsWith('SHOWN#'));
  }

  /** Sums by id that a version shows. */
  async shown(version: number): Promise<Readonly<Record<string, unknown>>> {
    const sk = version === 1 ? 'ROW' : `ROW@${version}`;
    const rows = (await this.rows()).filter((row) => row.sk === sk);
    return Object.fromEntries(rows.map((row) => [this.projection.idOf(row), row.sum]));
  }

  /** Puts an item as it is: what a fault would leave. */
  put = (Item: Record<string, unknown>) => documentClient.send(new PutCommand({ TableName: this.table, Item }));

  remove = (pk: string, sk: string) =>
    documentClient.send(new DeleteCommand({ TableName: this.table, Key: { pk, sk } }));
}
