import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { clock } from '../aws/clock.js';
import type { Item } from '../aws/dynamodb.js';
import { newId } from '../aws/ids.js';
import {
  type AnyEvent,
  ContractViolation,
  encodeEvent,
  type OutgoingCommand,
  type ServiceContract,
  toCommandContract,
} from './contract.js';
import { aggregateKey, COMMIT_PREFIX } from './keys.js';
import { findPersonalFields, sealEvent } from './personal-fields.js';
import { Position } from './position.js';
import type { Trace } from './trace.js';

/**
 * Returns the sort key of the commit whose first event has this version. It has ten digits, so text sorts as numbers
 * do.
 */
export const commitKey = (firstVersion: number): string => COMMIT_PREFIX + String(firstVersion).padStart(10, '0');

/** An event inside a commit. `data` stays text: the relay passes it through and does not parse it. */
const StoredEvent = z.object({
  id: z.string(),
  type: z.string(),
  schemaVersion: z.int().check(z.gte(1)),
  data: z.string(),
});

/** A command inside a commit. It was checked and written by the receiver's contract. */
const StoredCommand = z.extend(StoredEvent, {
  /** Name of the service that executes the command. */
  to: z.string(),
});

/**
 * One append to an event stream, as the table stores it (design, section 3). It is an entry of the transactional outbox
 * too.
 */
export const Commit = z.object({
  pk: z.string(),
  sk: z.string().check(z.regex(new RegExp(`^${COMMIT_PREFIX}\\d{10}$`))),
  events: z.array(StoredEvent).check(z.minLength(1)),
  /** Commands to other services. They are sent with the events and are not part of the history. Usually absent. */
  commands: z.optional(z.array(StoredCommand)),
  lastVersion: z.int().check(z.gte(1)),
  /** Number of restores of the service before this commit. Absent for 0, and in commits of releases before 0.4. */
  epoch: z.optional(Position.shape.epoch),
  /** In the first commit of an aggregate in an epoch: position of the event before it. Absent in all others. */
  follows: z.optional(Position),
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
  /** Person whose data the commit contains, or whom it is about. Usually absent. */
  person: z.optional(z.string()),
  /** `false` in a commit that must not be sent (a backfill): the relay's filter leaves it out. Usually absent. */
  published: z.optional(z.boolean()),
});
export type Commit = z.infer<typeof Commit>;

/** Returns the version of a commit's first event. */
export const firstVersionOf = ({ sk }: Pick<Commit, 'sk'>): number => Number(sk.slice(COMMIT_PREFIX.length));

export interface NewCommit {
  readonly contract: ServiceContract;
  readonly aggregate: string;
  readonly id: string;
  /** Version of the aggregate before this commit; 0 for a new aggregate. */
  readonly after: number;
  /** The commit before this one. Absent for a new aggregate. */
  readonly previous?: PreviousCommit;
  /** Number of restores of the service so far. @default 0 */
  readonly epoch?: number;
  readonly events: readonly AnyEvent[];
  /** @default no commands */
  readonly commands?: readonly OutgoingCommand[];
  readonly trace: Trace;
  /** Hash of the API request that the commit answers. It is absent in other commits. */
  readonly requestHash?: string;
  /** Expiry time in epoch seconds. Set it only if the commit is an outbox entry and no history. */
  readonly expiresAt?: number;
  readonly feedShards: FeedShards;
}

/** Attributes that a commit takes over from the one before it. */
export interface PreviousCommit {
  /** Its time. The time of an aggregate's commits never decreases. */
  readonly at: string;
  /** Its epoch; absent for 0. */
  readonly epoch?: number | undefined;
}

/**
 * Numbers of shards of the feed (the global log of all commits). Each entry holds from its time `from` on (ISO 8601);
 * entries are in ascending order.
 */
export type FeedShards = readonly { readonly from: string; readonly shards: number }[];

/**
 * Creates the item of one append. Put it with the condition `attribute_not_exists(pk)`.
 *
 * The events of a commit share one write, so no crash can publish one event without the others. The function seals
 * personal data or throws; it never returns plain personal data.
 * @throws {ContractViolation} if an event or a command breaks its contract
 */
export function buildCommitItem(commit: NewCommit): Commit & Item {
  const { contract, aggregate, id, after, events, commands = [], trace, requestHash, expiresAt } = commit;
  const now = clock.now();
  const { previous } = commit;
  const at = previous !== undefined && previous.at > now ? previous.at : now;
  const before = previous?.epoch ?? 0;
  // A function that still has an earlier setting doesn't write behind the newest epoch.
  const epoch = Math.max(commit.epoch ?? 0, before);
  const pk = aggregateKey(aggregate, id);
  const person = findPerson(contract, events);
  return {
    pk,
    sk: commitKey(after + 1),
    events: events.map((event) => {
      const eventId = newId();
      const { schemaVersion, data } = encodeEvent(
        contract,
        sealEvent(contract, event, { aggregate: pk, event: eventId }),
      );
      return { id: eventId, type: event.type, schemaVersion, data: JSON.stringify(data) };
    }),
    ...(commands.length === 0 ? {} : { commands: commands.map(toStoredCommand) }),
    lastVersion: after + events.length,
    ...(epoch === 0 ? {} : { epoch }),
    ...(previous !== undefined && before < epoch ? { follows: { epoch: before, sequence: after } } : {}),
    ...trace,
    at,
    feedPk: feedPartition(at, pk, commit.feedShards),
    // Of the same time as its partition: whoever reads an hour finds all of its commits between the hour's ends.
    feedSk: newId(Date.parse(at)),
    ...(person === undefined ? {} : { person }),
    ...(requestHash === undefined ? {} : { requestHash }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

function toStoredCommand({ to, command }: OutgoingCommand): z.infer<typeof StoredCommand> {
  const { schemaVersion, data } = encodeEvent(toCommandContract(to), command);
  return { id: newId(), to: to.service, type: command.type, schemaVersion, data: JSON.stringify(data) };
}

/**
 * Returns the person whom a commit is about.
 * @throws {ContractViolation} if a commit has two people, because the index has room for one
 */
function findPerson(contract: ServiceContract, events: readonly AnyEvent[]): string | undefined {
  const [person, ...others] = new Set([
    ...events.flatMap((event) => findPersonalFields(contract, event)).map((field) => field.person),
    ...events.flatMap((event) => findNamedPeople(contract, event)),
  ]);
  if (others.length > 0) throw new ContractViolation('INVALID_DATA', 'data of several people in one commit');
  return person;
}

function findNamedPeople({ person }: ServiceContract, { data }: AnyEvent): readonly string[] {
  const named = person === undefined ? undefined : (data as Readonly<Record<string, unknown>>)[person];
  return named === undefined ? [] : [String(named)];
}

/**
 * Returns the partition of a commit in the feed: `<yyyy-mm-ddThh>#<shard>`. The shards spread the commits of an hour,
 * so no single partition of the index takes them all.
 */
function feedPartition(at: string, key: string, settings: FeedShards): string {
  const shards = settings.findLast(({ from }) => from <= at)?.shards ?? 1;
  const shard = createHash('sha256').update(key).digest().readUInt32BE(0) % shards;
  return `${at.slice(0, 13)}#${shard}`;
}
