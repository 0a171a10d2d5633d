import type { Home } from '../assembly/identity.js';
import { DynamoDbError } from '../dynamodb/errors.js';
import type { DynamoDbModel } from '../dynamodb/model.js';
import { type Effects, OPERATIONS, type Operation } from '../dynamodb/wire.js';
import { type Operations, Raw } from '../outside/operation.js';
import type { AwsRequest } from '../wire/request.js';
import { accessDenied, accessesOf } from './accesses.js';
import type { Answer, Later, Services } from './calls.js';
import type { EventBridge } from './eventbridge.js';
import type { Iam } from './iam.js';
import type { Kms } from './kms.js';
import { objectIn } from './objects.js';
import type { Parameters } from './parameters.js';
import { putEvents } from './put-events.js';
import { listQueues, QUEUE_OPERATIONS, queueAt } from './queue-operations.js';
import { Refused } from './refused.js';
import type { Buckets } from './s3.js';
import type { Caller } from './sandbox.js';
import type { Queue } from './sqs.js';

/** Writes, capacity and refusals of a call to DynamoDB: for invariants and cost calculations. */
export interface TableCall {
  readonly at: number;
  readonly fn: string;
  readonly operation: string;
  readonly effects: Effects;
}

/** Services that answer functions as they answer calls from outside. */
type Shared = 'lambda' | 'cloudformation' | 'monitoring';

interface Around {
  readonly iam: Iam;
  readonly home: Home;
  readonly dynamodb: DynamoDbModel;
  readonly queues: ReadonlyMap<string, Queue>;
  readonly events: EventBridge;
  readonly buckets: Buckets;
  readonly kms: Kms;
  readonly parameters: Parameters;
  /** Operations that are the same for functions as for calls from outside, by their service. */
  readonly operations: Readonly<Record<Shared, Operations>>;
  /** Returns the attributes of a queue. @param names as GetQueueAttributes lists them */
  readonly attributesOf: (queue: Queue, names: unknown) => object;
  /** Called after a write to a table. */
  readonly written: (table: string) => void;
  readonly note: (text: string) => void;
  /** Hears what somebody at a terminal should know. */
  readonly says: (line: string) => void;
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

  perform(request: AwsRequest, caller: Caller): Answer | Later {
    const { iam, kms } = this.around;
    const denied = accessesOf(request, this.around).find(
      (access) =>
        !iam.roleAllows(caller.fn.role, access) ||
        iam.resourceDenies(access) ||
        (request.service === 'kms' && !iam.keyLetsRoleDecide(caller.fn.role, access)),
    );
    if (denied) {
      const { action, resource, context = {} } = denied;
      const { label, role } = caller.fn;
      const line = `${label} DENIED ${action} on ${resource} for ${role} ${JSON.stringify(context)}`;
      this.around.note(line);
      this.around.says(line);
      return { error: accessDenied(request, caller.fn.resource.arn, denied) };
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
      case 'ssm':
        return this.ssm(request);
      case 'lambda':
      case 'cloudformation':
      case 'monitoring':
        return this.asOutside(request.service, request);
    }
  }

  /** Carries out what a call from outside can ask for, too. */
  private asOutside(service: Shared, { operation, input }: AwsRequest): Answer | Later {
    const carryOut = this.around.operations[service][operation];
    if (!carryOut) throw new Error(`${service} ${operation} isn't modelled`);
    const answerOf = (output: object): Answer => (output instanceof Raw ? { raw: output.response } : { output });
    try {
      const output = carryOut(input);
      if (!(output instanceof Promise)) return answerOf(output);
      return (then) =>
        void output.then(
          (found) => then(answerOf(found)),
          (error: unknown) => then(refusalIn(error)),
        );
    } catch (error) {
      return refusalIn(error);
    }
  }

  private dynamodb({ operation, input: asked, refusedEntries, staleBy }: AwsRequest, caller: Caller): Answer {
    const { dynamodb, written, called, now } = this.around;
    const { input, unprocessed } = withoutRefused(operation, asked, refusedEntries);
    if (!OPERATIONS.some((known) => known === operation)) throw new Error(`DynamoDB ${operation} isn't modelled`);
    const told = (effects: Effects): void => called({ at: now(), fn: caller.fn.label, operation, effects });
    try {
      const { output, effects } = dynamodb.call(operation as Operation, input, this.holds.get(input), staleBy);
      if (unprocessed) Object.assign(output, unprocessed);
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
    const { queues, attributesOf } = this.around;
    if (operation === 'GetQueueAttributes')
      return orRefusal(() => ({
        output: { Attributes: attributesOf(queueAt(queues, input.QueueUrl), input.AttributeNames) },
      }));
    if (operation === 'ListQueues') return orRefusal(() => ({ output: listQueues(queues, input) }));
    const carryOut = QUEUE_OPERATIONS[operation];
    if (!carryOut) throw new Error(`SQS ${operation} isn't modelled`);
    return orRefusal(() => ({
      output: carryOut(queueAt(queues, input.QueueUrl), input, refusedEntries),
    }));
  }

  private ssm({ operation, input }: AwsRequest): Answer {
    const carryOut = this.around.parameters.operations[operation];
    if (!carryOut || !operation.startsWith('Get')) throw new Error(`SSM ${operation} isn't modelled`);
    return orRefusal(() => ({ output: carryOut(input) }));
  }

  private s3({ operation, input }: AwsRequest): Answer {
    if (operation !== 'GetObject') throw new Error(`S3 ${operation} isn't modelled`);
    return orRefusal(() => ({ raw: objectIn(this.around.buckets, input) }));
  }
}

function orRefusal(answer: () => Answer): Answer {
  try {
    return answer();
  } catch (error) {
    return refusalIn(error);
  }
}

/** @throws what is no refusal of AWS */
function refusalIn(error: unknown): Answer {
  if (error instanceof Refused) return { error: error.error };
  throw error;
}

type Batch = Readonly<Record<string, readonly unknown[] | { readonly Keys: readonly unknown[] }>>;

/** The member of an answer that has what a batch left unprocessed. */
const UNPROCESSED = new Map([
  ['BatchWriteItem', 'UnprocessedItems'],
  ['BatchGetItem', 'UnprocessedKeys'],
]);

/**
 * Takes refused entries out of a BatchWriteItem or a BatchGetItem of several ones.
 * @returns the request that is carried out, and what is left unprocessed
 */
function withoutRefused(operation: string, input: AwsRequest['input'], refused: AwsRequest['refusedEntries']) {
  const member = UNPROCESSED.get(operation);
  if (member === undefined || !refused) return { input, unprocessed: undefined };
  let at = 0;
  const left: Record<string, Batch[string]> = {};
  const unprocessed: Record<string, Batch[string]> = {};
  for (const [table, asked] of Object.entries(input.RequestItems as Batch)) {
    const entries = 'Keys' in asked ? asked.Keys : asked;
    const first = at;
    at += entries.length;
    const those = (areRefused: boolean) => entries.filter((_, place) => refused.has(first + place) === areRefused);
    for (const [to, some] of [
      [left, those(false)],
      [unprocessed, those(true)],
    ] as const) {
      if (some.length > 0) to[table] = 'Keys' in asked ? { ...asked, Keys: some } : some;
    }
  }
  // DynamoDB refuses a request of which it processes nothing (ProvisionedThroughputExceededException): not this fault.
  if (Object.keys(left).length === 0) return { input, unprocessed: undefined };
  return { input: { ...input, RequestItems: left }, unprocessed: { [member]: unprocessed } };
}
