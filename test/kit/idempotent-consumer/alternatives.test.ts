import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Context } from 'aws-lambda';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { documentClient, type TransactWriteItem, transact } from '../../../packages/kit/aws/dynamodb.js';
import { type Effect, ProcessedRecords, processOnce } from '../../../packages/kit/idempotent-consumer/process-once.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';

/** Measures what ALTERNATIVES.md says of the idempotency utility of Powertools: `npm test -- kit/idempotent-consumer/alternatives`. */

const { calls } = inProcessDynamoDb({ things: ['pk'], records: ['pk'], guard: ['pk'] });
afterEach(() => void vi.useRealTimers());

const FUNCTION_SECONDS = 20;
const WINDOW = 35 * 86_400;

interface Message {
  readonly id: string;
  readonly source: string;
  readonly time: string;
}

/** Fault that a delivery meets on its way. `crash`: its process ends after the write. `error`: the write's answer is lost. */
type Trouble = 'crash' | 'error' | undefined;

/** A consumer that makes this effect once for each message. It never answers if it crashes. */
type Consumer = (message: Message, effect: Effect, trouble?: Trouble) => Promise<unknown>;

const counted = (pk: string): TransactWriteItem => ({
  Update: {
    TableName: 'things',
    Key: { pk },
    UpdateExpression: 'ADD times :one',
    ExpressionAttributeValues: { ':one': 1 },
  },
});

/** The newest crash: a crashed delivery neither answers nor throws. */
let crashed = () => {};

async function write(effect: () => Promise<void>, trouble: Trouble): Promise<void> {
  await effect();
  if (trouble === 'error') throw new Error('the answer was lost');
  if (trouble === 'crash') {
    crashed();
    await new Promise(() => undefined);
  }
}

class TroubledRecords extends ProcessedRecords {
  constructor(private readonly trouble: Trouble) {
    super('records', { name: 'tester', generation: 0 }, WINDOW);
  }
  override transact(writes: Effect): Promise<void> {
    return write(() => super.transact(writes), this.trouble);
  }
}

const ours: Consumer = (message, effect, trouble) =>
  processOnce(message, async () => effect, new TroubledRecords(trouble));

/** One write is an UpdateItem, more are a transaction: what a handler does that Powertools wraps. */
const powertools = (begins: (config: IdempotencyConfig) => void): Consumer => {
  const persistenceStore = new DynamoDBPersistenceLayer({
    tableName: 'guard',
    keyAttr: 'pk',
    expiryAttr: 'expiresAt',
    awsSdkV3Client: documentClient,
  });
  return (message, effect, trouble) => {
    const config = new IdempotencyConfig({ eventKeyJmesPath: 'id', expiresAfterSeconds: WINDOW });
    begins(config);
    const handle = makeIdempotent(
      async (_: { readonly id: string }) => {
        await write(() => written(effect), trouble);
        return 'applied';
      },
      { persistenceStore, keyPrefix: 'tester', config },
    );
    return handle({ id: message.id });
  };
};

async function written(effect: Effect): Promise<void> {
  const [only, ...more] = effect;
  if (more.length > 0 || !only?.Update) return transact(effect);
  await documentClient.send(new UpdateCommand(only.Update));
}

const registered = powertools((config) => {
  const ends = Date.now() + FUNCTION_SECONDS * 1000;
  config.registerLambdaContext({ getRemainingTimeInMillis: () => ends - Date.now() } as Context);
});
const unregistered = powertools(() => {});

/** The redelivery comes when the function's time is over, as a queue's does. */
const later = (seconds = FUNCTION_SECONDS + 1) =>
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 });

async function timesOf(pk: string): Promise<number> {
  const { Item } = await documentClient.send(
    new GetCommand({ TableName: 'things', Key: { pk }, ConsistentRead: true }),
  );
  return (Item?.times as number | undefined) ?? 0;
}

const outcomeOf = (delivery: Promise<unknown>) => delivery.then(String, (error: Error) => error.name);

async function crash(delivery: () => Promise<unknown>): Promise<void> {
  await new Promise<void>((resolve) => {
    crashed = resolve;
    void delivery();
  });
}

/** Deliveries of one message, and how often the effect then happened. */
const HISTORIES: Readonly<
  Record<string, (deliver: (trouble?: Trouble) => Promise<unknown>, again: () => void) => Promise<unknown>>
> = {
  'one delivery': (deliver) => deliver(),
  'a second delivery': async (deliver, again) => {
    await deliver();
    again();
    await deliver();
  },
  'a crash after the effect, and a redelivery': async (deliver, again) => {
    await crash(() => deliver('crash'));
    later();
    again();
    await deliver();
  },
  "the lost answer of the effect's write, and a redelivery": async (deliver, again) => {
    await outcomeOf(deliver('error'));
    again();
    await deliver();
  },
};

async function row(consumer: Consumer, history: string, writes: number): Promise<string> {
  const message = { id: randomUUID(), source: 'app.shop', time: new Date().toISOString() };
  const effect = Array.from({ length: writes }, (_, at) => counted(`${message.id}${at === 0 ? '' : `/${at}`}`));
  let before = calls.length;
  await HISTORIES[history]!(
    (trouble) => consumer(message, effect, trouble),
    () => (before = calls.length),
  );
  const made = calls.slice(before);
  const units = made.reduce((sum, { writeUnits }) => sum + writeUnits, 0);
  return `${made.length} | ${units} | ${await timesOf(message.id)}`;
}

describe('idempotent-consumer/ALTERNATIVES.md', () => {
  const page = readFileSync(
    new URL('../../../packages/kit/idempotent-consumer/ALTERNATIVES.md', import.meta.url),
    'utf8',
  );
  const measured = page.split('\n').filter((line) => /^\| (?:one|two) writes? \|/.test(line));

  test('says how many calls, units and effects were measured', async () => {
    const rows: string[] = [];
    for (const [writes, name] of [
      [1, 'one write'],
      [2, 'two writes'],
    ] as const) {
      for (const history of Object.keys(HISTORIES)) {
        const [our, theirs] = [await row(ours, history, writes), await row(registered, history, writes)];
        rows.push(`| ${name} | ${history} | ${our} | ${theirs} |`);
        vi.useRealTimers();
      }
    }
    expect(measured).toEqual(rows);
  });

  test('says what a second delivery gets while the first one is under way', async () => {
    const message = { id: randomUUID(), source: 'app.shop', time: new Date().toISOString() };
    const both = (consumer: Consumer, pk: string) =>
      Promise.all([1, 2].map(() => outcomeOf(consumer(message, [counted(pk)]))));
    expect((await both(ours, 'ours')).toSorted()).toEqual(['applied', 'duplicate']);
    expect((await both(registered, 'theirs')).toSorted()).toEqual(['IdempotencyAlreadyInProgressError', 'applied']);
    expect([await timesOf('ours'), await timesOf('theirs')]).toEqual([1, 1]);
  });

  test('says that without the context of its invocation, a crash blocks the message until its record expires', async () => {
    const message = { id: randomUUID(), source: 'app.shop', time: new Date().toISOString() };
    const deliver = (trouble?: Trouble) => unregistered(message, [counted(message.id)], trouble);
    await crash(() => deliver('crash'));
    later(WINDOW - 60);
    expect(await outcomeOf(deliver())).toBe('IdempotencyAlreadyInProgressError');
    later(120);
    expect(await outcomeOf(deliver())).toBe('applied');
    expect(await timesOf(message.id)).toBe(2);
  });
});
