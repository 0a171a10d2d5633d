import { randomUUID } from 'node:crypto';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, test } from 'vitest';
import { methodKey } from '../../../lambdas/payments/payers.js';
import { StripeCustomers } from '../../../lambdas/payments/provider/stripe-customers.js';
import { clock } from '../../../packages/kit/aws/clock.js';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { personKey } from '../../../packages/kit/personal-data/person-key.js';
import { PersonalKeys } from '../../../packages/kit/personal-data/personal-keys.js';
import { stateKey } from '../../../packages/kit/state-store/state-key.js';
import type { Service } from '../../../packages/operator/deployment/services.js';
import { exportPerson } from '../../../packages/operator/people/export.js';
import { forgetPerson } from '../../../packages/operator/people/forget.js';
import { findPersonalKeyLocation } from '../../../packages/operator/people/personal-data.js';
import { peopleOfOrderly } from '../../../tools/operator/people.js';
import { buildContractRecord } from '../../../tools/release/contract-record.js';
import { contracts } from '../../../tools/release/contracts.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { inProcessKms, KMS_KEY } from '../../support/in-process-kms.js';

inProcessDynamoDb({ people: ['pk'], things: ['pk', 'sk'] }, { things: { people: ['person', 'pk'] } });
const stacks = { Platform: { PersonalKeysName: 'people', PersonalDataKeyArn: KMS_KEY } };
/** An environment with these services. */
const deployed = (...services: readonly Pick<Service, 'name' | 'table'>[]) => ({
  documents: documentClient,
  clock,
  stacks,
  services: services as readonly Service[],
  environment: 'dev',
  actor: async () => 'olga',
});
const payments = { name: 'payments', table: 'things' };
const open = new PersonalKeys({
  ...findPersonalKeyLocation(deployed()),
  documents: documentClient,
  kms: inProcessKms().kms,
});
const itemOf = async (person: string) =>
  (await documentClient.send(new GetCommand({ TableName: 'people', Key: personKey(person) }))).Item;
const forgetting = (person: string, dryRun = false) =>
  forgetPerson(deployed(payments), peopleOfOrderly, { person, dryRun });
const customers = new StripeCustomers('things');

let person: string;
beforeEach(() => {
  person = randomUUID();
});

describe('orderly person forget', () => {
  test('puts a tombstone in the place of the key', async () => {
    await open.createUnsealed(person, 'x');
    expect(await itemOf(person)).toHaveProperty('wrapped');
    const { exitCode, text, json } = await forgetting(person);
    const { forget: told } = json as { forget: Record<string, string> };
    expect({ exitCode, told }).toMatchObject({ exitCode: 0, told: { person, result: 'forgotten' } });
    // Since when nothing is read, and until when a function may hold the key.
    expect(text).toContain('from now on, no request reads or stores personal data of this person');
    expect(text).toContain(`until ${told.keysInMemoryUntil} functions may hold the key in memory`);
    expect((await itemOf(person))!.forgottenAt).toBe(told.forgottenAt);
    expect(Date.parse(told.keysInMemoryUntil!) - Date.parse(told.forgottenAt!)).toBe(300_000);
    const tombstone = { ...personKey(person), forgottenAt: expect.any(String), forgottenBy: expect.any(String) };
    expect(await itemOf(person)).toEqual(tombstone);
  });

  test('a forget with --dry-run says what would be, and changes nothing', async () => {
    await open.createUnsealed(person, 'x');
    const { json, text } = await forgetting(person, true);
    expect(json).toMatchObject({ forget: { result: 'dry-run' } });
    expect(text).toMatch(/would be forgotten, for ever \(key of 20/);
    expect(await itemOf(person)).toHaveProperty('wrapped');
  });

  test('leaves a tombstone where there was no key', async () => {
    expect(await forgetting(person)).toMatchObject({ exitCode: 0, text: expect.stringContaining('(no key)') });
    expect(await itemOf(person)).toHaveProperty('forgottenAt');
  });

  test('a second time changes nothing: the tombstone says since when', async () => {
    const first = { ...personKey(person), forgottenAt: '2026-01-01T00:00:00.000Z', forgottenBy: 'ada' };
    await documentClient.send(new PutCommand({ TableName: 'people', Item: first }));
    const again = { result: 'forgotten-before', forgottenAt: first.forgottenAt };
    expect(await forgetting(person)).toMatchObject({ exitCode: 0, json: { forget: again } });
    expect(await itemOf(person)).toEqual(first);
  });

  test("two at the same moment leave the first one's tombstone", async () => {
    const results = await Promise.all([forgetting(person), forgetting(person)]);
    expect(results.map(({ json }) => (json.forget as { result: string }).result).sort()).toEqual([
      'forgotten',
      'forgotten-before',
    ]);
  });

  test('deletes the id at Stripe, also where a payment has found it again since; with --dry-run it stays', async () => {
    await customers.store(person, 'cus_1', undefined);
    await forgetting(person, true);
    expect(await customers.find(person)).toBe('cus_1');
    await forgetting(person);
    expect(await customers.find(person)).toBeUndefined();
    await customers.store(person, 'cus_1', undefined);
    await forgetting(person);
    expect(await customers.find(person)).toBeUndefined();
  });

  test('deletes the hash of the payment method; with --dry-run it stays', async () => {
    const item = { ...methodKey(person), methodHash: 'ab12' };
    const stored = async () =>
      (await documentClient.send(new GetCommand({ TableName: payments.table, Key: methodKey(person) }))).Item;
    await documentClient.send(new PutCommand({ TableName: payments.table, Item: item }));
    await forgetting(person, true);
    expect(await stored()).toEqual(item);
    await forgetting(person);
    expect(await stored()).toBeUndefined();
  });

  test.each(['', 'a b', 'x'.repeat(129), 'ada@example.org'])("takes no '%s' for a person", async (id) =>
    expect(forgetting(id)).rejects.toMatchObject({ code: 'usage', exitCode: 2 }),
  );
});

describe('orderly person export', () => {
  const exporting = () => exportPerson(deployed(), peopleOfOrderly, open, { person });
  test('finds no data of an unknown person', async () =>
    expect(exporting()).rejects.toMatchObject({ code: 'not-found', exitCode: 1 }));
  test('asks every service whose events name a customer, a user or an order', async () => {
    const asked = new Set<string>();
    const names = [...(await contracts()).values()].map((contract) => buildContractRecord(contract, ''));
    const services = names.map(({ service }) => ({
      name: service,
      get table() {
        asked.add(service);
        return 'things';
      },
    }));
    await documentClient.send(
      new PutCommand({ TableName: 'things', Item: { pk: `CUSTOMER#${person}`, sk: 'ORDER#1#1' } }),
    );
    await expect(exportPerson(deployed(...services), peopleOfOrderly, open, { person })).rejects.toThrow();
    const naming = names.filter(({ events }) => /"(customerId|userId|orderId)":/.test(JSON.stringify(events)));
    // Rewards publish no events, and store what they count by customer.
    const wanted = new Set(['rewards', ...naming.map(({ service }) => service)]);
    expect([...asked].toSorted()).toEqual([...wanted].toSorted());
  });
  test('an export has the id at Stripe', async () => {
    const exporting = () => exportPerson(deployed(payments), peopleOfOrderly, open, { person });
    await customers.store(person, 'cus_1', undefined);
    expect((await exporting()).json).toMatchObject({ person, stripeCustomer: 'cus_1' });
  });
  test('an export has the declined charges and the payment method of the payer', async () => {
    const exporting = () => exportPerson(deployed(payments), peopleOfOrderly, open, { person });
    const state = { declinedCharges: ['2026-03-01T10:00:00.000Z'], version: 1, at: '2026-03-01T10:00:00.000Z' };
    for (const item of [
      { ...stateKey('Payer', person), ...state },
      { ...methodKey(person), methodHash: 'ab12' },
    ]) {
      await documentClient.send(new PutCommand({ TableName: payments.table, Item: item }));
    }
    expect((await exporting()).json).toMatchObject({ person, payer: { ...state, methodHash: 'ab12' } });
  });
  test('says that a person was forgotten', async () => {
    await forgetting(person);
    expect((await exporting()).json).toMatchObject({ person, personalData: { state: 'forgotten' }, aggregates: [] });
  });
});
