import type { Json, JsonObject } from '../../assembly/intrinsics.js';
import type { AwsRequest } from '../../wire/request.js';
import type { PipeDefinition, PipeStep } from './definition.js';
import { compileEventPath } from './input-template.js';

/** A request to a service, before the rights of the pipe's role are checked. */
type TargetRequest = Pick<AwsRequest, 'service' | 'operation' | 'input'>;

/**
 * Makes the request that hands a batch to a target. Amazon EventBridge User Guide, "Amazon EventBridge Pipes targets".
 * @param events as the template shaped them
 * @param unshaped the events before that: "Dynamic path parameters can't reference new or transformed values"
 */
export function toTargetRequest(
  { kind, arn, parameters }: PipeStep,
  events: readonly Json[],
  unshaped: readonly Json[],
  { name, source }: Pick<PipeDefinition, 'name' | 'source'>,
): TargetRequest {
  const parameter = (of: string, at: number): Json | undefined => resolve(parameters[of], unshaped[at] ?? null);
  switch (kind) {
    case 'queue':
      return {
        service: 'sqs',
        operation: 'SendMessageBatch',
        input: {
          QueueUrl: arn.split(':').at(-1),
          Entries: events.map((event, at) => {
            const MessageGroupId = parameter('MessageGroupId', at);
            return {
              Id: String(at),
              MessageBody: toText(event),
              ...(MessageGroupId !== undefined && { MessageGroupId: toText(MessageGroupId) }),
            };
          }),
        },
      };
    case 'topic':
      return {
        service: 'sns',
        operation: 'PublishBatch',
        input: {
          TopicArn: arn,
          PublishBatchRequestEntries: events.map((event, at) => ({ Id: String(at), Message: toText(event) })),
        },
      };
    case 'stream':
      return {
        service: 'kinesis',
        operation: 'PutRecords',
        input: {
          StreamARN: arn,
          Records: events.map((event, at) => ({
            PartitionKey: toText(parameter('PartitionKey', at) ?? ''),
            Data: Buffer.from(toText(event)).toString('base64'),
          })),
        },
      };
    default:
      return {
        service: 'events',
        operation: 'PutEvents',
        input: {
          Entries: events.map((event, at) => ({
            EventBusName: arn,
            Source: parameter('Source', at) ?? `Pipe ${name}`,
            DetailType: parameter('DetailType', at) ?? `Event from aws:${source.split(':')[2]}`,
            Detail: JSON.stringify(event),
            Resources: ((parameters.Resources ?? []) as readonly Json[]).map((one) =>
              resolve(one, unshaped[at] ?? null),
            ),
            ...timeOf(parameter('Time', at)),
          })),
        },
      };
  }
}

/** A parameter is a text, or as a whole a path into the event. "Dynamic path parameters". */
const resolve = (parameter: Json | undefined, event: Json): Json | undefined =>
  typeof parameter === 'string' && parameter.startsWith('$.') ? compileEventPath(parameter)(event) : parameter;

const toText = (event: Json): string => (typeof event === 'string' ? event : JSON.stringify(event));

/** @param time ISO 8601 */
const timeOf = (time: Json | undefined): object =>
  typeof time === 'string' && !Number.isNaN(Date.parse(time)) ? { Time: Date.parse(time) / 1000 } : {};

/** Returns the places of the entries that a target's answer calls failed. */
export function failedEntries({ kind }: PipeStep, value: unknown): readonly number[] {
  const { Entries, Records, Failed } = (value ?? {}) as Readonly<Record<string, readonly JsonObject[] | undefined>>;
  if (kind === 'queue' || kind === 'topic') return (Failed ?? []).map(({ Id }) => Number(Id)).sort((a, b) => a - b);
  if (kind !== 'bus' && kind !== 'stream') return [];
  return (Entries ?? Records ?? []).flatMap(({ ErrorCode }, at) => (ErrorCode === undefined ? [] : [at]));
}
