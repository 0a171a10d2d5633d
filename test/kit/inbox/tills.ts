import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { clock } from '../../../packages/kit/aws/clock.js';
import { documentClient, type Item } from '../../../packages/kit/aws/dynamodb.js';
import type { InboxSettings } from '../../../packages/kit/inbox/contract.js';
import { on, type RestoreFacts, type WorkResult } from '../../../packages/kit/inbox/inbox-source.js';
import { Receiver } from '../../../packages/kit/inbox/receiver.js';
import { cursorKey, placeKey } from '../../../packages/kit/inbox/sequence-keys.js';
import { SequentialRunner } from '../../../packages/kit/inbox/sequential-runner.js';
import type { Envelope } from '../../../packages/kit/messages/envelope.js';
import type { Service } from '../../../packages/operator/deployment/services.js';
import { discard } from '../../../packages/operator/failures/discard.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { STEPS, steps } from '../../support/inboxes/contract.js';
import { bodyOf, Refused, SETTINGS } from './parcels.js';

export const subject = 'Till/1';
export const options = { table: 'records', consumer: STEPS };
const WINDOW_SECONDS = 35 * 86_400;

/** A sequential inbox of a till's steps in this process, with tables of its own. */
export function tillInbox(
  stepTaken: (step: string, forgotten: RestoreFacts['forgotten']) => WorkResult,
  more: Partial<InboxSettings> = {},
) {
  const { calls } = inProcessDynamoDb(
    { table: ['pk', 'sk'], records: ['pk'] },
    { records: { due: ['duePk', 'executeAt'], failed: ['failedConsumer', 'failedAt'] } },
  );
  const receiver = new Receiver({
    ...options,
    app: 'app',
    windowSeconds: WINDOW_SECONDS,
    commanders: [],
    mode: 'sequential',
  });
  const runner = new SequentialRunner({
    ...options,
    service: 'desk',
    windowSeconds: WINDOW_SECONDS,
    settings: { ...SETTINGS, mode: 'sequential', gapAlarmSeconds: 600, ...more },
    queue: 'queue',
    isRefusal: (error) => error instanceof Refused,
    sources: [
      on(steps, {
        StepTaken: ({ event, forgotten }) => stepTaken(event.data.step, forgotten),
        TillCleaned: () => stepTaken('clean', undefined),
      }),
    ],
  });
  const receive = (message: Envelope, attributes: Readonly<Record<string, string>> = {}) => {
    const messageAttributes = Object.fromEntries(
      Object.entries(attributes).map(([name, stringValue]) => [name, { stringValue }]),
    );
    const record = { messageId: 'm', body: bodyOf(message), attributes: { ApproximateReceiveCount: '1' } };
    return receiver.receiveBatch({ Records: [{ ...record, messageAttributes }] } as never);
  };
  return { runner, receive, calls };
}

export const appended = (step: string) => ({
  Update: {
    TableName: 'table',
    Key: { pk: 'Till#1', sk: 'STATE' },
    UpdateExpression: 'SET steps = list_append(if_not_exists(steps, :none), :step)',
    ExpressionAttributeValues: { ':none': [], ':step': [step] },
  },
});

export const keyOf = (sequence: number, epoch = 0): string => placeKey(STEPS, { subject, sequence, epoch });
export const read = async (TableName: string, Key: Item): Promise<Item> =>
  (await documentClient.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item ?? {};
export const stepsDone = async (): Promise<readonly string[]> =>
  ((await read('table', { pk: 'Till#1', sk: 'STATE' })).steps ?? []) as string[];
export const cursorItem = (): Promise<Item> => read('records', { pk: cursorKey(STEPS, subject) });

const service = {
  name: 'desk',
  table: 'table',
  records: 'records',
  consumers: [{ name: 'steps', generation: 0, inbox: { mode: 'sequential', queueUrl: '' } }],
} as unknown as Service;

/** Discards a failed message, as an operator does. */
export const discarded = (id: string) =>
  discard(
    { documents: documentClient, clock, services: [service], actor: async () => 'olga' },
    { consumer: 'steps', messageId: `app.till:${id}`, reason: 'test', dryRun: false },
  );
