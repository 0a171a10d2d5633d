import { randomUUID } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, test, vi } from 'vitest';
import { documentClient, transact } from '../../../packages/kit/aws/dynamodb.js';
import { Env } from '../../../packages/kit/aws/environment.js';
import { erasureFromEnvironment } from '../../../packages/kit/personal-data/erasure.js';
import { personKey } from '../../../packages/kit/personal-data/person-key.js';
import { PersonalKeys } from '../../../packages/kit/personal-data/personal-keys.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { inProcessKms, KMS_KEY } from '../../support/in-process-kms.js';

inProcessDynamoDb({ people: ['pk'] });
const { kms } = inProcessKms();
const newFunction = (): PersonalKeys =>
  new PersonalKeys({ table: 'people', kmsKey: KMS_KEY, documents: documentClient, kms });
const itemOf = async (person: string) =>
  (await documentClient.send(new GetCommand({ TableName: 'people', Key: personKey(person) }))).Item;

let erasure: ReturnType<typeof erasureFromEnvironment>;
beforeAll(() => {
  vi.stubEnv(Env.PERSONAL_KEYS, 'people');
  erasure = erasureFromEnvironment();
});

test('replaces the key by a tombstone, as the operator’s command does, and creates one where no key is', async () => {
  const [withKey, without] = [randomUUID(), randomUUID()];
  expect(await newFunction().createUnsealed(withKey, 'Ada')).toBeDefined();
  for (const person of [withKey, without]) {
    expect(await newFunction().isForgotten(person)).toBe(false);
    await transact([erasure(person, 'customer')]);
    expect(await itemOf(person)).toEqual({
      ...personKey(person),
      forgottenAt: expect.any(String),
      forgottenBy: 'customer',
    });
    expect(await newFunction().isForgotten(person)).toBe(true);
    expect(await newFunction().createUnsealed(person, 'Ada')).toBeUndefined();
  }
});

test('leaves the first tombstone as it is', async () => {
  const person = randomUUID();
  await transact([erasure(person, 'ada')]);
  const first = await itemOf(person);
  await transact([erasure(person, 'bob')]);
  expect(await itemOf(person)).toEqual(first);
});
