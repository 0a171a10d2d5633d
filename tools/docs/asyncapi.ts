import * as z from 'zod/mini';
import { dataschemaUrn, eventSource } from '../../packages/kit/aws/app-names.js';
import { Envelope } from '../../packages/kit/messages/envelope.js';
import { isEventSubscription } from '../../packages/kit/messages/subscriptions.js';
import {
  type Bus,
  type BusMessage,
  findSenders,
  type Hearer,
  versionSchema,
  versionsOf,
  writtenVersion,
} from './bus.js';
import { buildBusEvent, buildPattern } from './bus-example.js';
import type { Json } from './openapi/schemas.js';

/** The members of the document that the tests and the page read. */
export interface AsyncApi extends Json {
  readonly asyncapi: string;
  readonly channels: Readonly<Record<string, Channel>>;
  readonly operations: Readonly<Record<string, Operation>>;
  readonly components: {
    readonly messages: Readonly<Record<string, Json>>;
    readonly schemas: Readonly<Record<string, Json>>;
    readonly correlationIds: Json;
  };
}

interface Channel extends Json {
  readonly messages: Readonly<Record<string, Json>>;
}

interface Operation extends Json {
  readonly action: 'send' | 'receive';
  readonly channel: Json;
  readonly messages: readonly Json[];
}

const DESCRIPTION = `Every event and every command on the bus, in every version that this release reads.

The bus is Amazon EventBridge. \`source\` is the sender, \`detail-type\` the type of the message, and \`detail\` a
CloudEvents 1.0 event with extensions: that is the payload here. \`dataschema\` names the version of \`data\`. An event
keeps its version for ever, in the archive too, so a consumer reads all versions.

Messages are delivered at least once, in no order. Recognise duplicates by \`id\`. \`epoch\` and \`sequence\` order the
events of one \`subject\`, across restores of the sender from a backup; after one, \`follows\` (\`<epoch>/<sequence>\`) names the
event before the first one of an epoch. Ignore fields that you don't know: a release may add some without a new version.

\`send\` lists the versions that this release writes. \`x-eventbridge-pattern\` is the pattern of a rule.`;

/** Generates the AsyncAPI document of a bus. It depends on nothing but the bus. */
export function generateAsyncApi(bus: Bus): AsyncApi {
  const { messages } = bus;
  const all = messages.flatMap((message) => versionsOf(message).map((version) => ({ message, version })));
  return {
    asyncapi: '3.0.0',
    id: `urn:${bus.app}:bus`,
    info: {
      title: 'Orderly: events and commands',
      version: bus.release,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      bus: {
        host: 'events.{region}.amazonaws.com',
        protocol: 'eventbridge',
        description: 'Event bus of one environment. The output `BusName` of its platform stack names it.',
        variables: { region: { description: 'Region of the environment.', default: 'eu-west-1' } },
      },
    },
    channels: Object.fromEntries(
      (['event', 'command'] as const).flatMap((kind) =>
        listServices(messages, kind).map((service) => [`${service}.${kind}s`, buildChannel(bus, kind, service)]),
      ),
    ),
    operations: { ...sendOperations(bus), ...Object.fromEntries(bus.hearers.map((one) => receive(bus, one))) },
    components: {
      messages: Object.fromEntries(
        all.map(({ message, version }) => [nameOf(message, version), asMessage(bus, message, version)]),
      ),
      schemas: {
        Envelope: toDraft7Schema(Envelope),
        ...Object.fromEntries(
          all.map(({ message, version }) => [
            nameOf(message, version),
            toDraft7Schema(versionSchema(message, version)),
          ]),
        ),
      },
      correlationIds: {
        conversation: {
          description: 'The same for all messages of one conversation.',
          location: '$message.payload#/correlationid',
        },
      },
    },
  };
}

/** Returns the name of a version of a message in the document: `orders.OrderPlaced.2`. */
export const nameOf = ({ service, type }: BusMessage, version: number): string => `${service}.${type}.${version}`;

/** Converts a schema to draft 7, the dialect of AsyncAPI. */
export function toDraft7Schema(shape: z.ZodMiniType): Json {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, {
    io: 'input',
    target: 'draft-7',
    unrepresentable: 'any',
  });
  return schema as Json;
}

const listServices = (messages: readonly BusMessage[], kind: BusMessage['kind']): readonly string[] => [
  ...new Set(messages.filter((message) => message.kind === kind).map(({ service }) => service)),
];

const reference = (...path: readonly string[]): Json => ({ $ref: `#/${path.join('/')}` });

function buildChannel(bus: Bus, kind: BusMessage['kind'], service: string): Channel {
  const messages = bus.messages.filter((message) => message.kind === kind && message.service === service);
  const [address, description] =
    kind === 'event'
      ? [eventSource(bus.app, service), 'The address is the `source` of the events.']
      : [null, '`detail.to` names the service; `source` is the sender.'];
  return {
    address,
    title: kind === 'event' ? `Events of ${service}` : `Commands to ${service}`,
    description,
    servers: [reference('servers', 'bus')],
    tags: [{ name: service }, { name: kind }],
    messages: Object.fromEntries(
      messages.flatMap((message) =>
        versionsOf(message).map((version) => [
          `${message.type}.${version}`,
          reference('components', 'messages', nameOf(message, version)),
        ]),
      ),
    ),
  };
}

const inChannel = ({ kind, service, type }: BusMessage, version: number): Json =>
  reference('channels', `${service}.${kind}s`, 'messages', `${type}.${version}`);

/** Returns what each service sends: its events, and its commands to each other service. */
function sendOperations(bus: Bus): Readonly<Record<string, Operation>> {
  const operation = (
    kind: BusMessage['kind'],
    sender: string,
    service: string,
  ): readonly (readonly [string, Operation])[] => {
    const messages = bus.messages
      .filter((message) => message.kind === kind && message.service === service)
      .filter((message) => findSenders(bus, message).includes(sender) && writtenVersion(message) > 0);
    if (messages.length === 0) return [];
    return [
      [
        kind === 'event' ? `${sender}.publish` : `${sender}.command.${service}`,
        {
          action: 'send',
          title: kind === 'event' ? `${sender} publishes its events` : `${sender} may command ${service}`,
          channel: reference('channels', `${service}.${kind}s`),
          tags: [{ name: sender }],
          messages: messages.map((message) => inChannel(message, writtenVersion(message))),
        },
      ],
    ];
  };
  const senders = listServices(bus.messages, 'event');
  const receivers = listServices(bus.messages, 'command');
  return Object.fromEntries(
    senders.flatMap((sender) => [
      ...operation('event', sender, sender),
      ...receivers.flatMap((receiver) => operation('command', sender, receiver)),
    ]),
  );
}

function receive(bus: Bus, { service, name, meaning, subscription }: Hearer): readonly [string, Operation] {
  const [kind, of, types] = isEventSubscription(subscription)
    ? (['event', subscription.contract.service, subscription.types] as const)
    : (['command', subscription.commandsOf.service, Object.keys(subscription.commandsOf.commands ?? {})] as const);
  const heard = bus.messages.filter(
    (message) => message.kind === kind && message.service === of && types.includes(message.type),
  );
  return [
    `${service}.${name}`,
    {
      action: 'receive',
      title: `${service} receives ${of}`,
      summary: meaning,
      channel: reference('channels', `${of}.${kind}s`),
      tags: [{ name: service }],
      messages: heard.flatMap((message) => versionsOf(message).map((version) => inChannel(message, version))),
    },
  ];
}

function asMessage(bus: Bus, message: BusMessage, version: number): Json {
  const { kind, service, type, meaning } = message;
  const { detail, ...headers } = buildBusEvent(bus, message, version);
  const pattern = buildPattern(bus, message);
  return {
    name: type,
    title: `${type} ${version}`,
    summary: meaning,
    description: [
      `Version ${version}, ${describeWriter(message, version)}.`,
      ...listPersonalFields(message, version).map((text) => `${text}.`),
    ].join(' '),
    tags: [{ name: service }, { name: kind }],
    correlationId: reference('components', 'correlationIds', 'conversation'),
    headers: {
      type: 'object',
      description: 'Fields of EventBridge beside `detail`.',
      properties: { source: { enum: pattern.source }, 'detail-type': { const: type } },
      required: ['source', 'detail-type'],
    },
    payload: {
      allOf: [
        reference('components', 'schemas', 'Envelope'),
        {
          type: 'object',
          properties: {
            source: { enum: pattern.source },
            ...(kind === 'command' ? { to: { const: service } } : {}),
            type: { const: type },
            dataschema: { const: dataschemaUrn(bus.app, service, type, version) },
            data: reference('components', 'schemas', nameOf(message, version)),
          },
          required: kind === 'command' ? ['to', 'data'] : ['data'],
        },
      ],
    },
    examples: [{ name: `${type}.${version}`, headers, payload: detail }],
    'x-eventbridge-pattern': pattern,
  };
}

/** Says which releases write a version. */
export function describeWriter(message: BusMessage, version: number): string {
  const written = writtenVersion(message);
  if (version === written) return 'written by this release';
  return version < written ? 'written by earlier releases' : 'which a later release will write';
}

/** Says which fields of a version are personal data, and under which name they are read. */
function listPersonalFields(message: BusMessage, version: number): readonly string[] {
  const { properties = {} } = toDraft7Schema(versionSchema(message, version)) as { properties?: Json };
  return Object.entries(message.schema.personal ?? {})
    .filter(([field]) => field in properties)
    .map(
      ([field, person]) =>
        `\`${field}\` is personal data of the person in \`${person}\`, sealed with that person's key`,
    );
}
