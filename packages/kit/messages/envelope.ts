import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { dataschemaOf, sourceOf } from '../aws/app-names.js';
import { type Commit, firstVersionOf } from './commit.js';
import { ContractViolation, faultsOf } from './contract.js';

/** One event on the bus: CloudEvents 1.0 as JSON, with the kit's extensions (design, section 4). */
export const Envelope = z.object({
  /** Always written; not insisted on, since nothing is done with it. */
  specversion: z.exactOptional(z.literal('1.0')),
  id: z.string().check(z.minLength(1), z.maxLength(128)),
  /** `<application>.<service>` */
  source: z.string().check(z.regex(/^[a-z][a-z0-9-]*\.[a-z-]+$/)),
  /** Of a command: the service that is to carry it out. */
  to: z.exactOptional(z.string().check(z.regex(/^[a-z-]+$/))),
  /** Event type, as in the publisher's contract; command type, as in the receiver's. */
  type: z.string().check(z.minLength(1), z.maxLength(128)),
  /** `<AggregateType>/<id>` */
  subject: z.string().check(z.regex(/^[A-Za-z]+\/.+$/), z.maxLength(512)),
  /** When it was committed, ISO 8601, UTC. */
  time: z.iso.datetime(),
  /** `urn:<application>:<service>:<type>:<version>`, by the service whose contract has the type. */
  dataschema: z.string().check(z.regex(/^urn:[a-z][a-z0-9-]*:[a-z-]+:[A-Za-z]+:[1-9]\d{0,5}$/)),
  data: z.unknown(),
  /** Version of the aggregate that this event made. */
  sequence: z.int().check(z.gte(1)),
  /** Restores of the service so far: (epoch, sequence) orders an aggregate's events across a restore. */
  epoch: z.int().check(z.gte(0)),
  correlationid: z.string().check(z.maxLength(256)),
  causationid: z.string().check(z.maxLength(256)),
  traceparent: z.string().check(z.maxLength(256)),
  actor: z.string().check(z.maxLength(256)),
  /** Who began what a service goes on with. */
  onbehalfof: z.exactOptional(z.string().check(z.maxLength(256))),
  /** Message group in fair queues, see `messageGroupOf`. Releases before 0.3 and the archive of their events have none. */
  messagegroup: z.exactOptional(z.string().check(z.maxLength(128))),
});
export type Envelope = z.infer<typeof Envelope>;

/** Version of the data's shape. */
export const schemaVersionOf = ({ dataschema }: Envelope): number =>
  Number(dataschema.slice(dataschema.lastIndexOf(':') + 1));

/** Name of the application whose service sent it. */
export const appOf = ({ source }: Pick<Envelope, 'source'>): string => source.slice(0, source.indexOf('.'));

/** Name of the service that sent it, without its application's. */
export const senderOf = ({ source }: Pick<Envelope, 'source'>): string => source.slice(source.indexOf('.') + 1);

/** Id of the aggregate that an event is about. */
export const subjectId = ({ subject }: Envelope): string => subject.slice(subject.indexOf('/') + 1);

/**
 * Names the message group of a fair queue: the same for all messages that one customer or one operator caused.
 *
 * It is a hash, because SQS takes 1 to 128 characters of a limited set as a group, and an actor may have more.
 */
export const messageGroupOf = (actor: string, onBehalfOf = actor): string =>
  createHash('sha256').update(onBehalfOf).digest('hex').slice(0, 16);

/** Type of the aggregate that an event is about. */
export const aggregateOf = ({ subject }: Envelope): string => subject.slice(0, subject.indexOf('/'));

/** One entry of PutEvents. */
export interface BusEntry {
  readonly Source: string;
  readonly DetailType: string;
  readonly Detail: string;
}

/** The entries of one commit, its commands behind its events; data is put in as the text that it is stored as, unread. */
export function busEntries(
  commit: Commit,
  { app, service, epoch }: { app: string; service: string; epoch: number },
): readonly BusEntry[] {
  const [aggregate = '', ...id] = commit.pk.split('#');
  const source = sourceOf(app, service);
  const entry = (message: Commit['events'][number] & { readonly to?: string }, sequence: number): BusEntry => {
    const head = {
      specversion: '1.0',
      id: message.id,
      source,
      ...(message.to === undefined ? {} : { to: message.to }),
      type: message.type,
      subject: `${aggregate}/${id.join('#')}`,
      time: commit.at,
      dataschema: dataschemaOf(app, message.to ?? service, message.type, message.schemaVersion),
      sequence,
      epoch,
      correlationid: commit.correlationId,
      causationid: commit.trigger,
      traceparent: commit.traceparent,
      actor: commit.actor,
      ...(commit.onBehalfOf === undefined ? {} : { onbehalfof: commit.onBehalfOf }),
      messagegroup: messageGroupOf(commit.actor, commit.onBehalfOf),
    };
    const Detail = `${JSON.stringify(head).slice(0, -1)},"data":${message.data}}`;
    return { Source: source, DetailType: message.type, Detail };
  };
  const { events, commands = [], lastVersion } = commit;
  return [
    ...events.map((event, at) => entry(event, firstVersionOf(commit) + at)),
    ...commands.map((command) => entry(command, lastVersion)),
  ];
}

const BusEvent = z.object({ 'detail-type': z.string(), source: z.string(), detail: Envelope });

/**
 * Reads the event out of a queue message that an EventBridge rule sent.
 * @throws {ContractViolation} INVALID_ENVELOPE, with the paths of what is wrong and no values
 */
export function readEnvelope(body: string): Envelope {
  const event = z.safeParse(BusEvent, parse(body));
  if (!event.success) throw new ContractViolation('INVALID_ENVELOPE', faultsOf(event.error));
  const { detail, source } = event.data;
  if (detail.source !== source || detail.type !== event.data['detail-type']) {
    throw new ContractViolation(
      'INVALID_ENVELOPE',
      'source or type of the envelope differ from those of its bus event',
    );
  }
  const schema = dataschemaOf(appOf(detail), detail.to ?? senderOf(detail), detail.type, schemaVersionOf(detail));
  if (detail.dataschema !== schema) {
    throw new ContractViolation('INVALID_ENVELOPE', 'dataschema names another service or type');
  }
  return detail;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new ContractViolation('INVALID_ENVELOPE', 'not JSON');
  }
}
