import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { dataschemaUrn, eventSource } from '../aws/app-names.js';
import { isUuid } from '../aws/ids.js';
import { type Commit, firstVersionOf } from './commit.js';
import { ContractViolation, formatIssues } from './contract.js';
import { formatPosition, POSITION_TEXT, Position } from './position.js';

/** One message on the bus: CloudEvents 1.0 as JSON, with the kit's extensions (design, section 4). */
export const Envelope = z.object({
  /** Written for CloudEvents compliance; not validated on read. */
  specversion: z.exactOptional(z.literal('1.0')),
  id: z.string().check(z.minLength(1), z.maxLength(128)),
  /** Sender: `<application>.<service>`. */
  source: z.string().check(z.regex(/^[a-z][a-z0-9-]*\.[a-z-]+$/), z.maxLength(127)),
  /** Service that executes a command. It is absent in events. */
  to: z.exactOptional(z.string().check(z.regex(/^[a-z-]+$/))),
  /** Event type, as in the publisher's contract, or command type, as in the receiver's contract. */
  type: z.string().check(z.minLength(1), z.maxLength(128)),
  /** Aggregate: `<AggregateType>/<id>`. */
  subject: z.string().check(z.regex(/^[A-Za-z]+\/.+$/), z.maxLength(512)),
  /** Time of the commit (ISO 8601, UTC). */
  time: z.iso.datetime(),
  /** Schema of the data: `urn:<application>:<service>:<type>:<version>`, with the service whose contract defines the type. */
  dataschema: z.string().check(z.regex(/^urn:[a-z][a-z0-9-]*:[a-z-]+:[A-Za-z]+:[1-9]\d{0,5}$/)),
  data: z.unknown(),
  /** Version of the aggregate after this event. */
  sequence: Position.shape.sequence,
  /**
   * Number of times that the service had been restored from a backup when the event was committed. The pair (epoch, sequence)
   * orders an aggregate's events across a restore ({@link toOrdinal}).
   */
  epoch: Position.shape.epoch,
  /**
   * In an aggregate's first event of an epoch: the position of the event before it, `<epoch>/<sequence>`. What the aggregate had
   * published after that was forgotten by a restore. It is absent in all other events, also if the aggregate begins in the epoch.
   */
  follows: z.exactOptional(z.string().check(z.regex(POSITION_TEXT))),
  correlationid: z.string().check(z.maxLength(256)),
  causationid: z.string().check(z.maxLength(256)),
  traceparent: z.string().check(z.maxLength(256)),
  actor: z.string().check(z.maxLength(256)),
  /** Caller who began what a service continues, if a service acted. */
  onbehalfof: z.exactOptional(z.string().check(z.maxLength(256))),
  /**
   * Message group in a fair queue, see `messageGroupOf`. Events of releases before 0.3, and their archive, have none.
   */
  messagegroup: z.exactOptional(z.string().check(z.maxLength(128))),
});
export type Envelope = z.infer<typeof Envelope>;

/** Returns the version of the data's shape. */
export const schemaVersionOf = ({ dataschema }: Envelope): number =>
  Number(dataschema.slice(dataschema.lastIndexOf(':') + 1));

/**
 * Returns what a saga's command asks for: the same text for each command that a sender sends for one step. It is
 * `undefined` for any other message.
 */
export function sagaStepKey({ source, to, type, data }: Envelope): string | undefined {
  if (to === undefined || typeof data !== 'object' || data === null || !('stepId' in data)) return undefined;
  return typeof data.stepId === 'string' ? `${source}/${to}/${type}/${data.stepId}` : undefined;
}

/** Returns the name of the application whose service sent a message. */
export const appOf = ({ source }: Pick<Envelope, 'source'>): string => source.slice(0, source.indexOf('.'));

/** Returns the name of the service that sent a message, without the name of its application. */
export const senderOf = ({ source }: Pick<Envelope, 'source'>): string => source.slice(source.indexOf('.') + 1);

/**
 * Returns the message group for a fair queue. It is the same for all messages that one customer or one operator caused.
 *
 * The group is a hash, because SQS accepts 1 to 128 characters of a limited set, and an actor may have more.
 */
export const messageGroupOf = (actor: string, onBehalfOf = actor): string =>
  createHash('sha256').update(onBehalfOf).digest('hex').slice(0, 16);

/**
 * Returns the identity of a message, by which its consumers recognise it: CloudEvents identifies an event by its source and
 * its id together (1.0.2, `id`). Whatever names a message's record, request or commit uses this text, never `id` alone.
 *
 * UUIDs, as the kit's own ids are, are unique in all sources, and a service names the commands to itself (timers). Both
 * stand alone. Any other id is unique for its publisher only, so it gets the source: `shop.legacy:42`.
 */
export const messageIdOf = ({ id, source, to }: Pick<Envelope, 'id' | 'source' | 'to'>): string =>
  isUuid(id) || to === senderOf({ source }) ? id : `${source}:${id}`;

/** Returns the type of the aggregate that a message is about. */
export const aggregateOf = ({ subject }: Envelope): string => subject.slice(0, subject.indexOf('/'));

/** Returns the id of the aggregate that a message is about. */
export const idOf = ({ subject }: Envelope): string => subject.slice(subject.indexOf('/') + 1);

/** One entry of EventBridge's PutEvents. */
export interface BusEntry {
  readonly Source: string;
  readonly DetailType: string;
  readonly Detail: string;
}

/** The service whose commits are sent. */
export interface Sender {
  /** Name of the application. */
  readonly app: string;
  /** Name of the service, without the name of its application. */
  readonly service: string;
  /** Types of events that stay inside of the service (`listTypesOffBus`). @default none */
  readonly offBus?: readonly string[];
}

/**
 * Returns the bus entries of one commit: its events first, then its commands. The stored text of `data` is copied, not
 * parsed. So are the epoch and what the commit follows: a fact is as old as it is, whenever it is sent.
 * @param sender application and service, and the types of events that stay inside of it
 * @param traceparentOf returns the trace context of a message. @default the commit's
 */
export function toBusEntries(
  commit: Commit,
  { app, service, offBus = [] }: Sender,
  traceparentOf: (message: { readonly id: string; readonly type: string }) => string = () => commit.traceparent,
): readonly BusEntry[] {
  const [aggregate = '', ...id] = commit.pk.split('#');
  const source = eventSource(app, service);
  const { events, commands = [], lastVersion, epoch = 0, follows } = commit;
  const entry = (message: Commit['events'][number] & { readonly to?: string }, sequence: number): BusEntry => {
    const head = {
      specversion: '1.0',
      id: message.id,
      source,
      ...(message.to === undefined ? {} : { to: message.to }),
      type: message.type,
      subject: `${aggregate}/${id.join('#')}`,
      time: commit.at,
      dataschema: dataschemaUrn(app, message.to ?? service, message.type, message.schemaVersion),
      sequence,
      epoch,
      ...(follows !== undefined && message === events[0] ? { follows: formatPosition(follows) } : {}),
      correlationid: commit.correlationId,
      causationid: commit.trigger,
      traceparent: traceparentOf(message),
      actor: commit.actor,
      ...(commit.onBehalfOf === undefined ? {} : { onbehalfof: commit.onBehalfOf }),
      messagegroup: messageGroupOf(commit.actor, commit.onBehalfOf),
    };
    const Detail = `${JSON.stringify(head).slice(0, -1)},"data":${message.data}}`;
    return { Source: source, DetailType: message.type, Detail };
  };
  return [
    ...events.flatMap((event, at) => (offBus.includes(event.type) ? [] : entry(event, firstVersionOf(commit) + at))),
    ...commands.map((command) => entry(command, lastVersion)),
  ];
}

const BusEvent = z.object({ 'detail-type': z.string(), source: z.string(), detail: Envelope });

/**
 * Reads the message from the body of an SQS message that an EventBridge rule sent.
 * @throws {ContractViolation} INVALID_ENVELOPE, with the paths of the faults and without values
 */
export function readEnvelope(body: string): Envelope {
  const event = z.safeParse(BusEvent, parse(body));
  if (!event.success) throw new ContractViolation('INVALID_ENVELOPE', formatIssues(event.error));
  const { detail, source } = event.data;
  if (detail.source !== source || detail.type !== event.data['detail-type']) {
    throw new ContractViolation(
      'INVALID_ENVELOPE',
      'source or type of the envelope differ from those of its bus event',
    );
  }
  const schema = dataschemaUrn(appOf(detail), detail.to ?? senderOf(detail), detail.type, schemaVersionOf(detail));
  if (detail.dataschema !== schema) {
    throw new ContractViolation('INVALID_ENVELOPE', 'dataschema names another service or type');
  }
  return detail;
}

/** Names of publishers and types as EventBridge takes them, without what could be a text or somebody's data. */
const BUS_NAME = z.string().check(z.regex(/^[\w.:/-]{1,256}$/));
const BusHead = z.object({ source: BUS_NAME, 'detail-type': BUS_NAME });

/**
 * Returns who published a message that can't be read, and its type, as the fields of its bus event say: EventBridge requires both.
 * They name the publisher to mend. Empty for what never came from a bus.
 */
export function readSender(body: string): Partial<Pick<Envelope, 'source' | 'type'>> {
  try {
    const { data } = z.safeParse(BusHead, JSON.parse(body));
    return data ? { source: data.source, type: data['detail-type'] } : {};
  } catch {
    return {};
  }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new ContractViolation('INVALID_ENVELOPE', 'not JSON');
  }
}
