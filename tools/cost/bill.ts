import { type Counts, MEASURES, type Measure } from './counts.js';
import { BATCH, ESTIMATES, longerWith, perMillion } from './prices.js';
import { isBatched, type Trigger } from './triggers.js';

/** Lines of a bill. Each measure is in one of them, or explains another one. */
export const LINES = {
  api: 'API Gateway and WAF',
  invocations: 'Lambda, invocations',
  time: 'Lambda, time',
  plainWrites: 'DynamoDB, plain writes',
  transactionalWrites: 'DynamoDB, transactional writes',
  indexWrites: 'DynamoDB, indexes',
  reads: 'DynamoDB, reads',
  bus: 'EventBridge',
  archive: 'Bus archive',
  queues: 'SQS',
  fairQueues: 'SQS, fair queues',
  logs: 'CloudWatch logs',
  keys: 'KMS',
  files: 'S3',
} as const;
export type Line = keyof typeof LINES;
/** Dollars per million. */
export type Bill = Readonly<Record<Line, number>>;

/** Where each measure is charged; `explains` is charged as another measure, or by nobody here. */
const CHARGED: Readonly<Record<Measure, Line | 'explains'>> = {
  requests: 'api',
  invocations: 'invocations',
  calls: 'explains',
  plainWrites: 'plainWrites',
  transactionalWrites: 'transactionalWrites',
  indexWrites: 'indexWrites',
  reads: 'reads',
  refusedWrites: 'explains',
  busEntries: 'bus',
  busBytes: 'archive',
  messages: 'explains',
  queueRequests: 'queues',
  fairRequests: 'fairQueues',
  kmsCalls: 'keys',
  s3Writes: 'files',
  s3Reads: 'files',
  providerCalls: 'time',
  logLines: 'explains',
  logBytes: 'logs',
  systemLogBytes: 'logs',
};

/** Facts about a function beside its counts. */
export interface Billed {
  readonly trigger: Trigger | undefined;
  readonly memory: number;
}

/**
 * Returns what a million of something cost that used so much each, in dollars.
 * @param isBatch whether its messages come in full batches. @default each message is alone in its batch
 */
export function billOf(counts: Counts, { trigger, memory }: Billed, isBatch = false): Bill {
  const shares = isBatch && trigger !== undefined && isBatched(trigger);
  const used = shares ? inFullBatches(counts, trigger) : counts;
  const of = (measure: Measure): number => used[measure] ?? 0;
  const seconds = (millisecondsOf(counts, { trigger, memory }, shares) * (memory / 1024)) / 1000;
  const bill: Bill = {
    api: perMillion('requests', of('requests')) + perMillion('firewall', of('requests')),
    invocations: perMillion('invocations', of('invocations')),
    time: perMillion('lambdaTime', seconds),
    plainWrites: perMillion('writes', of('plainWrites')),
    transactionalWrites: perMillion('writes', of('transactionalWrites')),
    indexWrites: perMillion('writes', of('indexWrites')),
    reads: perMillion('reads', of('reads')),
    bus: perMillion('busEntries', of('busEntries')),
    archive: perMillion('archive', of('busBytes')),
    queues: perMillion('queueRequests', of('queueRequests')),
    fairQueues: perMillion('fairRequests', of('fairRequests')),
    logs: perMillion('logs', of('logBytes') + of('systemLogBytes') + of('requests') * ESTIMATES.accessLog),
    keys: perMillion('kmsCalls', of('kmsCalls')),
    files: perMillion('s3Writes', of('s3Writes')) + perMillion('s3Reads', of('s3Reads')),
  };
  return bill;
}

/** Adds bills up. */
export const addBills = (...bills: readonly Bill[]): Bill =>
  Object.fromEntries(
    (Object.keys(LINES) as Line[]).map((line) => [line, bills.reduce((sum, bill) => sum + bill[line], 0)]),
  ) as Bill;

export const totalOf = (bill: Bill): number => Object.values(bill).reduce((sum, dollars) => sum + dollars, 0);

/** Returns the measures of a bill's line: for the test that none is forgotten. */
export const measuresOf = (line: Line): readonly Measure[] => MEASURES.filter((measure) => CHARGED[measure] === line);

/**
 * Returns what the same messages use in batches of ten: they share invocations with Lambda's own lines, and the requests that
 * receive and delete them. Whoever sends them does so one by one.
 */
function inFullBatches(counts: Counts, trigger: Trigger): Counts {
  const { messages = 0, queueRequests = 0, fairRequests = 0 } = counts;
  const share = (value = 0): number => value / BATCH;
  const requests = trigger === 'queue' ? messages + share(queueRequests - messages) : queueRequests;
  return {
    ...counts,
    invocations: share(counts.invocations),
    systemLogBytes: share(counts.systemLogBytes),
    queueRequests: requests,
    fairRequests: fairRequests > 0 ? requests : 0,
  };
}

/** Returns the seconds that a function's invocations take, whose messages are each alone in their batch *(estimated)*. */
export const executionSeconds = (counts: Counts, billed: Billed): number =>
  millisecondsOf(counts, billed, false) / 1000;

/**
 * Milliseconds of all of a function's invocations *(estimated)*. Messages of a batch wait for DynamoDB together, and each takes the CPU
 * that it takes alone.
 */
function millisecondsOf(counts: Counts, { trigger, memory }: Billed, isBatch: boolean): number {
  const { invocations = 0, providerCalls = 0 } = counts;
  const each = {
    authorizer: ESTIMATES.authorizer,
    request: ESTIMATES.request,
    queue: isBatch ? ESTIMATES.inBatch : ESTIMATES.alone,
    stream: isBatch ? ESTIMATES.inBatch : ESTIMATES.alone,
    schedule: ESTIMATES.other,
    call: ESTIMATES.other,
  };
  const own = trigger === undefined ? 0 : invocations * (each[trigger] + longerWith(memory));
  return own + providerCalls * ESTIMATES.provider;
}
