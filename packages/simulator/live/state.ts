import type { Cloud } from '../cloud/cloud.js';
import type { Restored } from '../services/dynamodb/administration/table-record.js';
import type { Item, StreamRecord, WireObject } from '../services/dynamodb/wire.js';
import type { PendingDelivery } from '../services/events/model.js';
import type { PendingInvocation } from '../services/lambda/async-invoke.js';
import type { SavedBuckets } from '../services/s3/model.js';
import type { PendingNotification } from '../services/sns/model.js';
import type { SavedQueue } from '../services/sqs/model.js';
import type { Parameter } from '../services/ssm/model.js';

/** Version of the format. Another one is refused. */
const VERSION = 1;

interface SavedTable {
  readonly items: readonly Item[];
  /** As CreateTable takes them, of a table that a client created: no template has it. */
  readonly created?: WireObject;
  /** Its source, if it was restored. */
  readonly restored?: Restored;
}

/** Switches that a client has moved: a deployment of the same template leaves them. */
interface SavedSwitches {
  /** Concurrency that is reserved for functions, by their names: `null` for none. */
  readonly reserved: Readonly<Record<string, number | null>>;
  /** Whether event source mappings are enabled, by their ids. */
  readonly mappings: Readonly<Record<string, boolean>>;
}

/** Everything that an account remembers at one moment, as JSON. */
export interface SavedState {
  readonly format: 'orderly-local';
  readonly version: number;
  /** Its time, milliseconds since 1970. */
  readonly now: number;
  /** Seed from which the keys of KMS follow. */
  readonly seed: string;
  /** Number of the stream records so far. */
  readonly streamed: string;
  readonly tables: Readonly<Record<string, SavedTable>>;
  /** Messages by the ARN of their queue. */
  readonly queues: Readonly<Record<string, SavedQueue>>;
  readonly buckets: SavedBuckets;
  /** Absent in states of earlier releases. */
  readonly parameters?: readonly Parameter[];
  /** Records that a mapping had not worked off, by its label. */
  readonly streams: Readonly<Record<string, readonly StreamRecord[]>>;
  readonly deliveries: readonly PendingDelivery[];
  /** Absent in states of earlier releases. */
  readonly notifications?: readonly PendingNotification[];
  readonly invocations: readonly PendingInvocation[];
  /** Absent in states of earlier releases. */
  readonly switches?: SavedSwitches;
}

/** A state that this version can't take: what is wrong with it. */
export class StateRefused extends Error {
  override readonly name = 'StateRefused';
}

/** Returns what an account remembers. What an invocation had begun and not written is not part of it, as after a crash. */
export function saveState(cloud: Cloud, seed: string): SavedState {
  const { dynamodb, queues, buckets, parameters, streams, events, topics, asynchronous, world } = cloud;
  const { assembly } = cloud.deployment;
  const types = ['AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table'];
  const deployed = new Set(types.flatMap((type) => assembly.findByType(type).map(({ ref }) => ref)));
  return {
    format: 'orderly-local',
    version: VERSION,
    now: world.now,
    seed,
    streams: Object.fromEntries(streams.map((stream) => [stream.label, stream.unprocessed])),
    streamed: dynamodb.streamed,
    tables: Object.fromEntries(
      [...dynamodb.snapshot()].map(([table, items]) => [
        table,
        deployed.has(table) ? { items } : { items, ...saveDefinition(cloud, table) },
      ]),
    ),
    queues: Object.fromEntries([...queues].map(([arn, queue]) => [arn, queue.save()])),
    buckets: buckets.save(),
    parameters: parameters.all(),
    deliveries: events.pending,
    notifications: topics.pending,
    invocations: asynchronous.pending,
    switches: readSwitches(cloud),
  };
}

function saveDefinition({ dynamodb }: Cloud, table: string): Pick<SavedTable, 'created' | 'restored'> {
  const restored = dynamodb.restoredFrom(table);
  return { created: dynamodb.propertiesOf(table), ...(restored && { restored }) };
}

/** Returns the switches that don't stand as the template says. */
function readSwitches({ functions, sources }: Cloud): SavedSwitches {
  const moved = [...functions.values()].filter(
    ({ reserved, resource: { properties } }) => String(reserved) !== String(properties.ReservedConcurrentExecutions),
  );
  const switched = sources.filter(
    ({ enabled, resource: { properties } }) => enabled !== (properties.Enabled !== false),
  );
  return {
    reserved: Object.fromEntries(moved.map(({ resource, reserved = null }) => [resource.ref, reserved])),
    mappings: Object.fromEntries(switched.map(({ resource, enabled }) => [resource.ref, enabled])),
  };
}

function moveSwitches({ functions, sources }: Cloud, { reserved, mappings }: SavedSwitches): void {
  for (const fn of functions.values()) {
    const given = reserved[fn.resource.ref];
    if (given !== undefined) fn.reserve(given ?? undefined);
  }
  for (const source of sources) {
    const enabled = mappings[source.resource.ref];
    if (enabled !== undefined) source.enabled = enabled;
  }
}

/**
 * Gives a new account what an earlier one remembered. A table or queue that is gone takes its data with it.
 * @returns names of tables and queues whose data had no place
 */
export function restoreState(cloud: Cloud, state: SavedState): readonly string[] {
  const { dynamodb, queues, buckets, parameters, streams, events, topics, asynchronous } = cloud;
  // First: what is taken over must not begin before.
  if (state.switches) moveSwitches(cloud, state.switches);
  const homeless: string[] = [];
  for (const [table, { items, created, restored }] of Object.entries(state.tables)) {
    if (created && !dynamodb.tables().includes(table))
      dynamodb.createTable(table, { Type: 'AWS::DynamoDB::Table', Properties: created }, undefined, restored);
    if (dynamodb.tables().includes(table)) dynamodb.load(table, items, state.streamed);
    else if (items.length > 0) homeless.push(table);
  }
  for (const [arn, saved] of Object.entries(state.queues)) {
    const queue = queues.get(arn);
    if (queue) queue.resume(saved);
    else if (saved.messages.length > 0) homeless.push(arn);
  }
  buckets.resume(state.buckets);
  parameters.resume(state.parameters ?? []);
  for (const stream of streams) stream.resume(state.streams[stream.label] ?? []);
  for (const delivery of state.deliveries) events.plan(delivery);
  for (const notification of state.notifications ?? []) topics.plan(notification);
  for (const invocation of state.invocations) asynchronous.plan(invocation);
  return homeless;
}

/** @throws {StateRefused} if the text is no state, or one of another version */
export function parseState(text: string): SavedState {
  let state: Partial<SavedState> | null;
  try {
    state = JSON.parse(text) as Partial<SavedState> | null;
  } catch (error) {
    throw new StateRefused(`it is no JSON: ${(error as Error).message}`);
  }
  if (state?.format !== 'orderly-local') throw new StateRefused('it is no state of a local cloud');
  if (state.version !== VERSION)
    throw new StateRefused(
      `it has version ${state.version} of the format, and this simulator reads version ${VERSION}`,
    );
  return state as SavedState;
}
