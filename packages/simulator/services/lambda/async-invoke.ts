import type { Resource } from '../../assembly/assembly.js';
import type { EventLoop } from '../../engine/event-loop.js';
import type { AsyncInvoker } from '../events/model.js';
import type { Iam } from '../iam/model.js';
import type { Queue } from '../sqs/model.js';
import { type DestinationServices, sendToDestination } from './destinations.js';
import type { LambdaFunction } from './model.js';

const MINUTE = 60_000;
/**
 * AWS, "How Lambda handles errors and retries with asynchronous invocation": by default two more attempts, within 6
 * hours.
 */
const MAX_RETRIES = 2;
const MAX_AGE_SECONDS = 21_600;

/** An asynchronous invocation that isn't over: it runs, or waits for its next attempt. */
export interface PendingInvocation {
  /** ARN of the function. */
  readonly fn: string;
  readonly event: unknown;
  readonly retries: number;
  /** Milliseconds since 1970, as `at`, the time of the attempt. */
  readonly begun: number;
  readonly at: number;
}

/**
 * Asynchronous invocations: retried after 1 and 2 minutes. What came of one goes to the destination for its outcome; an event that was given up
 * goes to the dead-letter queue too.
 */
export class AsyncInvocations implements AsyncInvoker {
  private readonly unfinished = new Set<PendingInvocation>();

  constructor(
    private readonly around: {
      readonly world: EventLoop;
      readonly iam: Iam;
      readonly functions: ReadonlyMap<string, LambdaFunction>;
      readonly queues: ReadonlyMap<string, Queue>;
      /** `AWS::Lambda::EventInvokeConfig`, by the function's name. */
      readonly configurations: ReadonlyMap<string, Resource>;
    },
  ) {}

  /** Topics and buses, which are made after it: they invoke functions themselves. */
  others: Pick<DestinationServices, 'topics' | 'events'> | undefined;

  invokeAsync(functionArn: string, event: unknown): void {
    if (!this.around.functions.has(functionArn)) throw new Error(`there is no function ${functionArn}`);
    const { now } = this.around.world;
    this.attempt({ fn: functionArn, event, retries: 0, begun: now, at: now });
  }

  /** Invocations that aren't over. */
  get pending(): readonly PendingInvocation[] {
    return [...this.unfinished];
  }

  /** Takes an invocation over from another time of this deployment; a function that is gone gets none. */
  plan(invocation: PendingInvocation): void {
    const { world } = this.around;
    this.unfinished.add(invocation);
    const about = `${this.around.functions.get(invocation.fn)?.label ?? invocation.fn}: an asynchronous invocation`;
    world.after(invocation.at - world.now, () => this.attempt(invocation), about);
  }

  private attempt(invocation: PendingInvocation): void {
    const { world, functions, configurations } = this.around;
    const { event, retries, begun } = invocation;
    const fn = functions.get(invocation.fn);
    if (!fn) return;
    this.unfinished.add(invocation);
    const { properties = {} } = configurations.get(fn.resource.ref) ?? {};
    const most = Number(properties.MaximumRetryAttempts ?? MAX_RETRIES);
    const age = Number(properties.MaximumEventAgeInSeconds ?? MAX_AGE_SECONDS) * 1000;
    fn.invoke(event, (result) => {
      this.unfinished.delete(invocation);
      if (result.kind === 'returned') {
        const { OnSuccess } = readDestinations(properties);
        if (OnSuccess !== undefined) this.send(fn, OnSuccess, this.record(fn, event, retries + 1, result), 'Success');
        return;
      }
      // Throttles don't count as attempts; only their age ends them.
      const next = result.kind === 'throttled' ? retries : retries + 1;
      const wait = result.kind === 'throttled' ? MINUTE : next * MINUTE;
      if (next <= most && world.now + wait - begun <= age) {
        this.plan({ ...invocation, retries: next, at: world.now + wait });
      } else this.giveUp(fn, properties, event, next);
    });
  }

  private giveUp(fn: LambdaFunction, properties: Resource['properties'], event: unknown, invocations: number): void {
    const { world } = this.around;
    const { TargetArn } = (fn.resource.properties.DeadLetterConfig ?? {}) as { TargetArn?: string };
    const { OnFailure } = readDestinations(properties);
    // "Lambda sends the event to the queue as-is", "Adding a dead-letter queue". Its attributes say why, and nobody reads them here.
    const isSaved = TargetArn !== undefined && this.send(fn, TargetArn, event, undefined);
    const isRecorded =
      OnFailure !== undefined && this.send(fn, OnFailure, this.record(fn, event, invocations), 'Failure');
    if (!isSaved && !isRecorded) world.note(`${fn.label} asynchronous invocation given up and LOST`);
  }

  /** @returns whether it was sent */
  private send(fn: LambdaFunction, to: string, body: unknown, outcome: 'Success' | 'Failure' | undefined): boolean {
    const { iam, queues, functions } = this.around;
    const { others } = this;
    return (
      others !== undefined &&
      sendToDestination({ iam, queues, functions, asynchronous: this, ...others }, fn, to, body, outcome)
    );
  }

  private record(
    fn: LambdaFunction,
    event: unknown,
    invocations: number,
    result?: { readonly value: unknown },
  ): object {
    const { world } = this.around;
    return {
      version: '1.0',
      timestamp: new Date(world.now).toISOString(),
      requestContext: {
        requestId: world.random.id(),
        functionArn: fn.resource.arn,
        condition: result ? 'Success' : 'RetriesExhausted',
        approximateInvokeCount: invocations,
      },
      requestPayload: event,
      responseContext: { statusCode: 200, executedVersion: '$LATEST', ...(!result && { functionError: 'Unhandled' }) },
      ...(result && { responsePayload: result.value }),
    };
  }
}

/** Returns the ARNs of destinations by the outcome. @param properties of `AWS::Lambda::EventInvokeConfig` */
function readDestinations({ DestinationConfig }: Resource['properties']) {
  const { OnSuccess, OnFailure } = (DestinationConfig ?? {}) as Readonly<
    Record<string, { readonly Destination?: string }>
  >;
  return { OnSuccess: OnSuccess?.Destination, OnFailure: OnFailure?.Destination };
}
