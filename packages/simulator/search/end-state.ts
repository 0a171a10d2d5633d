import type { Assembly, Resource } from '../assembly/assembly.js';
import type { Cloud } from '../cloud/cloud.js';

/** Items of a table, and how it is declared. */
export interface TableState {
  readonly items: readonly object[];
  /** Attributes of its primary key. */
  readonly key: readonly string[];
  /** Attribute after which AWS deletes an item, seconds since 1970; absent if the table has no time to live. */
  readonly ttl?: string | undefined;
}

/** What an account has when everything has come to rest: items by table, numbers of messages by queue, and what was sent until then. */
export interface EndState {
  /** Begin of its history, milliseconds since 1970. */
  readonly begins: number;
  /** Virtual time since then, milliseconds. */
  readonly at: number;
  readonly tables: Readonly<Record<string, TableState>>;
  readonly queues: Readonly<Record<string, number>>;
  /** Number of events that a bus has taken, by their type, of messages that a queue has taken, and of records that a stream has taken. */
  readonly sent: Readonly<Record<string, number>>;
}

/** Reads the state of an account. */
export function readEndState(cloud: Cloud): EndState {
  const { assembly } = cloud.deployment;
  const tables = [
    ...assembly.findByType('AWS::DynamoDB::GlobalTable'),
    ...assembly.findByType('AWS::DynamoDB::Table'),
  ].map((table) => [table.label, { items: cloud.listItems(table.label), ...readForm(table) }] as const);
  const queues = [...cloud.queues.values()].map((queue) => [queue.label, queue.save().messages.length] as const);
  return {
    begins: cloud.world.begins,
    at: cloud.world.now - cloud.world.begins,
    tables: Object.fromEntries(tables),
    queues: Object.fromEntries(queues),
    sent: countSent(cloud),
  };
}

function readForm({ properties }: Resource): Pick<TableState, 'key' | 'ttl'> {
  const { KeySchema = [], TimeToLiveSpecification } = properties as {
    readonly KeySchema?: readonly { readonly AttributeName: string }[];
    readonly TimeToLiveSpecification?: { readonly Enabled?: unknown; readonly AttributeName?: string };
  };
  const isOn = String(TimeToLiveSpecification?.Enabled) === 'true';
  return {
    key: KeySchema.map(({ AttributeName }) => AttributeName),
    ttl: isOn ? TimeToLiveSpecification?.AttributeName : undefined,
  };
}

/** Names the number of messages that a queue has taken. */
export const nameSent = (queue: string): string => `messages of ${queue}`;

function countSent({ events, queues, kinesis }: Cloud): Record<string, number> {
  const sent: Record<string, number> = {};
  for (const { bus, event } of events.accepted) {
    const name = `event ${event.source} ${event['detail-type']} on ${bus}`;
    sent[name] = (sent[name] ?? 0) + 1;
  }
  for (const { label, traffic } of queues.values()) sent[nameSent(label)] = traffic.sent;
  for (const { label, taken } of kinesis.list()) sent[`records of ${label}`] = taken;
  return sent;
}

/** Returns the labels of queues that get what others have given up on. */
export function findDeadLetterQueues(cloud: Cloud): ReadonlySet<string> {
  const named = new Set(
    cloud.deployment.assembly.resources.flatMap(({ properties }) =>
      [
        ...JSON.stringify(properties).matchAll(
          /"(?:deadLetterTargetArn|DeadLetterConfig|OnFailure|TargetArn|Destination)":(?:\{"(?:Arn|TargetArn|Destination)":)?"([^"]+)"/g,
        ),
      ].map(([, arn = '']) => arn),
    ),
  );
  return new Set([...cloud.queues].flatMap(([arn, { label }]) => (named.has(arn) ? [label] : [])));
}

/** Returns the ARNs of what a function or a pipe of an app reads. */
export function readSources(assembly: Assembly): ReadonlySet<string> {
  const mappings = assembly
    .findByType('AWS::Lambda::EventSourceMapping')
    .filter(({ properties }) => String(properties.Enabled) !== 'false');
  const sources = [
    ...mappings.map(({ properties }) => properties.EventSourceArn),
    ...assembly.findByType('AWS::Pipes::Pipe').map(({ properties }) => properties.Source),
  ];
  return new Set(sources.map(String));
}

/** Returns the labels of queues that a function or a pipe of the app reads. */
export const findReadQueues = ({ queues, deployment: { assembly } }: Cloud): ReadonlySet<string> =>
  new Set([...readSources(assembly)].flatMap((arn) => queues.get(arn)?.label ?? []));

/**
 * Lists messages that nobody will get any more. A tick of a schedule is no message: the next one comes. In a queue that the app doesn't read, each
 * message expires if the history is long enough: whoever reads it is outside.
 */
export function listLosses(cloud: Cloud, deadLetters: ReadonlySet<string>): readonly string[] {
  const { world, queues, events, scheduler } = cloud;
  // A schedule that a function creates at run time carries a message, and one that comes once has no next tick.
  const recurring = scheduler.list().filter(({ times, resource }) => !times.isOnce && resource.stack !== '');
  const schedules = [...events.schedules.labels, ...recurring.map(({ resource }) => resource.label)];
  const isTick = (line: string): boolean => schedules.some((label) => line.includes(` ${label} delivery `));
  const read = findReadQueues(cloud);
  return [
    ...world.trace.lines.filter((line) => /\bLOST\b/.test(line) && !isTick(line)),
    ...[...queues.values()]
      .filter(({ label }) => read.has(label) && !deadLetters.has(label))
      .flatMap(({ label, fates }) =>
        fates.filter(({ fate }) => fate === 'expired').map(() => `a message of ${label} expired`),
      ),
  ];
}
