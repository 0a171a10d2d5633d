import type { Resource } from '../assembly/assembly.js';
import { arn, queueUrl } from '../assembly/identity.js';
import { DynamoDbError } from '../dynamodb/errors.js';
import type { DynamoDbModel } from '../dynamodb/model.js';
import { type Effects, OPERATIONS, type Operation } from '../dynamodb/wire.js';
import type { Answer, Services } from './calls.js';
import type { EventBridge } from './eventbridge.js';
import type { Access, Iam } from './iam.js';
import type { Kms } from './kms.js';
import { type Entry, putAccess, putEvents } from './put-events.js';
import type { Buckets } from './s3.js';
import type { Caller } from './sandbox.js';
import { type BatchEntry, type Queue, sendBatch } from './sqs.js';
import { tableAccesses } from './table-access.js';
import type { AwsError, AwsRequest } from './wire.js';

/** Writes, capacity and refusals of a call to DynamoDB: for invariants and cost calculations. */
export interface TableCall {
  readonly at: number;
  readonly fn: string;
  readonly operation: string;
  readonly effects: Effects;
}

interface Around {
  readonly iam: Iam;
  readonly dynamodb: DynamoDbModel;
  readonly queues: ReadonlyMap<string, Queue>;
  readonly events: EventBridge;
  readonly buckets: Buckets;
  readonly kms: Kms;
  /** Called after a write to a table. */
  readonly written: (table: string) => void;
  readonly note: (text: string) => void;
  readonly called: (call: TableCall) => void;
  readonly now: () => number;
}

/**
 * The services as functions see them: each call is checked against the function's role, then carried out by its model.
 */
export class SimulatedServices implements Services {
  constructor(private readonly around: Around) {}

  begin({ service, operation, input }: AwsRequest): () => void {
    const { dynamodb } = this.around;
    if (service !== 'dynamodb' || operation !== 'TransactWriteItems') return () => undefined;
    try {
      const hold = dynamodb.hold(input);
      this.holds.set(input, hold);
      return () => dynamodb.release(hold);
    } catch {
      // An invalid request is refused when it is carried out.
      return () => undefined;
    }
  }
  private readonly holds = new WeakMap<object, ReturnType<DynamoDbModel['hold']>>();

  perform(request: AwsRequest, caller: Caller): Answer {
    const { iam, kms } = this.around;
    const denied = this.accesses(request).find(
      (access) =>
        !iam.roleAllows(caller.fn.role, access) ||
        iam.resourceDenies(access) ||
        (request.service === 'kms' && !iam.keyLetsRoleDecide(caller.fn.role, access)),
    );
    if (denied) {
      this.around.note(
        `${caller.fn.label} DENIED ${denied.action} on ${denied.resource} ${JSON.stringify(denied.context ?? {})}`,
      );
      return { error: accessDenied(request, caller.fn.resource, denied) };
    }
    switch (request.service) {
      case 'dynamodb':
        return this.dynamodb(request, caller);
      case 'events':
        return putEvents(this.around.events, request, this.around.now(), caller.fn.label);
      case 'sqs':
        return this.sqs(request);
      case 's3':
        return this.s3(request);
      case 'kms':
        return kms.call(request.operation, request.input);
    }
  }

  /** Returns the accesses that a request needs. */
  private accesses({ service, operation, input }: AwsRequest): readonly Access[] {
    switch (service) {
      case 'dynamodb':
        return tableAccesses(operation, input, (table) => this.around.dynamodb.partitionOf(table));
      case 'events':
        return (input.Entries as readonly Entry[]).map(putAccess);
      case 'sqs': {
        const name = String(input.QueueUrl).split('/').at(-1) ?? '';
        // A batch needs the permission of its parts.
        return [{ action: `sqs:${operation.replace(/Batch$/, '')}`, resource: arn('sqs', name) }];
      }
      case 'kms': {
        const { key, context } = this.around.kms.rightOf(input);
        return [{ action: `kms:${operation}`, resource: key, context }];
      }
      case 's3': {
        // "GetObject": reading a version by its id needs a separate permission, and not that of the current version.
        const action = `s3:${operation}${input.VersionId === undefined ? '' : 'Version'}`;
        return [{ action, resource: `arn:aws:s3:::${String(input.Bucket)}/${String(input.Key)}` }];
      }
    }
  }

  private dynamodb({ operation, input: asked, refusedEntries }: AwsRequest, caller: Caller): Answer {
    const { dynamodb, written, called, now } = this.around;
    const { input, unprocessed } = withoutRefused(operation, asked, refusedEntries);
    if (!OPERATIONS.some((known) => known === operation)) throw new Error(`DynamoDB ${operation} isn't modelled`);
    const told = (effects: Effects): void => called({ at: now(), fn: caller.fn.label, operation, effects });
    try {
      const { output, effects } = dynamodb.call(operation as Operation, input, this.holds.get(input));
      if (unprocessed) (output as { UnprocessedItems: object }).UnprocessedItems = unprocessed;
      told(effects);
      for (const table of new Set(effects.changes.map(({ table }) => table))) written(table);
      return { output, consumed: effects.consumed };
    } catch (error) {
      if (!(error instanceof DynamoDbError)) throw error;
      told(error.effects);
      const { __type, message, ...more } = error.body;
      return { error: { status: error.status, code: error.code, message: error.message, more } };
    }
  }

  private sqs({ operation, input, refusedEntries }: AwsRequest): Answer {
    const queue = [...this.around.queues.values()].find(
      ({ resource }) => queueUrl(resource.ref.split('/').at(-1) ?? '') === input.QueueUrl,
    );
    const refused = (code: string): Answer => ({
      error: { status: 400, code: `com.amazonaws.sqs#${code}`, message: code },
    });
    if (!queue) return refused('QueueDoesNotExist');
    switch (operation) {
      case 'ChangeMessageVisibility': {
        const known = queue.changeVisibility(String(input.ReceiptHandle), Number(input.VisibilityTimeout) * 1000);
        return known ? { output: {} } : refused('MessageNotInflight');
      }
      case 'SendMessage': {
        const attributes = input.MessageAttributes as
          | Record<string, { DataType: string; StringValue: string }>
          | undefined;
        const group = input.MessageGroupId as string | undefined;
        const message = { body: String(input.MessageBody), ...(group && { group }), ...(attributes && { attributes }) };
        return { output: { MessageId: queue.send(message) } };
      }
      case 'SendMessageBatch': {
        const answer = sendBatch(queue, input.Entries as readonly BatchEntry[], refusedEntries);
        return typeof answer === 'string' ? refused(answer) : { output: answer };
      }
      default:
        throw new Error(`SQS ${operation} isn't modelled`);
    }
  }

  private s3({ operation, input }: AwsRequest): Answer {
    if (operation !== 'GetObject') throw new Error(`S3 ${operation} isn't modelled`);
    const { VersionId } = input;
    const version = VersionId === undefined ? undefined : String(VersionId);
    const body = this.around.buckets.get(String(input.Bucket), String(input.Key), version);
    if (body === undefined) {
      const code = version === undefined ? 'NoSuchKey' : 'NoSuchVersion';
      return { error: { status: 404, code, message: 'The specified key or version does not exist.' } };
    }
    return {
      raw: {
        status: 200,
        headers: { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) },
        body,
      },
    };
  }
}

type WriteRequests = Readonly<Record<string, readonly unknown[]>>;

/**
 * Takes refused entries out of a BatchWriteItem of several ones.
 * @returns the request that is carried out, and what is left unprocessed
 */
function withoutRefused(operation: string, input: AwsRequest['input'], refused: AwsRequest['refusedEntries']) {
  if (operation !== 'BatchWriteItem' || !refused) return { input, unprocessed: undefined };
  let at = 0;
  const [left, unprocessed] = [new Map<string, unknown[]>(), new Map<string, unknown[]>()];
  for (const [table, requests] of Object.entries(input.RequestItems as WriteRequests)) {
    for (const request of requests) {
      const to = refused.has(at++) ? unprocessed : left;
      to.set(table, [...(to.get(table) ?? []), request]);
    }
  }
  // DynamoDB refuses a request of which it processes nothing (ProvisionedThroughputExceededException): not this fault.
  if (left.size === 0) return { input, unprocessed: undefined };
  return { input: { ...input, RequestItems: Object.fromEntries(left) }, unprocessed: Object.fromEntries(unprocessed) };
}

function accessDenied(request: AwsRequest, fn: Resource, access: Access): AwsError {
  const message = `User: ${fn.arn} is not authorized to perform: ${access.action} on resource: ${access.resource}`;
  if (request.service === 's3') return { status: 403, code: 'AccessDenied', message };
  const code =
    request.service === 'dynamodb' ? 'com.amazon.coral.service#AccessDeniedException' : 'AccessDeniedException';
  return { status: 400, code, message };
}
