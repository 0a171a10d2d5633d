import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { COUNTRIES } from '../../lambdas/countries.js';
import type { Profile } from '../../lambdas/users/contract.js';
import { clock } from '../../packages/kit/aws/clock.js';
import { Env } from '../../packages/kit/aws/environment.js';
import { encodeEvent, readEvent } from '../../packages/kit/messages/contract.js';
import { findExample } from '../../tools/docs/message-examples.js';
import { contracts } from '../../tools/release/contracts.js';
import { functionEnvironment } from '../support/function-environment.js';
import { inProcessDynamoDb } from '../support/in-process-dynamodb.js';
import { inProcessKms, KMS_KEY } from '../support/in-process-kms.js';

/**
 * Standards withdraw codes, and libraries follow them. What was stored or sent under a code that is on no list any more is
 * read, changed and answered as before; only new input has to name a code of today.
 */

/** On no list, now or ever: ISO 4217 and ISO 3166-1 leave them to their users. */
const WITHDRAWN: Readonly<Record<string, string>> = { currency: 'XQQ', country: 'QQ', email: 'a@b' };

/** Returns the value with withdrawn codes in the place of each code. */
function withdrawn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withdrawn);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      typeof member === 'string' ? (WITHDRAWN[name] ?? member) : withdrawn(member),
    ]),
  );
}

type Json = { readonly [name: string]: unknown };

/** Returns the schemas of all members that hold a code, with their paths. */
const codesIn = (schema: unknown, path = ''): readonly (readonly [path: string, name: string, schema: Json])[] =>
  typeof schema !== 'object' || schema === null
    ? []
    : Object.entries(schema).flatMap(([name, member]) => [
        ...(path.endsWith('/properties') && name in WITHDRAWN && (member as Json).type === 'string'
          ? [[`${path}/${name}`, name, member as Json] as const]
          : []),
        ...codesIn(member, `${path}/${name}`),
      ]);

/** Returns the codes of a schema that a withdrawn code doesn't fit. */
const listsIn = (schema: unknown): readonly string[] =>
  codesIn(schema).flatMap(([path, name, { pattern, enum: list, format }]) =>
    list === undefined && format === undefined && new RegExp(String(pattern ?? '')).test(WITHDRAWN[name] ?? '')
      ? []
      : [path],
  );

/** Shapes of all messages, in each of their versions, that have a code. */
const shapes = [...(await contracts())].flatMap(([name, contract]) =>
  [contract.events, contract.commands ?? {}].flatMap((events) =>
    Object.entries(events).flatMap(([type, schema]) =>
      [...Object.entries(schema.earlier ?? {}), [schema.version, schema] as const].flatMap(([version, { data }]) => {
        const shape = z.toJSONSchema(data, { io: 'input', unrepresentable: 'any' });
        const { writes = schema.version } = schema;
        const of = { name, type, version: Number(version), shape, writes, contract: { ...contract, events } };
        return codesIn(shape).length > 0 ? [of] : [];
      }),
    ),
  ),
);

describe.each(shapes)('$name: $type $version', ({ name, type, version, shape, writes, contract }) => {
  test('an event is read with codes that were withdrawn, and written again', () => {
    const { data, earlier } = findExample(name, type);
    const read = readEvent(contract, type, version, withdrawn(earlier?.[version] ?? data));
    if (writes !== 0) expect(encodeEvent(contract, read)).toBeDefined();
  });

  test('judges no code by a list', () => expect(listsIn(shape)).toEqual([]));
});

test('these shapes are of all services with money', () =>
  expect([...new Set(shapes.map(({ name }) => name))].toSorted()).toEqual([
    'accounts',
    'baskets',
    'catalog',
    'orders',
    'orders-saga',
    'payments',
  ]));

test('each answer of the API shows codes that were withdrawn', () => {
  const { paths, components } = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'));
  // Requests and answers share no schema but the lines of an order and its address, which are read by their form, too.
  expect(codesIn(components).length).toBeGreaterThan(2);
  expect([...listsIn(components), ...listsIn(paths)]).toEqual([]);
});

type Handler = (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult>;
type Role = 'customer' | 'operator';

const ids = { customer: 'alice', operator: 'olga' };
let sku = '';

async function call(
  handler: Handler,
  as: Role,
  request: { readonly body?: object; readonly key?: string; readonly parameters?: Readonly<Record<string, string>> },
) {
  const { body, key, parameters = {} } = request;
  const { statusCode, body: text } = await handler({
    httpMethod: 'POST',
    resource: '/',
    path: '/v1/it',
    headers: key === undefined ? {} : { 'Idempotency-Key': key },
    ...(body ? { body: JSON.stringify(body) } : {}),
    pathParameters: parameters,
    isBase64Encoded: false,
    requestContext: { authorizer: { sub: ids[as], role: as, exp: clock.epochSeconds() + 60 } },
  } as unknown as APIGatewayProxyEvent);
  return { status: statusCode, body: JSON.parse(text) };
}

/** Handlers by their modules. */
async function handlerOf(module: string): Promise<Handler> {
  return (
    (await import(new URL(`../../lambdas/${module}.lambda.ts`, import.meta.url).href)) as { readonly handler: Handler }
  ).handler;
}

describe('a currency that was withdrawn while it was in use', () => {
  const CODES = z.regexes.currencyCode.source;
  const eur = (amount: number) => ({ amount, currency: 'EUR' });
  const line = { sku: 'TEA-1', quantity: 1, unitPrice: eur(350) };
  const ordered = { lines: [line] };
  /** Effect of an update of the library on a code that was withdrawn. */
  const withdraw = (code: string) => void z.regexes.currencyCode.compile(CODES.replace(`${code}|`, ''));
  const restore = () => void z.regexes.currencyCode.compile(CODES);
  let handlers: Readonly<Record<string, Handler>>;

  beforeAll(async () => {
    functionEnvironment({
      [Env.SERVICE]: 'test',
      [Env.SESSIONS]: '/sessions',
      [Env.PERSONAL_KEYS]: 'people',
      [Env.PERSONAL_DATA_KEY]: KMS_KEY,
      DEFAULT_CREDIT_LIMIT: JSON.stringify(eur(100_000)),
      TELLS_EXHAUSTION: 'false',
      SETTLES_APPROVED: 'false',
    });
    inProcessDynamoDb({ table: ['pk', 'sk'], records: ['pk'], people: ['pk'] });
    const modules = [
      'orders/place-order',
      'orders/get-order',
      'orders/cancel-order',
      'catalog/set-product',
      'catalog/get-product',
      'accounts/set-credit-limit',
      'accounts/get-account',
      'payments/request-payment',
      'payments/get-payment',
    ];
    handlers = Object.fromEntries(await Promise.all(modules.map(async (one) => [one, await handlerOf(one)] as const)));
  });
  afterAll(restore);

  const of = (module: string): Handler => handlers[module]!;

  test('ends no order: it is shown, cancelled and its request repeated; a new one is refused', async () => {
    const place = (key: string) => call(of('orders/place-order'), 'customer', { body: ordered, key });
    const { status, body: order } = await place('first');
    expect(status).toBe(201);
    withdraw('EUR');
    expect(await place('first')).toEqual({ status: 201, body: order });
    const refused = await place('second');
    expect([refused.status, refused.body.errors[0]]).toMatchObject([400, { pointer: '/lines/0/unitPrice/currency' }]);
    const parameters = { orderId: order.orderId };
    expect(await call(of('orders/get-order'), 'customer', { parameters })).toMatchObject({ status: 200, body: order });
    const cancelled = await call(of('orders/cancel-order'), 'customer', { parameters, key: 'cancel', body: {} });
    expect([cancelled.status, cancelled.body.status]).toEqual([200, 'CANCELLED']);
    restore();
  });

  test('ends no product: it is renamed and discontinued at its price; a new one is refused', async () => {
    sku = `TEA-${randomUUID()}`;
    const set = (body: object, of_ = sku) =>
      call(of('catalog/set-product'), 'operator', { body, parameters: { sku: of_ } });
    expect(await set({ name: 'Assam', unitPrice: eur(350) })).toMatchObject({ status: 200 });
    withdraw('EUR');
    expect(await set({ name: 'Ceylon', unitPrice: eur(300), discontinued: true })).toMatchObject({ status: 200 });
    expect(await call(of('catalog/get-product'), 'customer', { parameters: { sku } })).toMatchObject({
      body: { unitPrice: eur(300), discontinued: true },
    });
    expect(await set({ name: 'Assam', unitPrice: eur(350) }, 'TEA-2')).toMatchObject({ status: 400 });
    restore();
  });

  test('ends no account: its limit is set; a new account in it is refused', async () => {
    const set = (customerId: string, amount: number) =>
      call(of('accounts/set-credit-limit'), 'operator', {
        body: { creditLimit: eur(amount) },
        parameters: { customerId },
      });
    expect(await set('alice', 5_000)).toMatchObject({ status: 200 });
    withdraw('EUR');
    expect(await set('alice', 6_000)).toMatchObject({ status: 200, body: { creditLimit: eur(6_000) } });
    expect(await call(of('accounts/get-account'), 'customer', { parameters: { customerId: 'alice' } })).toMatchObject({
      status: 200,
      body: { available: eur(6_000) },
    });
    expect(await set('bob', 5_000)).toMatchObject({ status: 400 });
    restore();
  });

  test('ends no payment: it is shown and its request repeated; a new one is refused', async () => {
    const pay = (key: string) =>
      call(of('payments/request-payment'), 'customer', { body: { accountId: 'alice', amount: eur(700) }, key });
    const { status, body: payment } = await pay('first');
    expect(status).toBe(201);
    withdraw('EUR');
    expect(await pay('first')).toEqual({ status: 201, body: payment });
    expect(await pay('second')).toMatchObject({ status: 400 });
    const parameters = { paymentId: payment.paymentId };
    expect(await call(of('payments/get-payment'), 'customer', { parameters })).toMatchObject({ status: 200 });
    restore();
  });
});

describe('a profile with codes that were withdrawn', () => {
  const userId = 'alice';
  const codes = COUNTRIES as Set<string>;
  afterAll(() => void codes.add('GB'));

  test('a profile is patched in its other parts; a part that is set has to name a code of today', async () => {
    functionEnvironment({ [Env.SERVICE]: 'test', [Env.SESSIONS]: '/sessions' });
    inProcessDynamoDb({ table: ['pk', 'sk'], records: ['pk'], people: ['pk'] });
    const { documentClient: documents } = await import('../../packages/kit/aws/dynamodb.js');
    const { PersonalKeys } = await import('../../packages/kit/personal-data/personal-keys.js');
    const { stateStoreFromEnvironment } = await import(
      '../../packages/kit/state-store/state-store-from-environment.js'
    );
    const { createRequestRecord: recordOfRequest } = await import(
      '../../packages/kit/idempotent-receiver/create-request-record.js'
    );
    const { recordsTableFromEnvironment: requestRecords } = await import(
      '../../packages/kit/idempotent-receiver/request-record.js'
    );
    const { patchProfile } = await import('../../lambdas/users/patch-profile.js');
    const { users } = await import('../../lambdas/users/aggregates.js');
    const store: never = stateStoreFromEnvironment(users) as never;
    const people = new PersonalKeys({ table: 'people', kmsKey: KMS_KEY, documents, kms: inProcessKms().kms });
    const records = requestRecords();
    const patch = (change: object) => {
      const keyed = { client: `customer:${userId}`, method: 'PATCH', path: '/users/me', query: {}, body: {} };
      return patchProfile(store, people, {
        userId,
        patch: change as Profile,
        ifMatch: undefined,
        record: recordOfRequest({ ...keyed, header: randomUUID() }, records),
        trace: { trigger: randomUUID(), actor: 'test', correlationId: 'test', traceparent: 'test' },
        now: clock.now(),
      });
    };
    const address = { street: '12 St. James Square', city: 'London', postalCode: 'SW1', country: 'GB' };
    await patch({ name: 'Ada', email: 'ada@example.org', address });
    codes.delete('GB');
    expect((await patch({ name: 'Ada Alder', address: { city: 'Leeds' } })).view).toMatchObject({
      name: 'Ada Alder',
      address: { city: 'Leeds', country: 'GB' },
    });
    const fault = (pointer: string) => ({ extra: { errors: [expect.objectContaining({ pointer })] } });
    await expect(patch({ address: { country: 'XX' } })).rejects.toMatchObject(fault('/address/country'));
    await expect(patch({ email: 'a@b' })).rejects.toMatchObject(fault('/email'));
  });
});
