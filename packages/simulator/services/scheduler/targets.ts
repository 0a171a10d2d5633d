import type { Resource } from '../../assembly/assembly.js';
import type { AccountAndRegion } from '../../assembly/identity.js';
import type { EventLoop } from '../../engine/event-loop.js';
import { NotModelled } from '../../wire/operation.js';
import type { AwsRequest } from '../../wire/request.js';
import type { AsyncInvoker } from '../events/model.js';
import type { Iam } from '../iam/model.js';
import type { Queue } from '../sqs/model.js';
import { offer } from '../sqs/offer.js';
import type { ServiceCall } from '../states/tasks.js';

/** Target of a schedule. EventBridge Scheduler API Reference, "Target". */
export interface ScheduleTarget {
  readonly Arn: string;
  readonly RoleArn: string;
  readonly Input?: string;
  readonly DeadLetterConfig?: { readonly Arn?: string };
  readonly RetryPolicy?: { readonly MaximumEventAgeInSeconds?: number; readonly MaximumRetryAttempts?: number };
  readonly SqsParameters?: { readonly MessageGroupId?: string };
  readonly EventBridgeParameters?: { readonly DetailType: string; readonly Source: string };
  readonly KinesisParameters?: { readonly PartitionKey: string };
}

const MODELLED = new Set([
  'Arn',
  'RoleArn',
  'Input',
  'DeadLetterConfig',
  'RetryPolicy',
  'SqsParameters',
  'EventBridgeParameters',
  'KinesisParameters',
]);

/** Parts of an account that targets need. */
export interface TargetAccount {
  readonly world: EventLoop;
  readonly iam: Iam;
  readonly home: AccountAndRegion;
  readonly functions: ReadonlyMap<string, unknown>;
  readonly asynchronous: AsyncInvoker;
  readonly queues: ReadonlyMap<string, Queue>;
  readonly call: ServiceCall;
}

/** One attempt to invoke a target. */
interface Attempt {
  /** Milliseconds since 1970. */
  readonly scheduledAt: number;
  readonly attempt: number;
  readonly execution: string;
}

/** Invokes targets with the roles that schedules give them. EventBridge Scheduler User Guide, "Using templated targets". */
export class ScheduleTargets {
  constructor(private readonly around: TargetAccount) {}

  /** @throws {NotModelled} names what has no model */
  check(target: ScheduleTarget): void {
    const { Arn } = target;
    const unknown = Object.keys(target).find((name) => !MODELLED.has(name));
    if (unknown !== undefined) throw new NotModelled(`${unknown} of the target of a schedule`);
    const isKnown =
      this.around.functions.has(Arn) ||
      this.around.queues.has(Arn) ||
      /^arn:[\w-]+:(sns|states|events|kinesis):\w/.test(Arn);
    if (!isKnown)
      throw new NotModelled(
        `the target ${Arn}; functions, queues, topics, state machines, buses and data streams are modelled, and no call of the SDK`,
      );
  }

  /** @returns why the target was not invoked; nothing if it was */
  invoke(schedule: Resource, target: ScheduleTarget, attempt: Attempt): string | undefined {
    const { world, iam, functions, asynchronous, call } = this.around;
    const { Arn, RoleArn, Input } = target;
    const input = Input === undefined ? this.notification(schedule, attempt) : fillIn(Input, schedule, attempt);
    if (functions.has(Arn)) {
      if (!iam.roleAllows(RoleArn, { action: 'lambda:InvokeFunction', resource: Arn })) {
        world.note(`${schedule.label} DENIED lambda:InvokeFunction on ${Arn} for ${RoleArn}`);
        return `${RoleArn} is not authorized to perform lambda:InvokeFunction`;
      }
      asynchronous.invokeAsync(Arn, parse(input));
      return undefined;
    }
    const request = toRequest(target, input);
    const answer = call(request, { label: schedule.label, role: RoleArn, resource: schedule });
    if ('error' in answer) return `${answer.error.code}: ${answer.error.message}`;
    const { FailedEntryCount = 0 } = answer.output as { readonly FailedEntryCount?: number };
    return FailedEntryCount > 0 ? JSON.stringify(answer.output) : undefined;
  }

  /** "Configuring a dead-letter queue for EventBridge Scheduler". @returns whether a queue took the message */
  saveDeadLetter(schedule: Resource, target: ScheduleTarget, error: string, attempts: number): boolean {
    const { iam, queues } = this.around;
    const arn = target.DeadLetterConfig?.Arn;
    const queue = arn === undefined ? undefined : queues.get(arn);
    if (arn === undefined || !queue || !iam.roleAllows(target.RoleArn, { action: 'sqs:SendMessage', resource: arn }))
      return false;
    const attribute = (StringValue: string) => ({ DataType: 'String', StringValue });
    const refusal = offer(queue, {
      body: target.Input ?? '{}',
      attributes: {
        ERROR_CODE: attribute(error.split(':')[0] ?? ''),
        ERROR_MESSAGE: attribute(error),
        RETRY_ATTEMPTS: attribute(String(attempts - 1)),
        SCHEDULE_ARN: attribute(schedule.arn),
        TARGET_ARN: attribute(target.Arn),
      },
    });
    return refusal === undefined;
  }

  /** Input of a target whose schedule has no `Input`. */
  private notification({ arn }: Resource, { scheduledAt, execution }: Attempt): string {
    const { home } = this.around;
    return JSON.stringify({
      version: '0',
      id: execution,
      'detail-type': 'Scheduled Event',
      source: 'aws.scheduler',
      account: home.account,
      time: toTime(scheduledAt),
      region: home.region,
      resources: [arn],
      detail: '{}',
    });
  }
}

/** Seconds are the smallest part of a time. */
const toTime = (milliseconds: number): string => new Date(milliseconds).toISOString().replace(/\.\d{3}Z$/, 'Z');

/** "Adding context attributes in EventBridge Scheduler". */
const fillIn = (input: string, { arn }: Resource, { scheduledAt, attempt, execution }: Attempt): string =>
  input
    .replaceAll('<aws.scheduler.schedule-arn>', arn)
    .replaceAll('<aws.scheduler.scheduled-time>', toTime(scheduledAt))
    .replaceAll('<aws.scheduler.execution-id>', execution)
    .replaceAll('<aws.scheduler.attempt-number>', String(attempt));

function parse(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}

function toRequest(target: ScheduleTarget, input: string): Pick<AwsRequest, 'service' | 'operation' | 'input'> {
  const { Arn, SqsParameters, EventBridgeParameters, KinesisParameters } = target;
  switch (Arn.split(':')[2]) {
    case 'sqs':
      return {
        service: 'sqs',
        operation: 'SendMessage',
        input: { QueueUrl: Arn.split(':').at(-1), MessageBody: input, ...SqsParameters },
      };
    case 'sns':
      return { service: 'sns', operation: 'Publish', input: { TopicArn: Arn, Message: input } };
    case 'states':
      return { service: 'states', operation: 'StartExecution', input: { stateMachineArn: Arn, input } };
    case 'kinesis':
      return {
        service: 'kinesis',
        operation: 'PutRecord',
        input: { StreamARN: Arn, Data: Buffer.from(input).toString('base64'), ...KinesisParameters },
      };
    default:
      return {
        service: 'events',
        operation: 'PutEvents',
        input: { Entries: [{ EventBusName: Arn, Detail: input, ...EventBridgeParameters }] },
      };
  }
}
