import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { vi } from 'vitest';
import { documentClient, type Item, type TransactWriteItem } from '../../../packages/kit/aws/dynamodb.js';
import { recordKey } from '../../../packages/kit/failures/failure-records.js';
import type { InboxSettings } from '../../../packages/kit/inbox/contract.js';
import { on, type WorkResult } from '../../../packages/kit/inbox/inbox-source.js';
import { Receiver } from '../../../packages/kit/inbox/receiver.js';
import { Runner } from '../../../packages/kit/inbox/runner.js';
import { StoredMessages } from '../../../packages/kit/inbox/stored-messages.js';
import type { Work } from '../../../packages/kit/inbox/work.js';
import { type Envelope, readEnvelope } from '../../../packages/kit/messages/envelope.js';
import { eventMessage, type MessageFields } from '../../../packages/kit/testing/messages.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { PARCELS, parcels, shopContract } from '../../support/inboxes/contract.js';
import { type SentMessage, sentMessages } from '../../support/sent-messages.js';

export const BEGIN = '2026-03-01T00:00:00.000Z';
const DAY = 86_400;
export const SETTINGS: InboxSettings = {
  mode: 'single',
  attempts: 3,
  backoff: { kind: 'exponential', baseSeconds: 30, capSeconds: 3600 },
  leaseSeconds: 60,
  pageSize: 20,
};

/** 35 days by the time of the tests. */
const WINDOW = [
  { from: '1970-01-01T00:00:00.000Z', seconds: 23 * DAY },
  { from: '2026-02-01T00:00:00.000Z', seconds: 35 * DAY },
];

export class Refused extends Error {}

/** An inbox of parcels in this process, with tables of its own: receiver, runner, and a handler that a test chooses. */
/** Identity of a message: its id is the shop's own, so its source is part of it. */
export const parcelId = (name: string): string => `app.shop:${name}`;

export class Parcels {
  readonly messages = new StoredMessages({ table: 'records', consumer: PARCELS });
  readonly calls: { readonly operation: string }[];
  /** Delayed hand-outs. */
  readonly sent: readonly SentMessage[];
  handle: (name: string, work: Work) => Promise<WorkResult> | WorkResult = (name) => ({
    decide: async () => [counted(name)],
  });
  private receiver: Receiver;
  private readonly runner: Runner;

  /** @param since time of the inbox's first deployment, if its construct says it */
  constructor(
    since?: string,
    private readonly settings: Partial<InboxSettings> = {},
  ) {
    this.runner = new Runner({
      table: 'records',
      consumer: PARCELS,
      service: 'desk',
      windowSeconds: WINDOW,
      settings: { ...SETTINGS, ...settings },
      queue: 'queue',
      isRefusal: (error) => error instanceof Refused,
      sources: [on(parcels, { ParcelSent: ({ event }, work) => this.handle(event.data.name, work) })],
    });
    this.receiver = this.createReceiver(since);
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: Date.parse(BEGIN) });
    const indexes = { due: ['duePk', 'executeAt'], failed: ['failedConsumer', 'failedAt'] };
    this.sent = sentMessages();
    this.calls = inProcessDynamoDb({ table: ['pk', 'sk'], records: ['pk'] }, { records: indexes }).calls;
  }

  /** Deploys another receiver. @param payloads form in which it stores messages */
  deployReceiver(payloads: InboxSettings['payloads']): void {
    this.receiver = this.createReceiver(undefined, payloads);
  }

  private createReceiver(since?: string, payloads = this.settings.payloads): Receiver {
    const receiving = { app: 'app', windowSeconds: WINDOW, since, commanders: [], mode: 'single' } as const;
    return new Receiver({ table: 'records', consumer: PARCELS, ...receiving, payloads: payloads ?? 'plain' });
  }

  message = (name: string, fields: MessageFields = {}): Envelope =>
    eventMessage(
      shopContract,
      { type: 'ParcelSent', data: { name } },
      { id: name, subject: `Parcel/${name}`, ...fields },
    );

  /** Delivers messages in one batch. @returns ids of those that stay in the queue */
  async receive(messages: readonly (Envelope | string)[], attributes: Readonly<Record<string, string>> = {}) {
    const Records = messages.map((message, at) => ({
      messageId: String(at),
      body: typeof message === 'string' ? message : bodyOf(message),
      attributes: { ApproximateReceiveCount: '1' },
      messageAttributes: Object.fromEntries(
        Object.entries(attributes).map(([name, stringValue]) => [name, { stringValue, dataType: 'String' }]),
      ),
    }));
    const { batchItemFailures } = await this.receiver.receiveBatch({ Records } as never);
    return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  }

  /** Hands a message to the runner. @param fence of the runner that put it off, if its delayed hand-out comes */
  run = (name: string, fence?: number): Promise<void> =>
    this.runner.run({ record: this.key(name), ...(fence === undefined ? {} : { fence }) }, () => 60_000);
  /** Takes a message as another runner. */
  take = (name: string) => this.messages.claim({ record: this.key(name) }, SETTINGS);
  key = (name: string): string => recordKey(PARCELS, parcelId(name));

  record = async (name: string): Promise<Item> => (await read('records', { pk: this.key(name) })) ?? {};

  async times(name: string): Promise<number> {
    return Number((await read('table', { pk: `Parcel#${name}`, sk: 'STATE' }))?.times ?? 0);
  }

  pass(seconds: number): void {
    vi.setSystemTime(Date.now() + seconds * 1000);
  }
}

export const bodyOf = (message: Envelope): string => {
  const body = JSON.stringify({ source: message.source, 'detail-type': message.type, detail: message });
  readEnvelope(body);
  return body;
};

/** An effect that can be counted. */
export const counted = (name: string): TransactWriteItem => ({
  Update: {
    TableName: 'table',
    Key: { pk: `Parcel#${name}`, sk: 'STATE' },
    UpdateExpression: 'ADD times :one',
    ExpressionAttributeValues: { ':one': 1 },
  },
});

async function read(TableName: string, Key: Item): Promise<Item | undefined> {
  return (await documentClient.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;
}
