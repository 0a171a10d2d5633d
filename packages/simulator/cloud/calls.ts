import type { EventLoop } from '../engine/event-loop.js';
import { CALL_FAULTS, type FaultKind, type FaultPlan, READ_FAULTS } from '../engine/faults.js';
import type { HttpRequest, HttpResponse, ResponseHandler } from '../runtime/http.js';
import { drawCallTime, type Load, scaleCpuTime } from '../services/lambda/load.js';
import type { Caller, CallingFunction } from '../services/lambda/sandbox.js';
import type { AwsError, AwsRequest } from '../wire/request.js';
import { isForAws } from '../wire/services.js';
import { throttle } from '../wire/throttle.js';
import { readFunctionRequest, writeAnswer, writeError, writeUnknownError } from '../wire/wire.js';
import { pass } from './passage.js';
import type { Answer, Services } from './services.js';
import type { ThirdParties } from './third-parties.js';
import { answerUnmodelled } from './unmodelled.js';

/** A function's call on its way to a service. */
export interface InterceptedCall {
  readonly fn: CallingFunction;
  readonly request: AwsRequest;
  /** The request body as it was sent. */
  readonly body: string;
}

/**
 * Intercepts calls between functions and services for a scenario. It sees each call and can inject a fault that the
 * scenario is about, independently of the seed.
 */
export interface Interceptor {
  /**
   * Runs before a call.
   * @returns the fault to inject there; for operations with entries also the entries to refuse
   */
  beforeCall(call: InterceptedCall): 'killed-before' | 'refused' | AwsRequest['refusedEntries'];
  /** Runs after the service has carried the call out or refused it. */
  afterCall(call: InterceptedCall, answer: Answer): 'killed-after' | 'answer-lost' | undefined;
}

const FIRST_ENTRY: AwsRequest['refusedEntries'] = new Map([[0, 'InternalFailure']]);
const WRITES = new Set(['PutItem', 'UpdateItem', 'DeleteItem', 'TransactWriteItems', 'BatchWriteItem']);
/** Operations that answer for each entry whether it was carried out. */
const BATCHES = new Set([
  'PutEvents',
  'PublishBatch',
  'PutRecords',
  'SendMessageBatch',
  'BatchWriteItem',
  'BatchGetItem',
]);
/** Duration of `refused-for-long`: the SDK gives up after three attempts within a second or two. */
const LONG = 30_000;
/** Ages of what a stale read sees, milliseconds. AWS gives no bound; a second is usual ("DynamoDB read consistency"). */
const STALE_BY = [100, 1_000, 5_000, 5_000];

/**
 * Carries each request from a function to a service and back. This takes time, and anything can happen on the way:
 * every request is one point at which a fault may be injected.
 */
export class Calls {
  private readonly refusing = new Map<string, number>();
  /** Interceptor of a scenario; it runs after the faults of the plan. */
  interceptor: Interceptor | undefined;
  count = 0;

  constructor(
    private readonly world: EventLoop,
    private readonly faults: FaultPlan,
    private readonly services: Services,
    private readonly thirdParties: ThirdParties,
    private readonly load: Load = {},
    /** Called with a request that no model answers, which then gets an error. @default the history ends */
    private readonly unmodelled?: ((line: string) => void) | undefined,
  ) {}

  /** Time at which the code of an environment has done what its earlier calls needed, milliseconds since 1970. */
  private readonly computed = new WeakMap<Caller, number>();

  /** Answers one HTTP request of the SDK. */
  readonly send = (caller: Caller, http: HttpRequest, reply: ResponseHandler): void => {
    // A user pool's host has its keys, and the service's operations.
    const isOperation = http.headers['x-amz-target'] !== undefined;
    if ((this.thirdParties.has(http.host) && !isOperation) || !isForAws(http)) {
      this.thirdParties.send(caller, http, reply);
      return;
    }
    const { world } = this;
    const { fn } = caller;
    let request: AwsRequest;
    try {
      request = readFunctionRequest(http);
    } catch (error) {
      if (this.thirdParties.replaces(http.host)) return void this.thirdParties.send(caller, http, reply);
      const { method, host, path } = http;
      const unmodelled = { caller: fn.label, what: `${method} https://${host}${path}`, host, error: error as Error };
      // The code that sent it must not catch it.
      world.after(0, () => reply.answer(writeUnknownError(http, answerUnmodelled(unmodelled, this.unmodelled))));
      return;
    }
    const id = `${fn.label} call ${++fn.calls}`;
    this.count++;
    const call = { fn, request, body: http.body };
    const planned = this.faults.faultAt({ id, kinds: kindsFor(request) });
    const byHand = planned ? undefined : this.interceptor?.beforeCall(call);
    const fault = planned ?? (typeof byHand === 'string' ? byHand : undefined);
    world.note(`${id} ${request.service}.${request.operation} ${summarize(request)}${fault ? ` FAULT ${fault}` : ''}`);
    // Only one operation is throttled, not all calls of a function, so that its reaction to the throttle can succeed.
    const throttled = `${fn.label} ${request.service}.${request.operation}`;
    const refusalsEnd = this.refusing.get(throttled) ?? 0;
    if (fault === 'refused-for-long') this.refusing.set(throttled, world.now + LONG);
    const begun = world.now;
    const tell = (outcome: string): void =>
      world.tell(() => ({
        kind: 'call',
        owner: fn.label,
        id,
        target: `${request.service}.${request.operation}`,
        outcome,
        ms: world.now - begun,
        ...(fault && { fault }),
      }));
    const refused =
      fault === 'refused' ||
      fault === 'refused-for-long' ||
      world.now < refusalsEnd ||
      (caller.writesAreThrottled && request.service === 'dynamodb' && WRITES.has(request.operation));
    const error = refused ? throttle(request) : fault === 'conflict' ? conflict(request) : undefined;
    if (error) tell(nameOf(error));
    const refusedEntries = fault === 'entry-refused' ? FIRST_ENTRY : typeof byHand === 'object' ? byHand : undefined;
    const changed =
      fault === 'stale'
        ? { ...request, staleBy: world.random.fork(`stale read at ${id}`).pick(STALE_BY) }
        : refusedEntries
          ? { ...request, refusedEntries }
          : request;
    pass(world, {
      id,
      caller,
      reply,
      fault,
      computing: () => this.computing(caller),
      latency: () => this.latency(),
      refusal: error && writeError(request, error),
      carryOut: (then) =>
        this.carryOut({ id, request: changed, http, caller }, (answer) => {
          if (!answer) return then(undefined);
          const byHandBehind = planned ? undefined : this.interceptor?.afterCall(call, answer);
          if (byHandBehind) world.note(`${id} FAULT ${byHandBehind}`);
          tell('error' in answer ? nameOf(answer.error) : 'ok');
          then(toHttpResponse(request, answer), byHandBehind);
        }),
    });
  };

  /** @param then gets the answer; `undefined` if the connection breaks before it */
  private carryOut(call: Arrived, then: (answer: Answer | undefined) => void): void {
    const { id, request } = call;
    const end = this.services.begin(request);
    // A transaction holds its items for a moment, in which other transactions meet a conflict.
    const time = request.operation.startsWith('Transact')
      ? this.world.latency((random) => random.between(1, 4) + longerFor(request.input.TransactItems))
      : 0;
    const answered = (answer: Answer | undefined): void => {
      const said = !answer ? 'no answer' : 'error' in answer ? nameOf(answer.error) : 'ok';
      this.world.note(`${id} ${said}${answer && 'error' in answer ? describeReasons(answer.error) : ''}`);
      then(answer);
    };
    const perform = (): void => {
      const answer = this.performed(call);
      end();
      answer(answered);
    };
    if (time === 0) perform();
    else this.world.after(time, perform);
  }

  private performed({ request, http, caller }: Arrived): (then: (answer: Answer | undefined) => void) => void {
    const { host } = http;
    const what = `${request.service}.${request.operation}`;
    const failed = (error: Error): ReturnType<Calls['performed']> => {
      if (this.thirdParties.replaces(host))
        return (then) => this.thirdParties.answer(http, (answer) => then(answer && { raw: answer }));
      const answer = { error: answerUnmodelled({ caller: caller.fn.label, what, host, error }, this.unmodelled) };
      return (then) => then(answer);
    };
    try {
      const answer = this.services.perform(request, caller);
      if (typeof answer !== 'function') return (then) => then(answer);
      // A history ends by an error in an event, not in a promise.
      return (then) => answer(then, (error) => this.world.after(0, () => failed(error)(then)));
    } catch (error) {
      return failed(error as Error);
    }
  }

  /** Returns the milliseconds until the code of a call has run: an environment runs one call's code after the other. */
  private computing(caller: Caller): number {
    const { cpu } = this.load;
    if (!cpu) return 0;
    const { now } = this.world;
    const memory = Number(caller.fn.resource.properties.MemorySize ?? 128);
    const done = Math.max(now, this.computed.get(caller) ?? 0) + scaleCpuTime(cpu, memory);
    this.computed.set(caller, done);
    return done - now;
  }

  private latency(): number {
    const { calls } = this.load;
    if (calls) return this.world.latency((random) => drawCallTime(calls, random) / 2);
    // Most calls take milliseconds, but one in a hundred takes much longer.
    return this.world.latency((random) => (random.chance(0.01) ? random.between(50, 400) : random.between(1, 6)));
  }
}

/** A call that has arrived at its service. */
interface Arrived {
  readonly id: string;
  readonly request: AwsRequest;
  readonly http: HttpRequest;
  readonly caller: Caller;
}

function toHttpResponse(request: AwsRequest, answer: Answer): HttpResponse {
  if ('raw' in answer) return answer.raw;
  return 'error' in answer ? writeError(request, answer.error) : writeAnswer(request, answer.output);
}

/**
 * Returns the milliseconds by which a transaction of many items takes longer. AWS documents no numbers; DynamoDB prepares
 * and commits each item (Idziorek et al., "Distributed Transactions at Scale in Amazon DynamoDB", USENIX ATC 2023).
 */
const longerFor = (items: unknown): number => (Array.isArray(items) ? Math.floor(items.length / ITEMS_PER_MS) : 0);
const ITEMS_PER_MS = 8;

const kindsKnown = new Map<string, readonly FaultKind[]>();

function kindsFor(request: AwsRequest): readonly FaultKind[] {
  const { service, operation } = request;
  const mayBeStale = isEventuallyConsistent(request);
  const name = `${service}.${operation}${mayBeStale ? ' stale' : ''}`;
  const known = kindsKnown.get(name) ?? [...listCallFaults(service, operation), ...(mayBeStale ? READ_FAULTS : [])];
  kindsKnown.set(name, known);
  return known;
}

/**
 * Tells whether a request reads a table without `ConsistentRead`. A read of a global index is late by the index itself, and
 * a transaction reads what is committed.
 */
function isEventuallyConsistent({ service, operation, input }: AwsRequest): boolean {
  if (service !== 'dynamodb') return false;
  if (operation === 'BatchGetItem') {
    const requests = Object.values((input.RequestItems ?? {}) as Readonly<Record<string, Reading | undefined>>);
    return requests.some((request) => request?.ConsistentRead !== true);
  }
  if (!['GetItem', 'Query', 'Scan'].includes(operation)) return false;
  const { ConsistentRead, IndexName } = input as Reading;
  return ConsistentRead !== true && IndexName === undefined;
}

interface Reading {
  readonly ConsistentRead?: unknown;
  readonly IndexName?: unknown;
}

function listCallFaults(service: AwsRequest['service'], operation: string): readonly FaultKind[] {
  // KMS stores nothing of its requests, and functions only read parameters and stacks.
  const reads =
    (['kinesis', 'scheduler', 'secretsmanager'].includes(service) && /^(Get|List|Describe)/.test(operation)) ||
    (service === 's3' && /^(Head|List)/.test(operation));
  const writes =
    WRITES.has(operation) ||
    !(reads || ['dynamodb', 'kms', 'ssm', 'cloudformation', 'monitoring', 'logs'].includes(service));
  return CALL_FAULTS.filter((kind) => {
    // A batch leaves a write that meets a transaction unprocessed.
    if (kind === 'conflict') return service === 'dynamodb' && WRITES.has(operation) && !BATCHES.has(operation);
    if (kind === 'entry-refused') return BATCHES.has(operation);
    // A read that is carried out late, or before a crash, differs in no way from one that wasn't carried out.
    return writes || !['late', 'very-late', 'killed-after', 'hung-after', 'answer-lost'].includes(kind);
  });
}

/** Name of an error, without the namespace that some protocols put before it. */
const nameOf = ({ code }: AwsError): string => code.replace(/^.*#/, '');

function conflict({ operation, input }: AwsRequest): AwsError {
  const code = 'com.amazonaws.dynamodb.v20120810#';
  if (operation !== 'TransactWriteItems') {
    return { status: 400, code: `${code}TransactionConflictException`, message: 'Transaction is ongoing for the item' };
  }
  const reasons = (input.TransactItems as readonly unknown[]).map((_, at) =>
    at === 0 ? { Code: 'TransactionConflict', Message: 'Transaction is ongoing for the item' } : { Code: 'None' },
  );
  return {
    status: 400,
    code: `${code}TransactionCanceledException`,
    message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${reasons.map(({ Code }) => Code).join(', ')}]`,
    more: { CancellationReasons: reasons },
  };
}

/** Summarises a request for the trace: keys and types, as short as possible. */
function summarize({ input }: AwsRequest): string {
  const keys: string[] = [];
  const look = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > 5) return;
    const { pk, sk, DetailType, ReceiptHandle } = value as Record<string, { S?: string } & string>;
    if (pk?.S) keys.push(sk?.S ? `${pk.S}/${sk.S}` : pk.S);
    else if (DetailType) keys.push(DetailType);
    else if (ReceiptHandle) keys.push(String(ReceiptHandle));
    else for (const member of Object.values(value)) look(member, depth + 1);
  };
  look(input, 0);
  const { ExpressionAttributeValues: values } = input as { ExpressionAttributeValues?: Record<string, { S?: string }> };
  if (keys.length === 0 && values) keys.push(...Object.values(values).flatMap(({ S }) => (S === undefined ? [] : [S])));
  return keys.join(' + ');
}

const describeReasons = ({ more }: AwsError): string => {
  const reasons = (more?.CancellationReasons ?? []) as readonly { Code: string }[];
  return reasons.length > 0 ? ` [${reasons.map(({ Code }) => Code).join(', ')}]` : '';
};
