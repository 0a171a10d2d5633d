import { randomUUID } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { APIGatewayProxyEvent, Context, SQSRecord } from 'aws-lambda';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { documentClient, transact } from '../../../packages/kit/aws/dynamodb.js';
import { Env } from '../../../packages/kit/aws/environment.js';
import { SafeError, safeText } from '../../../packages/kit/aws/safe-error.js';
import { logAndSanitize, logger } from '../../../packages/kit/aws/telemetry.js';
import { failureTextPlace, type TextKeys } from '../../../packages/kit/failures/failure-reasons.js';
import { on } from '../../../packages/kit/idempotent-consumer/message-source.js';
import type { InboxSettings } from '../../../packages/kit/inbox/contract.js';
import { on as inboxOn } from '../../../packages/kit/inbox/inbox-source.js';
import { Runner } from '../../../packages/kit/inbox/runner.js';
import { StoredMessages } from '../../../packages/kit/inbox/stored-messages.js';
import { readEnvelope } from '../../../packages/kit/messages/envelope.js';
import { commandsTo, subscribe } from '../../../packages/kit/messages/subscriptions.js';
import { erasureFromEnvironment } from '../../../packages/kit/personal-data/erasure.js';
import { PersonalKeys } from '../../../packages/kit/personal-data/personal-keys.js';
import { functionEnvironment } from '../../support/function-environment.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { inProcessKms, KMS_KEY } from '../../support/in-process-kms.js';

/** Where the text of a handler's error is, and where it isn't. */

const ADDRESS = '12 Main Street, 10115 Berlin';
const PERSON = 'ada';
const MESSAGE = randomUUID();

const Judged = z.object({ userId: z.string(), by: z.exactOptional(z.string()) });
const users = {
  service: 'users',
  events: {
    UserJudged: { version: 1, data: Judged },
    UserNoted: { version: 1, data: Judged, personal: { note: 'by' } },
    Ticked: { version: 1, data: z.object({}) },
  },
  commands: { Judge: { version: 1, data: Judged } },
  person: 'userId',
  aggregatesOfPeople: ['User'],
} as const;
const notes = {
  service: 'notes',
  events: { Noted: { version: 1, data: Judged, personal: { note: 'by' } } },
} as const;

let consumer: typeof import('../../../packages/kit/idempotent-consumer/consumer.js').consumer;
let endpoint: typeof import('../../../packages/kit/http/http.js').endpoint;
beforeAll(async () => {
  functionEnvironment({
    SERVICE: 'reviews',
    CONSUMER: 'reviews',
    CONSUMER_GENERATION: '0',
    COMMANDERS: '["users"]',
    MAX_ATTEMPTS: '5',
    QUEUE_URL: 'http://queue.test',
    AWS_REGION: 'eu-west-1',
    [Env.ROLES]: '["customer"]',
    [Env.PERSONAL_KEYS]: 'people',
  });
  ({ consumer } = await import('../../../packages/kit/idempotent-consumer/consumer.js'));
  ({ endpoint } = await import('../../../packages/kit/http/http.js'));
});

let kms: ReturnType<typeof inProcessKms>;
let keys: PersonalKeys;
let log: string[];
beforeEach(() => {
  inProcessDynamoDb({ table: ['pk', 'sk'], records: ['pk'], people: ['pk'] });
  kms = inProcessKms();
  keys = newKeys();
  log = [];
  for (const level of ['info', 'warn', 'error'] as const) {
    vi.spyOn(logger, level).mockImplementation((...words) => void log.push(JSON.stringify(words)));
  }
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

/** As a function or a command line has them that has just begun. */
const newKeys = () => new PersonalKeys({ table: 'people', kmsKey: KMS_KEY, documents: documentClient, kms: kms.kms });

interface Sent {
  readonly from?: string;
  readonly to?: string;
  readonly type?: string;
  readonly subject?: string;
  readonly data?: object;
}
const recordOf = ({
  from = 'users',
  to,
  type = 'UserJudged',
  subject = 'User/ada',
  data = { userId: PERSON },
}: Sent) => {
  const detail = {
    ...{ id: MESSAGE, source: `orderly.${from}`, ...(to && { to }), type, subject, data },
    ...{ time: new Date().toISOString(), dataschema: `urn:orderly:${to ?? from}:${type}:1`, sequence: 1, epoch: 0 },
    ...{ correlationid: 'c', causationid: 'c', traceparent: 't', actor: 'service:users' },
  };
  return {
    messageId: '1',
    receiptHandle: '1',
    body: JSON.stringify({ source: detail.source, 'detail-type': type, detail }),
    attributes: { ApproximateReceiveCount: '5' },
    messageAttributes: {},
  } as unknown as SQSRecord;
};

/** A message whose handler throws, for the last time. @returns its failure record */
async function failure(thrown: unknown, people?: TextKeys, sent: Sent = {}) {
  const fails = () => ({ decide: () => Promise.reject(thrown) });
  const handler = consumer(
    [
      on(subscribe(users, ['UserJudged', 'UserNoted', 'Ticked']), {
        UserJudged: fails,
        UserNoted: fails,
        Ticked: fails,
      }),
      on(subscribe(notes, ['Noted']), { Noted: fails }),
      on(commandsTo(users, { from: [users] }), { Judge: fails }),
    ],
    people && { personalKeys: people },
  );
  await handler({ Records: [recordOf(sent)] }, { getRemainingTimeInMillis: () => 30_000 } as Context);
  const { Item } = await documentClient.send(
    new GetCommand({ TableName: 'records', Key: { pk: `reviews@0#${MESSAGE}` } }),
  );
  expect(Item?.status).toBe('FAILED');
  return Item?.failures[0];
}

const hasKey = () => keys.createUnsealed(PERSON, 'anything');
const opened = async ({ sealed }: Awaited<ReturnType<typeof failure>>) =>
  (await newKeys().openAll(sealed.person, [{ sealed: sealed.text, place: failureTextPlace('reviews') }]))[0];

describe('a text that may contain a value', () => {
  test('an unsafe text is in no record and no log line', async () => {
    const reason = await failure(new Error(`no review of ${ADDRESS}`));
    expect(reason).toMatchObject({
      name: 'Error',
      message: '',
      stack: [expect.stringMatching(/^at /), ...reason.stack.slice(1)],
    });
    expect(JSON.stringify(reason)).not.toContain('Main Street');
    expect(log.join()).toContain('"name":"Error"');
    expect(log.join()).not.toContain('Main Street');
  });

  test('an unsafe text is sealed for the person whom the message names, if the function has the keys', async () => {
    await hasKey();
    const reason = await failure(new Error(`no review of ${ADDRESS}`), keys);
    expect(reason).toMatchObject({ name: 'Error', message: '', sealed: { person: PERSON } });
    expect(JSON.stringify(reason)).not.toContain('Main Street');
    expect(log.join()).not.toContain('Main Street');
    expect(await opened(reason)).toBe(`no review of ${ADDRESS}`);
  });

  test('an unsafe text is gone when the person is forgotten', async () => {
    await hasKey();
    const reason = await failure(new Error(ADDRESS), keys);
    await transact([erasureFromEnvironment()(PERSON, 'operator')]);
    expect(await opened(reason)).toEqual({ forgotten: true });
  });

  test('an unsafe text is left out for a person who is forgotten', async () => {
    await hasKey();
    await transact([erasureFromEnvironment()(PERSON, 'operator')]);
    expect(await failure(new Error(ADDRESS), newKeys())).not.toHaveProperty('sealed');
  });

  test('an unsafe text is left out for a person who has no key, and no key is created', async () => {
    expect(await failure(new Error(ADDRESS), keys)).not.toHaveProperty('sealed');
    expect(kms.calls).toEqual([]);
    const { Item } = await documentClient.send(new GetCommand({ TableName: 'people', Key: { pk: 'PERSON#ada' } }));
    expect(Item).toBeUndefined();
  });

  test('an unsafe text is left out if the message names no person', async () => {
    const sealed = vi.fn();
    const nobody = { type: 'Ticked', subject: 'Clock/1', data: {} };
    expect(await failure(new Error(ADDRESS), { seal: sealed }, nobody)).not.toHaveProperty('sealed');
    expect(sealed).not.toHaveBeenCalled();
  });

  test.each<[string, Sent, string]>([
    ["by the contract's person", {}, PERSON],
    ['before those to whom personal fields belong', { type: 'UserNoted', data: { userId: PERSON, by: 'bob' } }, PERSON],
    [
      'by the owner of a personal field',
      { from: 'notes', type: 'Noted', subject: 'Note/1', data: { userId: PERSON, by: 'bob' } },
      'bob',
    ],
    ['by the subject', { type: 'Ticked', subject: 'User/carol', data: {} }, 'carol'],
    ['in a command', { to: 'users', type: 'Judge', subject: 'Review/1' }, PERSON],
  ])('names its person %s', async (_, sent, person) => {
    const sealed = vi.fn();
    await failure(new Error(ADDRESS), { seal: sealed }, sent);
    expect(sealed.mock.calls).toEqual([
      [person, ADDRESS, { ...failureTextPlace('reviews'), event: expect.any(String) }],
    ]);
  });

  test('an unsafe text is left out if it can’t be sealed: the failure is recorded', async () => {
    await hasKey();
    kms.fails = { error: { status: 400, code: 'ThrottlingException' } } as never;
    expect(await failure(new Error(ADDRESS), newKeys())).toMatchObject({ name: 'Error', message: '' });
    const throws = () => {
      throw new Error('keys');
    };
    inProcessDynamoDb({ records: ['pk'] });
    expect(await failure(new Error(ADDRESS), { seal: throws })).not.toHaveProperty('sealed');
  });

  test('an unsafe text is left out if the keys give no answer within a second', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let recorded: ReturnType<typeof failure> | undefined;
    await new Promise<void>((begun) => {
      const never = () => {
        begun();
        return new Promise<never>(() => undefined);
      };
      recorded = failure(new Error(ADDRESS), { seal: never });
    });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await recorded).not.toHaveProperty('sealed');
  });

  test('an unsafe text is in record and log where the environment says so', async () => {
    vi.stubEnv(Env.FAILURE_TEXTS, 'full');
    const sealed = vi.fn();
    expect(await failure(new Error(`no review of ${ADDRESS}`), { seal: sealed })).toMatchObject({
      message: `no review of ${ADDRESS}`,
    });
    expect(log.join()).toContain(ADDRESS);
    expect(sealed).not.toHaveBeenCalled();
  });
});

describe('a text that its error declares as safe', () => {
  test('a safe text is in record and log, and needs no key', async () => {
    const sealed = vi.fn();
    const reason = await failure(new SafeError(safeText`fraud service is down`), { seal: sealed });
    expect(reason).toMatchObject({ name: 'SafeError', message: 'fraud service is down' });
    expect(log.join()).toContain('"text":"fraud service is down"');
    expect(sealed).not.toHaveBeenCalled();
  });

  test('keeps its cause sealed', async () => {
    await hasKey();
    const reason = await failure(new SafeError(safeText`fraud service is down`, { cause: new Error(ADDRESS) }), keys);
    expect(reason).toMatchObject({ message: 'fraud service is down' });
    expect(await opened(reason)).toBe(`fraud service is down: ${ADDRESS}`);
  });
});

describe('an inbox', () => {
  const SETTINGS: InboxSettings = {
    ...{ attempts: 2, leaseSeconds: 60, pageSize: 20 },
    mode: 'single',
    backoff: { kind: 'linear', baseSeconds: 1_000, capSeconds: 1_000 },
  };

  test('an inbox has the text in the reason of each attempt, sealed or safe', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    await hasKey();
    const errors = [new Error(`no review of ${ADDRESS}`), new SafeError(safeText`fraud service is down`)];
    const options = { table: 'records', consumer: { name: 'reviews', generation: 0 } };
    const runner = new Runner({
      ...{
        ...options,
        service: 'reviews',
        queue: 'queue',
        settings: SETTINGS,
        windowSeconds: 35 * 86_400,
        personalKeys: keys,
      },
      isRefusal: () => false,
      sources: [inboxOn(subscribe(users, ['UserJudged']), { UserJudged: () => Promise.reject(errors.shift()) })],
    });
    const { body } = recordOf({});
    await new StoredMessages(options).store(readEnvelope(body), body);
    for (let attempt = 1; attempt <= 2; attempt++) {
      await runner.run({ record: `reviews@0#${MESSAGE}` }, () => 60_000);
      vi.advanceTimersByTime(1_000_000);
    }
    const { Item } = await documentClient.send(
      new GetCommand({ TableName: 'records', Key: { pk: `reviews@0#${MESSAGE}` } }),
    );
    const [newest, first] = Item?.failures ?? [];
    expect([Item?.status, newest.message, newest.sealed]).toEqual(['FAILED', 'fraud service is down', undefined]);
    expect([first.message, await opened(first)]).toEqual(['', `no review of ${ADDRESS}`]);
    expect(JSON.stringify(Item) + log.join()).not.toContain('Main Street');
  });
});

test('an answer and the log of an endpoint have no text of an error', async () => {
  const handler = endpoint({ roles: ['customer'] }, () => Promise.reject(new Error(`no review of ${ADDRESS}`)));
  const exp = String(Math.floor(Date.now() / 1000) + 60);
  const event = {
    httpMethod: 'GET',
    resource: '/x',
    path: '/x',
    headers: {},
    requestContext: { authorizer: { sub: 'ada', role: 'customer', exp } },
  };
  const { statusCode, body } = await handler(event as unknown as APIGatewayProxyEvent);
  expect(statusCode).toBe(500);
  expect(log.join()).toContain('request failed');
  expect(body + log.join()).not.toContain('Main Street');
});

test('a thrown value that replaces an error has no text of it, because Lambda logs all of it', () => {
  const error = logAndSanitize(
    'requests can not be decided',
    new TypeError(`no review of ${ADDRESS}`, { cause: ADDRESS }),
  );
  expect([error.name, error.message, error.cause]).toEqual(['TypeError', '', undefined]);
  expect(error.stack).toMatch(/^TypeError: \n {4}at /);
  expect(error.stack + log.join()).not.toContain('Main Street');
});
