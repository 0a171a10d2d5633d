import type { InterceptedCall, Interceptor } from '../../packages/simulator/cloud/calls.js';
import type { Answer } from '../../packages/simulator/cloud/services.js';
import type { AwsRequest } from '../../packages/simulator/wire/request.js';
import type { FaultOptions, FunctionCall } from '../acceptance/world.js';
import { FaultPlan } from './faults.js';

/** As the SDK names services in `X-Amz-Target`. */
const SERVICES: Readonly<Record<AwsRequest['service'], string>> = {
  dynamodb: 'DynamoDB',
  events: 'AWSEvents',
  sqs: 'AmazonSQS',
  sns: '',
  s3: '',
  kms: 'TrentService',
  ssm: 'AmazonSSM',
  lambda: '',
  'cognito-idp': 'AWSCognitoIdentityProviderService',
  cloudformation: '',
  monitoring: '',
  logs: 'Logs_20140328',
  kinesis: 'Kinesis_20131202',
  scheduler: '',
  secretsmanager: 'secretsmanager',
  states: 'AWSStepFunctions',
};

/** Counterpart of the proxy for the simulator: the same faults, and a journal of calls. */
export class FaultsByHand implements Interceptor {
  readonly plan = new FaultPlan();
  /** In the order in which they were made. */
  readonly calls: FunctionCall[] = [];
  private readonly places = new WeakMap<InterceptedCall, number>();

  /** @param called returns a function's name in scenarios by its physical name */
  constructor(private readonly called: (physicalName: string) => string | undefined) {}

  crash(functionName: string, when: 'beforeWrite' | 'afterWrite', options: FaultOptions): void {
    const kind = when === 'beforeWrite' ? 'crash-before-write' : 'crash-after-write';
    this.plan.add({ kind, functionName, times: 1, ...options });
  }

  loseAnswer(functionName: string, operation: string, options: FaultOptions): void {
    this.plan.add({ kind: 'lose-answer', functionName, operation, times: 1, ...options });
  }

  throttle(functionName: string, operation: string, options: FaultOptions): void {
    this.plan.add({ kind: 'throttle', functionName, operation, times: 1, ...options });
  }

  beforeCall(call: InterceptedCall): ReturnType<Interceptor['beforeCall']> {
    const { operation } = call.request;
    this.places.set(call, this.calls.length);
    if (this.plan.take('crash-before-write', toAttempt(call))) {
      this.note(call, { failed: true, unanswered: true });
      return 'killed-before';
    }
    const throttled = this.plan.take('throttle', toAttempt(call));
    // What becomes of it is known later, and its place is this one.
    this.note(call, { failed: throttled, unanswered: false });
    if (throttled) return 'refused';
    return operation === 'PutEvents' ? this.refusedEntries(call) : undefined;
  }

  afterCall(call: InterceptedCall, answer: Answer): ReturnType<Interceptor['afterCall']> {
    const failed = 'error' in answer;
    // A write that the service refused is none: only a success is worth dying after.
    const killed = !failed && this.plan.take('crash-after-write', toAttempt(call));
    const unanswered = killed || this.plan.take('lose-answer', toAttempt(call));
    this.note(call, { failed: failed || unanswered, unanswered, units: consumedUnits(answer) });
    if (killed) return 'killed-after';
    return unanswered ? 'answer-lost' : undefined;
  }

  private note(
    call: InterceptedCall,
    outcome: Pick<FunctionCall, 'failed' | 'unanswered'> & Partial<FunctionCall>,
  ): void {
    const { fn, request } = call;
    this.calls[this.places.get(call) ?? this.calls.length] = {
      fn: this.called(fn.resource.ref),
      service: SERVICES[request.service],
      operation: request.operation,
      units: { table: 0, indexes: {} },
      ...outcome,
    };
  }

  /** Error codes by the entries' places, where any is to be refused. */
  private refusedEntries({ request }: InterceptedCall): AwsRequest['refusedEntries'] {
    const refused = new Map<number, string>();
    for (const [at, entry] of (request.input.Entries as readonly object[]).entries()) {
      const code = this.plan.takeEntry(entry);
      if (code) refused.set(at, code);
    }
    return refused.size > 0 ? refused : undefined;
  }
}

const toAttempt = ({ fn, request: { operation }, body }: InterceptedCall) => ({
  functionName: fn.resource.ref,
  operation,
  body,
});

function consumedUnits(answer: Answer): FunctionCall['units'] {
  const consumed = 'consumed' in answer ? (answer.consumed ?? []) : [];
  const own = consumed.filter(({ index }) => index === undefined);
  return {
    table: own.reduce((sum, { read, write }) => sum + read + write, 0),
    indexes: Object.fromEntries(
      consumed.flatMap(({ index, read, write }) => (index === undefined ? [] : [[index, read + write]])),
    ),
  };
}
