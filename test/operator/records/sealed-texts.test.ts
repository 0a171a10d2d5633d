import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { clock } from '../../../packages/kit/aws/clock.js';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { withSealedText } from '../../../packages/kit/failures/failure-reasons.js';
import { FailureRecords } from '../../../packages/kit/failures/failure-records.js';
import { personKey } from '../../../packages/kit/personal-data/person-key.js';
import { PersonalKeys } from '../../../packages/kit/personal-data/personal-keys.js';
import { commandFormatter } from '../../../packages/operator/cli/text-format.js';
import type { Service } from '../../../packages/operator/deployment/services.js';
import { listFailures, showFailure } from '../../../packages/operator/failures/failures.js';
import { listFailureGroups } from '../../../packages/operator/groups/list.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { inProcessKms, KMS_KEY } from '../../support/in-process-kms.js';

/** Sealed texts, as an operator sees them. */

const TEXT = 'no review of 12 Main Street';
const consumer = { name: 'reviews', generation: 0 };
const service = {
  ...{ name: 'orders', table: 'table', records: 'records', relay: '', feedShards: [] },
  consumers: [
    {
      ...{ ...consumer, queueUrl: '', events: [], dedupeWindowSeconds: 1, longestRedeliverySeconds: 1 },
      ...{ projection: false, takesCommands: false },
    },
  ],
} satisfies Service;
const keysOf = () =>
  new PersonalKeys({ table: 'people', kmsKey: KMS_KEY, documents: documentClient, kms: inProcess.kms });
let inProcess: ReturnType<typeof inProcessKms>;
vi.mock('../../../packages/operator/people/personal-data.js', () => ({ openPersonalKeys: () => keysOf() }));

const base = {
  app: 'orders',
  documents: documentClient,
  clock,
  services: [service],
  command: commandFormatter('orders'),
};
/** Context of an operator whose environment has keys of people. */
const context = { ...base, stacks: {}, environment: 'prod', endpoint: { url: undefined, region: 'eu-west-1' } };
const asked = { consumer: 'reviews', messageId: 'm-1', payload: false };
const shown = async (as: Parameters<typeof showFailure>[0] = context) => {
  const { json, text } = await showFailure(as, asked);
  return { text, reason: (json as { failure: { failures: object[] } }).failure.failures[0] };
};

async function failed(id: string, error: unknown): Promise<void> {
  const kept = await withSealedText(error, { consumer: 'reviews', person: 'ada' }, keysOf());
  await new FailureRecords('records', consumer).put({ id, payload: '{}', error: kept, subject: 'User/ada' });
}

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  inProcessDynamoDb(
    { table: ['pk', 'sk'], records: ['pk'], people: ['pk'] },
    { records: { failed: ['failedConsumer', 'failedAt'] } },
  );
  inProcess = inProcessKms();
  await keysOf().createUnsealed('ada', 'anything');
  await failed('m-1', new Error(TEXT));
});

afterEach(() => void vi.useRealTimers());

describe('a sealed text', () => {
  test('a sealed text is opened with the permissions of the operator, in text and JSON', async () => {
    const { text, reason } = await shown();
    expect(text).toContain(`      text: ${TEXT}   (sealed: readable until the person is forgotten)`);
    expect(reason).toMatchObject({ name: 'Error', message: '', sealedText: { state: 'opened', text: TEXT } });
    expect(reason).not.toHaveProperty('sealed');
  });

  test('a sealed text is gone when the person is forgotten', async () => {
    await documentClient.send(
      new PutCommand({ TableName: 'people', Item: { ...personKey('ada'), forgottenAt: 'now' } }),
    );
    const { text, reason } = await shown();
    expect(text).toContain('text: the person of its message was forgotten');
    expect(reason).toMatchObject({ sealedText: { state: 'forgotten' } });
    expect(JSON.stringify(reason) + text).not.toContain('Main Street');
  });

  test('stays sealed for an operator without the permission, or without an environment', async () => {
    inProcess.fails = { error: { status: 400, code: 'AccessDeniedException' } } as never;
    const { text, reason } = await shown();
    expect(text).toContain("text: sealed, and these credentials can't open it (AccessDeniedException)");
    expect(reason).toMatchObject({ sealedText: { state: 'unreadable', why: 'AccessDeniedException' } });
    expect((await shown(base)).reason).toMatchObject({ sealedText: { state: 'unreadable' } });
  });

  test('opens in the records of its own consumer only', async () => {
    const [consumerOf] = service.consumers;
    const others = { ...context, services: [{ ...service, consumers: [{ ...consumerOf!, name: 'others' }] }] };
    const sealed = await withSealedText(new Error(TEXT), { consumer: 'reviews', person: 'ada' }, keysOf());
    await new FailureRecords('records', { name: 'others', generation: 0 }).put({
      id: 'm-2',
      payload: '{}',
      error: sealed,
    });
    const { json } = await showFailure(others, { consumer: 'others', messageId: 'm-2', payload: false });
    expect(JSON.stringify(json)).toContain('"state":"unreadable","why":"SealBroken"');
  });

  test('a sealed text is in no list and no group: they say that there is one', async () => {
    vi.advanceTimersByTime(60_000); // an index comes a moment later
    const list = await listFailures(context, { consumer: undefined, limit: 10 });
    const groups = await listFailureGroups(context, { consumer: undefined });
    expect(JSON.stringify([list.json, groups.json]) + list.text + groups.text).not.toContain('Main Street');
    expect(groups.json).toMatchObject({ groups: [{ error: 'Error', message: '', sealedTexts: 1 }] });
    expect(groups.text).toMatch(/text +sealed in 1, since it may contain data of a person: the sample shows it/);
  });
});

test('a reason of release 0.2.0 is shown as it was', async () => {
  const reason = { at: '2026-11-01T00:00:00.000Z', name: 'AccountRefused', message: 'AMOUNT_DIFFERS', stack: [] };
  const Item = { pk: 'reviews@0#m-1', status: 'FAILED', messageId: 'm-1', payload: '{}', failures: [reason] };
  await documentClient.send(new PutCommand({ TableName: 'records', Item }));
  const { text, reason: now } = await shown();
  expect(text).toContain('AccountRefused: AMOUNT_DIFFERS');
  expect(now).toEqual(reason);
});
