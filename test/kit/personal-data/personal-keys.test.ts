import { randomUUID } from 'node:crypto';
import type { DecryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { SealBroken, type Sealed } from '../../../packages/kit/messages/sealed.js';
import { personKey } from '../../../packages/kit/personal-data/person-key.js';
import { KeyMissing, PersonalKeys, type SealedAt } from '../../../packages/kit/personal-data/personal-keys.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { inProcessKms, KMS_KEY } from '../../support/in-process-kms.js';

const dynamodb = inProcessDynamoDb({ people: ['pk'] });
const inProcess = inProcessKms();
/** As a function has them that has just begun. */
const newFunction = (): PersonalKeys =>
  new PersonalKeys({ table: 'people', kmsKey: KMS_KEY, documents: documentClient, kms: inProcess.kms });

const place = { aggregate: 'Order#1', event: '019aa4f2-6c1e-7d53-9f0e-2b8a4c6d8e10', field: 'deliverTo' };
const itemOf = async (person: string) =>
  (await documentClient.send(new GetCommand({ TableName: 'people', Key: personKey(person) }))).Item;
const forget = (person: string) =>
  documentClient.send(new PutCommand({ TableName: 'people', Item: { ...personKey(person), forgottenAt: 'now' } }));

const open = async (keys: PersonalKeys, person: string, sealed: Sealed, at: SealedAt['place']) =>
  (await keys.openAll(person, [{ sealed, place: at }]))[0];

let person: string;
beforeEach(() => {
  person = randomUUID();
  inProcess.calls.length = 0;
  dynamodb.calls.length = 0;
});
afterEach(() => {
  inProcess.fails = undefined;
  vi.useRealTimers();
});

async function sealed(keys: PersonalKeys): Promise<Sealed> {
  const unsealed = await keys.createUnsealed(person, 'Ada');
  return unsealed!.sealAt(place);
}

describe("a person's data", () => {
  test('opens again, in the function that sealed it and in others', async () => {
    const keys = newFunction();
    const value = await sealed(keys);
    expect(await open(keys, person, value, place)).toBe('Ada');
    expect(await open(newFunction(), person, value, place)).toBe('Ada');
    const { event: _, ...inState } = place;
    expect(await open(newFunction(), person, value, inState)).toBe('Ada');
    expect(inProcess.calls).toEqual(['GenerateDataKey', 'Decrypt', 'Decrypt']);
  });

  test('opens by no place but its own, and by no other person’s key', async () => {
    const keys = newFunction();
    const value = await sealed(keys);
    await keys.createUnsealed('another', 'x');
    await expect(open(keys, person, value, { ...place, aggregate: 'Order#2' })).rejects.toThrow(SealBroken);
    await expect(open(keys, person, value, { ...place, event: randomUUID() })).rejects.toThrow(SealBroken);
    await expect(open(keys, 'another', value, place)).rejects.toThrow(SealBroken);
  });

  test("a person's data is opened by one look at the key, however much it is, and by none if it is absent", async () => {
    const value = await sealed(newFunction());
    dynamodb.calls.length = 0;
    inProcess.calls.length = 0;
    const values = Array.from({ length: 3 }, () => ({ sealed: value, place }));
    expect(await newFunction().openAll(person, values)).toEqual(['Ada', 'Ada', 'Ada']);
    expect(dynamodb.calls).toHaveLength(1);
    expect(inProcess.calls).toEqual(['Decrypt']);
    await forget(person);
    dynamodb.calls.length = 0;
    expect(await newFunction().openAll(person, values)).toEqual(values.map(() => ({ forgotten: true })));
    expect(await newFunction().openAll(person, [])).toEqual([]);
    expect(dynamodb.calls).toHaveLength(1);
  });

  test('a person has one key, whichever request is first', async () => {
    const [one, other] = [newFunction(), newFunction()];
    const values = await Promise.all([sealed(one), sealed(other)]);
    for (const value of values) expect(await open(newFunction(), person, value, place)).toBe('Ada');
    expect(await open(one, person, values[1], place)).toBe('Ada');
  });

  test("another person's data can not be taken by swapping the wrapped keys", async () => {
    const value = await sealed(newFunction());
    const stolen = { ...(await itemOf(person)), ...personKey('thief') };
    await documentClient.send(new PutCommand({ TableName: 'people', Item: stolen }));
    await expect(open(newFunction(), 'thief', value, place)).rejects.toMatchObject({
      name: 'InvalidCiphertextException',
    });
  });

  test('sealed data without a key is an error: it was not forgotten', async () => {
    await expect(open(newFunction(), person, await sealedElsewhere(), place)).rejects.toThrow(KeyMissing);
  });
  const sealedElsewhere = async () => (await newFunction().createUnsealed('somebody', 'x'))!.sealAt(place);
});

describe('personal data after forget', () => {
  test('it is shown as forgotten, and nothing makes a new key', async () => {
    const value = await sealed(newFunction());
    await forget(person);
    expect(await open(newFunction(), person, value, place)).toEqual({ forgotten: true });
    expect(await newFunction().createUnsealed(person, 'Ada')).toBeUndefined();
    expect(await itemOf(person)).toEqual({ ...personKey(person), forgottenAt: 'now' });
  });

  test('a person without a key never gets one', async () => {
    await forget(person);
    expect(await newFunction().createUnsealed(person, 'Ada')).toBeUndefined();
    expect(inProcess.calls).toEqual([]);
  });

  test('the tombstone wins if a key is made at the same moment', async () => {
    const keys = newFunction();
    const { send } = inProcess.kms;
    const spy = vi.spyOn(inProcess.kms, 'send').mockImplementationOnce((async (...args: Parameters<typeof send>) => {
      await forget(person);
      return send.apply(inProcess.kms, args);
    }) as never);
    expect(await keys.createUnsealed(person, 'Ada')).toBeUndefined();
    expect(await keys.createUnsealed(person, 'Ada')).toBeUndefined();
    expect(await itemOf(person)).toEqual({ ...personKey(person), forgottenAt: 'now' });
    spy.mockRestore();
  });
});

describe('a person who is forgotten while functions have the key in memory', () => {
  test('no function reads the person from then on, and nothing new is sealed', async () => {
    const [one, other] = [newFunction(), newFunction()];
    const value = await sealed(one);
    for (const keys of [one, other]) expect(await open(keys, person, value, place)).toBe('Ada');
    await forget(person);
    for (const keys of [one, other]) {
      expect(await open(keys, person, value, place)).toEqual({ forgotten: true });
      expect(await keys.createUnsealed(person, 'Ada')).toBeUndefined();
      expect(held(keys)).toEqual([]);
    }
  });

  test('a request that has looked before may still read the person, but not the next one', async () => {
    const keys = newFunction();
    const value = await sealed(keys);
    const begun = keys.forRequest();
    expect(await open(begun, person, value, place)).toBe('Ada');
    await forget(person);
    expect(await open(begun, person, value, place)).toBe('Ada');
    expect(await open(keys.forRequest(), person, value, place)).toEqual({ forgotten: true });
  });
});

describe('a request', () => {
  test('looks once at a person, however often it seals and opens', async () => {
    const keys = newFunction().forRequest();
    const value = await sealed(keys);
    dynamodb.calls.length = 0;
    expect(await open(keys, person, value, place)).toBe('Ada');
    expect(await keys.createUnsealed(person, 'Lovelace')).toBeDefined();
    expect(await keys.isForgotten(person)).toBe(false);
    expect(dynamodb.calls).toEqual([]);
    expect(inProcess.calls).toEqual(['GenerateDataKey']);
  });

  test('a request has the keys of its function in memory, and leaves its own there', async () => {
    const keys = newFunction();
    const value = await sealed(keys.forRequest());
    dynamodb.calls.length = 0;
    expect(await open(keys.forRequest(), person, value, place)).toBe('Ada');
    expect(dynamodb.calls).toHaveLength(1);
    expect(inProcess.calls).toEqual(['GenerateDataKey']);
  });

  test('sees the tombstone that its new key met', async () => {
    const keys = newFunction().forRequest();
    expect(await keys.isForgotten(person)).toBe(false);
    await forget(person);
    expect(await keys.createUnsealed(person, 'Ada')).toBeUndefined();
    expect(await keys.isForgotten(person)).toBe(true);
  });
});

/** Returns whose keys a memory dump of the function would show. */
const held = (keys: PersonalKeys) => [
  ...(keys as unknown as { readonly cache: ReadonlyMap<string, unknown> }).cache.keys(),
];

describe('a key in memory', () => {
  test('saves the calls of KMS for five minutes, and not a second longer', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(1_000_000_000_400);
    const keys = newFunction();
    const value = await sealed(keys);
    inProcess.calls.length = 0;
    vi.setSystemTime(1_000_000_299_999);
    expect(await open(keys, person, value, place)).toBe('Ada');
    expect(inProcess.calls).toEqual([]);
    vi.setSystemTime(1_000_000_300_000);
    expect(await open(keys, person, value, place)).toBe('Ada');
    expect(inProcess.calls).toEqual(['Decrypt']);
  });

  test('a key is held for five minutes from the call of KMS, however late the answer comes', async () => {
    const value = await sealed(newFunction());
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(1_000_000_000_000);
    const slow = {
      send: async (command: DecryptCommand) => {
        const answer = await inProcess.kms.send(command);
        vi.setSystemTime(Date.now() + 20_000);
        return answer;
      },
    } as unknown as KMSClient;
    const keys = new PersonalKeys({ table: 'people', kmsKey: KMS_KEY, documents: documentClient, kms: slow });
    expect(await open(keys, person, value, place)).toBe('Ada');
    inProcess.calls.length = 0;
    vi.setSystemTime(1_000_000_299_000);
    expect(await open(keys, person, value, place)).toBe('Ada');
    expect(inProcess.calls).toEqual([]);
    vi.setSystemTime(1_000_000_300_000);
    expect(await open(keys, person, value, place)).toBe('Ada');
    expect(inProcess.calls).toEqual(['Decrypt']);
  });

  test('a key is not used if the item has another wrapped key', async () => {
    const keys = newFunction();
    await sealed(keys);
    await documentClient.send(new DeleteCommand({ TableName: 'people', Key: personKey(person) }));
    const value = await sealed(newFunction());
    expect(await open(keys, person, value, place)).toBe('Ada');
  });

  test('a key without a new request for it is not held longer', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(1_000_000_000_000);
    const keys = newFunction();
    const [early, late] = [`${person}-early`, `${person}-late`];
    await keys.createUnsealed(early, 'x');
    vi.setSystemTime(1_000_000_200_000);
    await keys.createUnsealed(late, 'x');
    expect(held(keys)).toEqual([early, late]);
    vi.setSystemTime(1_000_000_300_000);
    await keys.createUnsealed(late, 'x');
    expect(held(keys)).toEqual([late]);
    vi.setSystemTime(1_000_000_600_000);
    await keys.createUnsealed(person, 'x');
    expect(held(keys)).toEqual([person]);
  });

  test('a function holds at most 200 keys', async () => {
    const keys = newFunction();
    await keys.createUnsealed(person, 'x');
    await Promise.all(Array.from({ length: 199 }, (_, at) => keys.createUnsealed(`${person}-${at}`, 'x')));
    inProcess.calls.length = 0;
    await keys.createUnsealed(person, 'x');
    expect(inProcess.calls).toEqual([]);
    await keys.createUnsealed(`${person}-more`, 'x');
    await keys.createUnsealed(person, 'x');
    expect(inProcess.calls).toEqual(['GenerateDataKey', 'Decrypt']);
  });
});

test('a failure of KMS leaves no key in memory, and the next try passes', async () => {
  inProcess.fails = { error: { status: 400, code: 'ThrottlingException', message: 'Rate exceeded' } };
  const keys = newFunction();
  await expect(keys.createUnsealed(person, 'Ada')).rejects.toMatchObject({ name: 'ThrottlingException' });
  expect(await itemOf(person)).toBeUndefined();
  inProcess.fails = undefined;
  expect(await keys.createUnsealed(person, 'Ada')).toBeDefined();
});
