import { describeWriter, toDraft7Schema } from './asyncapi.js';
import {
  type Bus,
  type BusMessage,
  findSenders,
  findSubscribers,
  versionSchema,
  versionsOf,
  writtenVersion,
} from './bus.js';
import { buildBusEvent, buildPattern } from './bus-example.js';
import { describeField } from './message-fields.js';
import { describeSchema, type Schema } from './schema-words.js';

/** Generates the catalogue of all events and commands of a bus, as Markdown. */
export function generateEventsPage(bus: Bus): string {
  const services = [...new Set(bus.messages.map(({ service }) => service))];
  const [first] = bus.messages.filter(({ type }) => type === 'OrderPlaced');
  if (!first) throw new Error('no OrderPlaced: the page shows it as a whole');
  return [
    ...introduction(bus, first),
    '',
    '| service | events | commands to it |',
    '|---|---|---|',
    ...services.map(
      (service) =>
        `| [${service}](#${service}) | ${linksTo(bus, service, 'event')} | ${linksTo(bus, service, 'command')} |`,
    ),
    ...services.flatMap((service) => renderSection(bus, service)),
    '',
  ].join('\n');
}

const introduction = (bus: Bus, first: BusMessage): readonly string[] => [
  '<!-- made by npm run docs from lambdas/*/contract.ts and lambdas/*/subscriptions.ts -->',
  '',
  '# Events and commands',
  '',
  'Every message on the bus: what it means, its versions and fields, who sends it, who receives it, an example, and the pattern of an',
  `EventBridge rule. [asyncapi.json](asyncapi.json) says the same as an AsyncAPI 3 document, for tools. Release ${bus.release}.`,
  '',
  'An **event** says what happened, to everybody. A **command** asks one service (`to`) for something; only the services that are',
  'named as its senders may send it. [The envelope](../packages/kit/messages/README.md#the-envelope-on-the-bus) of both is',
  'a CloudEvents 1.0 event in `detail`:',
  '',
  ...renderCodeBlock(formatJson(buildBusEvent(bus, first, writtenVersion(first)))),
  '',
  'To hear events, put a rule on the bus (output `BusName` of the platform stack) with the pattern below, and a queue with a',
  'dead-letter queue as its target. What your consumer has to expect:',
  '',
  '- A message comes at least once, and in no order. Recognise duplicates by `id`; order the events of one `subject` by `epoch` and',
  '  `sequence`, in this order. The epoch is above 0 after a restore of the sender from a backup: sequences repeat then, those of the',
  '  higher epoch hold, and `follows` (`<epoch>/<sequence>`, in the first event of a subject in an epoch) says which event is before it.',
  '  What was sent after that one was forgotten.',
  '- The pattern matches all versions. The end of `dataschema` is the version of `data`. Old versions come from the archive and from',
  '  repeats for as long as the contract reads them.',
  '- A release may add a field to a version, and nothing else. Ignore fields that you do not know. A version that you do not know may',
  '  come from a deployment that is under way: try again later.',
  '- Sealed personal data (`{ "sealed": "1..." }`) opens only inside of the services, with the key of its person.',
  '',
  'Outside of this page: commands that a service sends to itself past the bus (timers, and what operators send to sagas), and events',
  'that stay inside of their service (`onBus: false`). These are stored for ever, `orderly order` shows them, and neither the bus nor its',
  'archive has them:',
  '',
  ...bus.offBus.map(([service, types]) => `- ${service}: ${types.map((type) => `\`${type}\``).join(', ')}`),
];

const anchorOf = ({ service, type }: BusMessage): string => `${service}-${type.toLowerCase()}`;

const linksTo = (bus: Bus, service: string, kind: BusMessage['kind']): string =>
  bus.messages
    .filter((message) => message.service === service && message.kind === kind)
    .map((message) => `[${message.type}](#${anchorOf(message)})`)
    .join(', ') || 'none';

function renderSection(bus: Bus, service: string): readonly string[] {
  const messages = bus.messages.filter((message) => message.service === service);
  return ['', `## ${service}`, ...messages.flatMap((message) => renderEntry(bus, message))];
}

function renderEntry(bus: Bus, message: BusMessage): readonly string[] {
  const { kind, service, type, meaning } = message;
  const versions = versionsOf(message);
  const shown = writtenVersion(message) || message.schema.version;
  return [
    '',
    `### ${service}: ${type}`,
    '',
    meaning,
    '',
    `- ${kind === 'event' ? 'Sent by' : 'May be sent by'}: ${findSenders(bus, message).join(', ')}`,
    ...renderSubscribers(bus, message),
    `- ${versions.length === 1 ? 'Version' : 'Versions'}: ${versions.map((version) => `${version} (${describeWriter(message, version)})`).join(', ')}`,
    '',
    ...renderFieldTable(message),
    '',
    `Example of \`data\` in version ${shown}, and the pattern:`,
    '',
    ...renderCodeBlock(formatJson(buildBusEvent(bus, message, shown).detail.data)),
    '',
    ...renderCodeBlock(formatJson(buildPattern(bus, message))),
  ];
}

function renderSubscribers(bus: Bus, message: BusMessage): readonly string[] {
  const hearers = findSubscribers(bus, message);
  if (hearers.length === 0) return ['- Heard by: no service'];
  return ['- Heard by:', ...hearers.map(({ service, meaning }) => `  - ${service}: ${meaning}`)];
}

interface Field {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly versions: readonly number[];
}

/** Returns the table of the fields of all versions. A field that differs between versions has a row for each form. */
function renderFieldTable(message: BusMessage): readonly string[] {
  const fields = new Map<string, Field>();
  for (const version of versionsOf(message)) {
    const { properties = {}, required = [] } = toDraft7Schema(versionSchema(message, version)) as Schema;
    for (const [name, schema] of Object.entries(properties)) {
      const field = { name, type: describeSchema(schema), isRequired: required.includes(name) };
      const key = JSON.stringify(field);
      fields.set(key, { ...field, versions: [...(fields.get(key)?.versions ?? []), version] });
    }
  }
  const all = versionsOf(message).length;
  const inVersions = ({ versions }: Field) =>
    versions.length === all ? '' : ` ${versions.length === 1 ? 'Version' : 'Versions'} ${versions.join(', ')}.`;
  const personal = message.schema.personal ?? {};
  return [
    '| field | type | meaning |',
    '|---|---|---|',
    ...byName(fields.values()).map((field) => {
      const name = `\`${field.name}\`${field.isRequired ? '' : ', optional'}`;
      const person = personal[field.name] === undefined ? '' : ` Personal: of \`${personal[field.name]}\`.`;
      return `| ${name} | ${field.type} | ${describeField(message.type, field.name)}${person}${inVersions(field)} |`;
    }),
  ];
}

/** Puts the forms of one field next to each other. */
function byName(fields: Iterable<Field>): readonly Field[] {
  const names = new Map<string, readonly Field[]>();
  for (const field of fields) names.set(field.name, [...(names.get(field.name) ?? []), field]);
  return [...names.values()].flat();
}

const renderCodeBlock = (json: string): readonly string[] => ['```json', json, '```'];

/** Widest line of an example. */
const WIDTH = 110;

/** Formats JSON: what fits into a line is one line. */
function formatJson(value: unknown, indent = ''): string {
  const line = oneLine(value);
  if (line.length + indent.length <= WIDTH || typeof value !== 'object' || value === null) return line;
  const inner = `${indent}  `;
  const members = Array.isArray(value)
    ? value.map((member) => formatJson(member, inner))
    : Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${formatJson(member, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${members.map((member) => inner + member).join(',\n')}\n${indent}${close}`;
}

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${oneLine(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
