import type { Cloud } from '../../packages/simulator/cloud/cloud.js';
import type { LambdaFunction } from '../../packages/simulator/services/lambda/model.js';
import type { Counts, CountsByFunction, Measure } from './counts.js';
import { add, timesEach } from './counts.js';

/** Something was used that no measure counts, so a total would leave it out. */
export class NotMeasured extends Error {
  override readonly name = 'NotMeasured';
}

/** Amounts that were used in a time. */
export interface Metered {
  readonly functions: CountsByFunction;
  /** Entries on the bus, by the function that put them and their type: `Orders/Relay OrderPlaced`. */
  readonly events: Readonly<Record<string, number>>;
}

/** Bytes of one entry of PutEvents that are charged as one event (Amazon EventBridge pricing). */
const BYTES_OF_AN_EVENT = 64 * 1024;

/** Operations beside DynamoDB's, and what counts them. Those without a measure are free or counted elsewhere. */
const OPERATIONS: Readonly<Record<string, Measure | undefined>> = {
  // Counted by its entries.
  'events.PutEvents': undefined,
  // The messages are counted by their queue.
  'sqs.SendMessage': undefined,
  'sqs.SendMessageBatch': undefined,
  'sqs.ChangeMessageVisibility': 'queueRequests',
  'sqs.ChangeMessageVisibilityBatch': 'queueRequests',
  'kms.GenerateDataKey': 'kmsCalls',
  'kms.Decrypt': 'kmsCalls',
  's3.PutObject': 's3Writes',
  's3.ListObjectsV2': 's3Writes',
  's3.GetObject': 's3Reads',
  // Counted as the invocation that it is.
  'lambda.Invoke': undefined,
  // Standard parameters are free (AWS Systems Manager pricing).
  'ssm.GetParameter': undefined,
  // A state machine is charged by its transitions (AWS Step Functions pricing).
  'states.SendTaskSuccess': undefined,
  // Calls of AWS CloudFormation are free.
  'cloudformation.DescribeStacks': undefined,
};

/**
 * Counts what a simulated cloud would be charged for, by function, with everything that anything in it sets off.
 *
 * Messages and their requests belong to the function that the queue invokes, events to the function that puts them. A queue
 * without a function has a row of its own. Units are those that the simulator's DynamoDB reports, also of writes that it refuses.
 */
export class Meter {
  private readonly mapped: ReadonlyMap<string, string>;
  private since: Moment;

  constructor(private readonly cloud: Cloud) {
    this.mapped = new Map(
      cloud.sources.map(({ resource, fn }) => [String(resource.properties.EventSourceArn), fn.label]),
    );
    this.since = this.now();
  }

  /** Begins to count from here. */
  begin(): void {
    this.since = this.now();
  }

  /** Returns what was used since `begin`. @throws {NotMeasured} if a part of it has no measure */
  end(): Metered {
    const { cloud, since } = this;
    const rows = new Map<string, Counts[]>();
    const note = (row: string, counts: Counts): void => void rows.set(row, [...(rows.get(row) ?? []), counts]);
    for (const fn of cloud.functions.values()) {
      const invocations = fn.invocations - (since.invocations.get(fn) ?? 0);
      if (invocations > 0) note(fn.label, { invocations, systemLogBytes: invocations * systemLogBytes(fn) });
    }
    for (const call of cloud.tableCalls.slice(since.tableCalls)) note(call.fn, countTableCall(call));
    for (const { fn, text } of cloud.log.slice(since.log)) note(fn, { logLines: 1, logBytes: Buffer.byteLength(text) });
    const events: Record<string, number> = {};
    for (const { event, by } of cloud.events.accepted.slice(since.accepted)) {
      if (by === undefined) continue;
      const busBytes = Buffer.byteLength(JSON.stringify(event));
      note(by, { busEntries: Math.ceil(busBytes / BYTES_OF_AN_EVENT), busBytes });
      const name = `${by} ${event['detail-type']}`;
      events[name] = (events[name] ?? 0) + 1;
    }
    for (const queue of cloud.queues.values()) {
      const before = since.queues.get(queue.label);
      const messages = queue.traffic.sent - (before?.sent ?? 0);
      const receives = queue.traffic.receives - (before?.receives ?? 0);
      const grouped = queue.traffic.grouped - (before?.grouped ?? 0);
      if (messages + receives === 0) continue;
      const queueRequests = messages + 2 * receives;
      const isFair = grouped > 0 || (messages === 0 && queue.traffic.grouped > 0);
      const row = this.mapped.get(queue.resource.arn) ?? queue.label;
      note(row, { messages, queueRequests, ...(isFair && { fairRequests: queueRequests }) });
    }
    for (const line of cloud.world.trace.lines.slice(since.trace)) this.countTraced(line, note);
    const requests = cloud.apis.reduce((sum, api) => sum + api.requests, 0) - since.requests;
    if (requests > 0) note('API', { requests });
    const functions = Object.fromEntries([...rows].map(([row, all]) => [row, add(...all)]));
    return { functions: timesEach(functions, 1), events: Object.fromEntries(Object.entries(events).toSorted()) };
  }

  /** Counts calls beside DynamoDB's, which only the trace has. */
  private countTraced(line: string, note: (row: string, counts: Counts) => void): void {
    const [, fn, service, operation] = /(\S+) call \d+ ([a-z0-9]+)\.([A-Z]\w+)(?: |$)/.exec(line) ?? [];
    if (fn !== undefined && service !== 'dynamodb') {
      const measure = measureOf(fn, `${service}.${operation}`);
      if (measure !== undefined) note(fn, { [measure]: 1 });
      return;
    }
    const [, caller] = /(\S+) call \d+ (?:GET|POST|PUT|DELETE) [\w.-]+\//.exec(line) ?? [];
    if (caller !== undefined) note(caller, { providerCalls: 1 });
  }

  private now(): Moment {
    const { cloud } = this;
    return {
      invocations: new Map([...cloud.functions.values()].map((fn) => [fn, fn.invocations])),
      queues: new Map([...cloud.queues.values()].map(({ label, traffic }) => [label, { ...traffic }])),
      tableCalls: cloud.tableCalls.length,
      log: cloud.log.length,
      accepted: cloud.events.accepted.length,
      trace: cloud.world.trace.lines.length,
      requests: cloud.apis.reduce((sum, api) => sum + api.requests, 0),
    };
  }
}

/**
 * Returns what counts a function's call; nothing, if it is free or counted elsewhere.
 * @param operation `kms.Decrypt` @throws {NotMeasured}
 */
export function measureOf(fn: string, operation: string): Measure | undefined {
  if (Object.hasOwn(OPERATIONS, operation)) return OPERATIONS[operation];
  throw new NotMeasured(
    `${fn} calls ${operation}, which no measure counts: add it to OPERATIONS in tools/cost/meter.ts, with a price if it has one`,
  );
}

interface Moment {
  readonly invocations: ReadonlyMap<LambdaFunction, number>;
  readonly queues: ReadonlyMap<string, { readonly sent: number; readonly grouped: number; readonly receives: number }>;
  readonly tableCalls: number;
  readonly log: number;
  readonly accepted: number;
  readonly trace: number;
  readonly requests: number;
}

function countTableCall({ operation, effects }: Cloud['tableCalls'][number]): Counts {
  const own: Measure = operation.startsWith('Transact') ? 'transactionalWrites' : 'plainWrites';
  const units = effects.consumed.map(({ index, read, write }) => ({
    reads: read,
    [index === undefined ? own : 'indexWrites']: write,
  }));
  const counts = add({ calls: 1 }, ...units);
  const isRefused = effects.conditions.some(({ holds }) => !holds);
  const writes = (counts.plainWrites ?? 0) + (counts.transactionalWrites ?? 0);
  return isRefused && writes > 0 ? { ...counts, refusedWrites: writes } : counts;
}

/**
 * Lines that Lambda itself writes for an invocation: START, END and REPORT as text ("Lambda function logs", with newlines), or
 * platform.start and platform.report as JSON; none from the level WARN on ("Configuring advanced logging controls").
 */
const TEXT_LINES = 72 + 53 + 132;
const JSON_LINES = 160 + 330;

function systemLogBytes({ resource }: LambdaFunction): number {
  const { LogFormat = 'Text', SystemLogLevel = 'INFO' } = (resource.properties.LoggingConfig ?? {}) as {
    readonly LogFormat?: string;
    readonly SystemLogLevel?: string;
  };
  if (LogFormat === 'Text') return TEXT_LINES;
  return SystemLogLevel === 'WARN' ? 0 : JSON_LINES;
}
