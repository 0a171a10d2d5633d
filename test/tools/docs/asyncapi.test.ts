import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv, type ValidateFunction } from 'ajv';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import type { Commit } from '../../../packages/kit/messages/commit.js';
import { readEvent, type ServiceContract, toCommandContract } from '../../../packages/kit/messages/contract.js';
import { readEnvelope, schemaVersionOf, toBusEntries } from '../../../packages/kit/messages/envelope.js';
import { subscribeToAll } from '../../../packages/kit/messages/subscriptions.js';
import { matches } from '../../../packages/simulator/patterns/matches.js';
import { type AsyncApi, generateAsyncApi, nameOf } from '../../../tools/docs/asyncapi.js';
import {
  type Bus,
  type BusMessage,
  findSubscribers,
  orderlyBus,
  versionSchema,
  versionsOf,
} from '../../../tools/docs/bus.js';
import { type BusEvent, buildBusEvent, buildPattern } from '../../../tools/docs/bus-example.js';
import { generateEventsPage } from '../../../tools/docs/events-page.js';
import { describeField, MEANT } from '../../../tools/docs/message-fields.js';
import type { Json } from '../../../tools/docs/openapi/schemas.js';
import { contracts } from '../../../tools/release/contracts.js';

const bus = await orderlyBus();
const document = generateAsyncApi(bus);
const byContract = await contracts();

const all = bus.messages.flatMap((message) =>
  versionsOf(message).map((version) => ({ name: nameOf(message, version), message, version })),
);

/** Members beside the keywords of JSON Schema, and formats whose rule a pattern says, too, are no errors. */
const ajv = () => new Ajv({ strict: false, validateFormats: false, allErrors: true });

/** Returns the check of a version's payload by the document alone. */
function payloadsOf(api: AsyncApi): (name: string) => ValidateFunction {
  const validator = ajv().addSchema({ components: api.components }, 'document');
  return (name) => {
    const validate = validator.getSchema(`document#/components/messages/${name}/payload`);
    if (!validate) throw new Error(`no message ${name}`);
    return validate;
  };
}

const payloadOf = payloadsOf(document);

/** Reads what a consumer would: the envelope by the kit, and its data by the contract. */
function read({ kind, contract }: BusMessage, event: BusEvent): unknown {
  const envelope = readEnvelope(JSON.stringify(event));
  const found = byContract.get(contract)!;
  return readEvent(
    kind === 'event' ? found : toCommandContract(found),
    envelope.type,
    schemaVersionOf(envelope),
    envelope.data,
  );
}

describe('the document', () => {
  test('the document is AsyncAPI 3, by the official schema', () => {
    const schema = createRequire(import.meta.url)('@asyncapi/specs/schemas/3.0.0-without-$id.json') as object;
    const validate = ajv().compile(schema);
    validate(document);
    expect(validate.errors ?? []).toEqual([]);
    const [name = '', channel] = Object.entries(document.channels)[0]!;
    for (const wrong of [
      { verb: 'send' },
      { channels: { ...document.channels, [name]: { ...channel, verb: 'send' } } },
      { channels: { wrong: { messages: [] } } },
    ])
      expect(validate({ ...document, ...wrong }), JSON.stringify(wrong).slice(0, 200)).toBe(false);
  });

  test('the document has no reference to a missing part, and no part without a reference', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path);
    for (const path of references) {
      const target = path.split('/').reduce<unknown>((part, name) => (part as Json | undefined)?.[name], document);
      expect(target, path).toBeDefined();
    }
    const parts = (['messages', 'schemas', 'correlationIds'] as const).flatMap((kind) =>
      Object.keys(document.components[kind]).map((name) => `components/${kind}/${name}`),
    );
    expect(parts.filter((part) => !references.includes(part))).toEqual([]);
  });

  test('the document has each event and each command of every contract, in each version', () => {
    const declared = [...byContract].flatMap(([name, { service, events, commands = {} }]) =>
      // A saga's commands go past the bus, and its events stay inside.
      Object.entries(name.endsWith('-saga') ? events : { ...events, ...commands }).flatMap(
        ([type, { version, onBus = true }]) =>
          onBus ? Array.from({ length: version }, (_, at) => `${service}.${type}.${at + 1}`) : [],
      ),
    );
    expect(Object.keys(document.components.messages).toSorted()).toEqual(declared.toSorted());
    const inChannels = Object.entries(document.channels).flatMap(([channel, { messages }]) =>
      Object.keys(messages).map((name) => `${channel.split('.')[0]}.${name}`),
    );
    expect(inChannels.toSorted()).toEqual(declared.toSorted());
  });

  test('sends the version that this release writes, and receives all', () => {
    const versionsIn = (operation: string) =>
      document.operations[operation]!.messages.flatMap(
        ({ $ref }) => /OrderRejected\.(\d)$/.exec(String($ref))?.[1] ?? [],
      );
    expect(versionsIn('orders.publish')).toEqual(['3']);
    expect(versionsIn('reports.orderEvents')).toEqual(['1', '2', '3', '4']);
  });
});

describe.each(all)('$name', ({ name, message, version }) => {
  const event = buildBusEvent(bus, message, version);

  test('each message has an example that fits its schema, and that its contract reads', () => {
    const validate = payloadOf(name);
    validate(event.detail);
    expect(validate.errors ?? []).toEqual([]);
    expect(read(message, event)).toMatchObject({ type: message.type });
    const [shown] = document.components.messages[name]!.examples as readonly Json[];
    expect(shown).toMatchObject({ payload: event.detail, headers: { source: event.source } });
  });

  test('the example has every required field, and only fields of its schema', () => {
    const known =
      z.toJSONSchema(versionSchema(message, version), { io: 'input', unrepresentable: 'any' }).properties ?? {};
    expect(Object.keys(known)).toEqual(expect.arrayContaining(Object.keys(event.detail.data as Json)));
    for (const field of Object.keys(known)) expect(describeField(message.type, field)).not.toBe('');
  });

  test('the message is matched by its own pattern and by no other', () => {
    const matching = bus.messages.filter((other) => matches({ ...buildPattern(bus, other) }, event));
    expect(matching).toEqual([message]);
    const toAnother = { ...event, detail: { ...event.detail, to: 'another' } };
    expect(matches({ ...buildPattern(bus, message) }, toAnother)).toBe(message.kind === 'event');
    expect(document.components.messages[name]!['x-eventbridge-pattern']).toEqual(buildPattern(bus, message));
  });

  test('fits no schema of another message', () => {
    const others = all.filter((other) => other.name !== name);
    expect(others.filter((other) => payloadOf(other.name)(event.detail)).map((other) => other.name)).toEqual([]);
  });
});

test('each meaning of a field is used', () => {
  const used = all.flatMap(({ message, version }) => {
    const { properties = {} } = z.toJSONSchema(versionSchema(message, version), {
      io: 'input',
      unrepresentable: 'any',
    });
    return Object.keys(properties).flatMap((field) => [field, `${message.type}.${field}`]);
  });
  expect(MEANT.filter((name) => !used.includes(name))).toEqual([]);
});

describe('the messages that the relay puts on the bus', () => {
  const HISTORIES = new URL('../../golden/histories/', import.meta.url);
  const histories = readdirSync(HISTORIES).map((file) => ({
    file,
    ...(JSON.parse(readFileSync(new URL(file, HISTORIES), 'utf8')) as { service: string; commits: readonly Commit[] }),
  }));

  test.each(histories)('a message of $file fits the document', ({ service, commits }) => {
    const offBus = bus.offBus.flatMap(([of, types]) => (of === service ? types : []));
    // All events of a webhook stay inside of their service.
    if (commits.every(({ events, commands }) => !commands && events.every(({ type }) => offBus.includes(type)))) return;
    const entries = commits.flatMap((commit) => toBusEntries(commit, { app: bus.app, service, offBus }));
    expect(entries.length).toBeGreaterThan(0);
    for (const { Source, DetailType, Detail } of entries) {
      const detail = JSON.parse(Detail);
      const [, , of, type, version] = detail.dataschema.split(':');
      const validate = payloadOf(`${of}.${type}.${version}`);
      validate(detail);
      expect(validate.errors ?? [], `${type} ${version}`).toEqual([]);
      const message = bus.messages.find((one) => one.service === of && one.type === type)!;
      expect(matches({ ...buildPattern(bus, message) }, { source: Source, 'detail-type': DetailType, detail })).toBe(
        true,
      );
    }
  });
});

describe('a bus of one contract', () => {
  const things = {
    service: 'things',
    events: { Made: { version: 2, writes: 1, data: z.object({ orderId: z.string() }), earlier: {} } },
  } satisfies ServiceContract;
  const message: BusMessage = {
    kind: 'event',
    service: 'things',
    contract: 'things',
    type: 'Made',
    meaning: 'A thing was made.',
    schema: things.events.Made,
  };
  const small: Bus = {
    app: 'shop',
    release: '1.0.0',
    messages: [message],
    offBus: [],
    hearers: [{ service: 'desk', name: 'all', meaning: 'All of them.', subscription: subscribeToAll(things) }],
  };

  test('needs an example of each type', () => {
    expect(() => generateAsyncApi(small)).toThrow('no example of things: Made');
    expect(() => generateEventsPage(small)).toThrow('no OrderPlaced');
  });

  test("a bus has its application's name in its patterns, and its subscribers by their subscriptions", () => {
    expect(buildPattern(small, message)).toEqual({ source: ['shop.things'], 'detail-type': ['Made'] });
    expect(findSubscribers(small, message).map(({ service }) => service)).toEqual(['desk']);
    expect(findSubscribers(small, { ...message, service: 'others' })).toEqual([]);
    expect(findSubscribers(small, { ...message, kind: 'command' })).toEqual([]);
  });
});
