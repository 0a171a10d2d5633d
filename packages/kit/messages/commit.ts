import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { clock } from '../aws/clock.js';
import type { Item } from '../aws/dynamodb.js';
import { newId } from '../aws/ids.js';
import { personalFields, sealEvent } from '../personal-data/personal-fields.js';
import {
  type AnyEvent,
  ContractViolation,
  commandsOf,
  eventToWrite,
  type OutgoingCommand,
  type ServiceContract,
} from './contract.js';
import type { Trace } from './trace.js';

/** Sort keys of commits begin with this; the relay's stream filter looks for it. */
export const COMMIT_PREFIX = 'COMMIT#';

/** Partition key of an aggregate: `Order#3f…`. */
export const aggregateKey = (aggregate: string, id: string): string => `${aggregate}#${id}`;

/** Sort key of the commit whose first event has this version: ten digits, so that text sorts as numbers do. */
export const commitKey = (firstVersion: number): string => COMMIT_PREFIX + String(firstVersion).padStart(10, '0');

/** An event inside a commit. `data` stays text: the relay passes it through without reading it. */
const StoredEvent = z.object({
  id: z.string(),
  type: z.string(),
  schemaVersion: z.int().check(z.gte(1)),
  data: z.string(),
});

/** A command inside a commit: checked and written by the receiver's contract. */
const StoredCommand = z.extend(StoredEvent, {
  /** The service that is to carry it out. */
  to: z.string(),
});

/** One append as it lies in the table (design, section 3). */
export const Commit = z.object({
  pk: z.string(),
  sk: z.string().check(z.regex(/^COMMIT#\d{10}$/)),
  events: z.array(StoredEvent).check(z.minLength(1)),
  /** What others are to do now; sent with the events, and no part of the history. None in most. */
  commands: z.optional(z.array(StoredCommand)),
  lastVersion: z.int().check(z.gte(1)),
  trigger: z.string(),
  requestHash: z.optional(z.string()),
  actor: z.string(),
  onBehalfOf: z.optional(z.string()),
  correlationId: z.string(),
  traceparent: z.string(),
  at: z.string(),
  snapshot: z.optional(z.object({ schema: z.int(), state: z.string() })),
  feedPk: z.string(),
  feedSk: z.string(),
  /** Whose data is in it, or whom it is about; none in most. */
  person: z.optional(z.string()),
});
export type Commit = z.infer<typeof Commit>;

/** Version of the first event of a commit. */
export const firstVersionOf = ({ sk }: Pick<Commit, 'sk'>): number => Number(sk.slice(COMMIT_PREFIX.length));

export interface NewCommit {
  readonly contract: ServiceContract;
  readonly aggregate: string;
  readonly id: string;
  /** Version before this commit; 0 for a new aggregate. */
  readonly after: number;
  /** `at` of the commit before this one: time never runs backwards within an aggregate. */
  readonly notBefore?: string;
  readonly events: readonly AnyEvent[];
  /** @default none */
  readonly commands?: readonly OutgoingCommand[];
  readonly trace: Trace;
  /** API commits only. */
  readonly requestHash?: string;
  /** Only where the commit is an outbox entry and no history: epoch seconds. */
  readonly expiresAt?: number;
  readonly feedShards: FeedShards;
}

/** How many shards the feed has, and since when; ascending by `from` (ISO time). */
export type FeedShards = readonly { readonly from: string; readonly shards: number }[];

/**
 * The item of one append, ready to be put under `attribute_not_exists(pk)`. Its events share one write: no crash can
 * publish one without the others. Personal data leaves this function sealed, or not at all.
 * @throws {ContractViolation} where an event or a command breaks its contract
 */
export function commitItem(commit: NewCommit): Commit & Item {
  const { contract, aggregate, id, after, events, commands = [], trace, requestHash, expiresAt } = commit;
  const now = clock.now();
  const at = commit.notBefore !== undefined && commit.notBefore > now ? commit.notBefore : now;
  const pk = aggregateKey(aggregate, id);
  const person = personIn(contract, events);
  return {
    pk,
    sk: commitKey(after + 1),
    events: events.map((event) => {
      const eventId = newId();
      const { schemaVersion, data } = eventToWrite(
        contract,
        sealEvent(contract, event, { aggregate: pk, event: eventId }),
      );
      return { id: eventId, type: event.type, schemaVersion, data: JSON.stringify(data) };
    }),
    ...(commands.length === 0 ? {} : { commands: commands.map(storedCommand) }),
    lastVersion: after + events.length,
    ...trace,
    at,
    feedPk: feedPartition(at, pk, commit.feedShards),
    feedSk: newId(),
    ...(person === undefined ? {} : { person }),
    ...(requestHash === undefined ? {} : { requestHash }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

function storedCommand({ to, command }: OutgoingCommand): z.infer<typeof StoredCommand> {
  const { schemaVersion, data } = eventToWrite(commandsOf(to), command);
  return { id: newId(), to: to.service, type: command.type, schemaVersion, data: JSON.stringify(data) };
}

/** @throws {ContractViolation} for two people in one commit: the index has room for one */
function personIn(contract: ServiceContract, events: readonly AnyEvent[]): string | undefined {
  const [person, ...others] = new Set([
    ...events.flatMap((event) => personalFields(contract, event)).map((field) => field.person),
    ...events.flatMap((event) => namedIn(contract, event)),
  ]);
  if (others.length > 0) throw new ContractViolation('INVALID_DATA', 'data of several people in one commit');
  return person;
}

function namedIn({ person }: ServiceContract, { data }: AnyEvent): readonly string[] {
  const named = person === undefined ? undefined : (data as Readonly<Record<string, unknown>>)[person];
  return named === undefined ? [] : [String(named)];
}

/** `<yyyy-mm-ddThh>#<shard>`: an hour's commits, spread so that no partition of the index takes them all. */
function feedPartition(at: string, key: string, settings: FeedShards): string {
  const shards = settings.findLast(({ from }) => from <= at)?.shards ?? 1;
  const shard = createHash('sha256').update(key).digest().readUInt32BE(0) % shards;
  return `${at.slice(0, 13)}#${shard}`;
}
