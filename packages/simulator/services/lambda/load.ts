import type { Random } from '../../engine/random.js';
import type { PartitionLimits } from '../dynamodb/throughput.js';

/** Duration of a function's call of a service, in milliseconds: half of all calls, and 99 of 100, are shorter. */
export interface CallTimes {
  readonly median: number;
  readonly p99: number;
}

/** Limits of a function's queue that are smaller than in its template. */
export interface MappingLimits {
  readonly concurrency: number;
  readonly batchSize: number;
}

/**
 * Throughput of an account. Without it, calls take a few milliseconds, code takes no time, and tables take everything. With
 * it, what is asked of the account faster than it can do waits or is throttled.
 */
export interface Load {
  /** Calls of functions, both ways together. @default milliseconds, as without a load */
  readonly calls?: CallTimes;
  /** Milliseconds of one vCPU that a function's code takes for each of its calls. @default 0 */
  readonly cpu?: number;
  /** Units of DynamoDB's partitions. @default any number */
  readonly partitions?: PartitionLimits;
  /** Limits of functions' queues, by the function's label: a scenario scales an app down to the orders that it can afford. */
  readonly queues?: Readonly<Record<string, MappingLimits>>;
  /** Share of the API's rate and burst that its stage has. @default 1 */
  readonly apiShare?: number;
}

/**
 * Durations of DynamoDB's calls. AWS promises "single-digit millisecond" latency and documents no percentiles; that the
 * slowest hundredth takes several times as long is the order of magnitude of Dean and Barroso, "The Tail at Scale" (CACM 2013).
 */
export const AWS_CALL_TIMES: CallTimes = { median: 6, p99: 40 };

/** Megabytes of a function with one vCPU. AWS Lambda, "Configure Lambda function memory". */
const ONE_VCPU_MB = 1_769;

/** Milliseconds that a function of this memory takes for a part of its code. */
export const scaleCpuTime = (milliseconds: number, memoryMegabytes: number): number =>
  milliseconds * Math.max(1, ONE_VCPU_MB / memoryMegabytes);

/** Standard deviations of the 99th percentile of a normal distribution. */
const Z99 = 2.326;

/** Draws the duration of a call: log-normal, so most take about the median, and a few take many times as long. */
export function drawCallTime({ median, p99 }: CallTimes, random: Random): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random.fraction())) * Math.cos(2 * Math.PI * random.fraction());
  return median * Math.exp((Math.log(p99 / median) / Z99) * normal);
}

/**
 * Number of batches that Lambda takes of a queue at once, after it has had messages for some time. AWS Lambda, "Configuring
 * scaling behavior for SQS event source mappings": five, and 300 more each minute.
 */
export const rampedConcurrency = (busyMilliseconds: number): number =>
  5 + Math.floor((busyMilliseconds / 60_000) * 300);
