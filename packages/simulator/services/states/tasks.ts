import type { Json, JsonObject } from '../../assembly/intrinsics.js';
import type { EventLoop } from '../../engine/event-loop.js';
import type { FaultKind, FaultPlan } from '../../engine/faults.js';
import type { Random } from '../../engine/random.js';
import type { AwsError, AwsRequest } from '../../wire/request.js';
import { throttle } from '../../wire/throttle.js';
import type { AsyncInvoker } from '../events/model.js';
import type { Iam } from '../iam/model.js';
import type { InvocationResult, LambdaFunction } from '../lambda/model.js';
import type { CallingFunction } from '../lambda/sandbox.js';
import type { Execution, Outcome } from './execution.js';
import { functionNameOf, type Integration } from './integration.js';
import type { Lifetime } from './lifetime.js';
import type { StateMachine } from './machine.js';
import type { RunningTask, TaskRunner } from './runner.js';
import { fromSdkAnswer, toSdkRequest } from './sdk-integration.js';

/** Carries a request to a service out, with the rights of the role of a machine or a pipe. */
export type ServiceCall = (
  request: Pick<AwsRequest, 'service' | 'operation' | 'input' | 'refusedEntries'>,
  caller: Pick<CallingFunction, 'label' | 'role' | 'resource'>,
) => { readonly output: object } | { readonly error: AwsError };

interface Around {
  readonly world: EventLoop;
  readonly faults: FaultPlan;
  readonly random: Random;
  readonly iam: Iam;
  readonly functions: ReadonlyMap<string, LambdaFunction>;
  readonly asynchronous: AsyncInvoker;
  readonly call: ServiceCall;
  /** Starts an execution for a task. @param ended called when it has ended */
  readonly start: (
    input: JsonObject,
    ended: (execution: Execution) => void,
  ) => Execution | { readonly error: AwsError };
  readonly stop: (execution: Execution) => void;
}

/** A task that waits for its token. */
interface Waiting {
  readonly finish: (outcome: Outcome) => void;
  readonly beat: () => void;
}

/**
 * Faults of one call of a task: it is refused before it takes effect, or it takes effect and its answer is lost. A retrier then calls again:
 * Standard workflows run each state once, "unless you have specified Retry behavior" (AWS Step Functions Developer Guide, "Choosing workflow
 * type in Step Functions").
 */
const TASK_FAULTS: readonly FaultKind[] = ['refused', 'answer-lost'];

/** Beginnings of the errors of functions and executions. */
const PREFIXES = { function: 'Lambda', execution: 'StepFunctions' } as const;

/** Calls functions, services and other machines for tasks, and keeps the tokens of those that wait. */
export class Tasks implements TaskRunner {
  private readonly waiting = new Map<string, Waiting>();

  constructor(private readonly around: Around) {}

  issueToken({ machine }: Execution): string {
    return Buffer.from(JSON.stringify([machine.resource.arn, this.around.random.id()])).toString('base64');
  }

  /** Returns the task that waits for a token; `undefined` if it is over. */
  find(token: string): Waiting | undefined {
    return this.waiting.get(token);
  }

  run(task: RunningTask, finish: (outcome: Outcome) => void): void {
    const { world, faults } = this.around;
    const { execution, state, token, lifetime } = task;
    const { machine } = execution;
    const { integration } = state;
    const prefix = integration.kind === 'service' ? integration.prefix : PREFIXES[integration.kind];
    const id = `${machine.label} call ${++machine.calls}`;
    const fault = faults.faultAt({ id, kinds: TASK_FAULTS });
    world.note(`${id} ${state.name}${fault ? ` FAULT ${fault}` : ''}`);
    const begun = world.now;
    const tell = (outcome: Outcome): void =>
      world.tell(() => ({
        kind: 'call',
        owner: machine.label,
        id,
        target: state.name,
        outcome: 'error' in outcome ? outcome.error : 'ok',
        ms: world.now - begun,
        ...(fault && { fault }),
      }));
    const ended = (outcome: Outcome): void => {
      tell(outcome);
      finish(outcome);
    };
    const waits = integration.pattern === 'token';
    if (waits) this.wait(task, ended);
    const answered = lifetime.guard((outcome: Outcome) => {
      const told = fault === 'answer-lost' ? lost(prefix) : outcome;
      if (!waits || 'error' in told) ended(told);
      else this.waiting.get(token)?.beat();
    });
    const latency = world.latency((random) => random.between(1, 20));
    if (fault === 'refused') lifetime.after(latency, () => ended(refused(prefix, integration)));
    else lifetime.after(latency, () => this.call(task, integration, answered));
  }

  /** Waits for a token; its heartbeats count once its call was answered. */
  private wait({ token, lifetime, heartbeat }: RunningTask, finish: (outcome: Outcome) => void): void {
    let cancel = (): void => undefined;
    const beat = (): void => {
      cancel();
      if (heartbeat === undefined) return;
      const late = { error: 'States.HeartbeatTimeout', cause: `no heartbeat for ${heartbeat / 1000} s` };
      cancel = lifetime.after(heartbeat, () => finish(late));
    };
    this.waiting.set(token, { finish, beat });
    lifetime.onEnd(() => this.waiting.delete(token));
  }

  private call(task: RunningTask, integration: Integration, answered: (outcome: Outcome) => void): void {
    switch (integration.kind) {
      case 'function':
        this.invoke(task, integration.arn, answered);
        return;
      case 'execution':
        this.startExecution(task, integration.pattern === 'job', answered);
        return;
      case 'service':
        answered(this.callService(task, integration));
    }
  }

  private invoke(
    { execution, input }: RunningTask,
    arn: string | undefined,
    answered: (outcome: Outcome) => void,
  ): void {
    const { functions, iam, asynchronous } = this.around;
    const { FunctionName, Payload = {}, InvocationType } = (arn === undefined ? input : {}) as JsonObject;
    const name = functionNameOf(String(arn ?? FunctionName));
    const fn = [...functions.values()].find(({ resource }) => resource.ref === name);
    const resource = fn?.resource.arn ?? String(arn ?? FunctionName);
    if (!iam.roleAllows(execution.machine.role, { action: 'lambda:InvokeFunction', resource })) {
      answered(denied('lambda:InvokeFunction', resource));
      return;
    }
    if (!fn) {
      answered({ error: 'Lambda.ResourceNotFoundException', cause: `Function not found: ${resource}` });
      return;
    }
    if (InvocationType === 'Event') {
      asynchronous.invokeAsync(fn.resource.arn, Payload);
      answered({ output: { StatusCode: 202 } });
      return;
    }
    fn.invoke(arn === undefined ? Payload : input, (result) => answered(toOutcome(result, arn === undefined)));
  }

  private startExecution(
    { execution, input, lifetime }: RunningTask,
    isJob: boolean,
    answered: (outcome: Outcome) => void,
  ): void {
    const { iam, start } = this.around;
    const resource = String((input as JsonObject).StateMachineArn);
    if (!iam.roleAllows(execution.machine.role, { action: 'states:StartExecution', resource })) {
      answered(denied('states:StartExecution', resource));
      return;
    }
    const started = start(input as JsonObject, (ended) => {
      if (isJob) answered(toJobOutcome(ended));
    });
    if ('error' in started) answered({ error: `StepFunctions.${nameOf(started.error)}`, cause: started.error.message });
    else if (isJob) this.follow(execution.machine, started, lifetime, answered);
    else answered({ output: { ExecutionArn: started.arn, StartDate: started.began } });
  }

  /** Waits for the end of an execution, and stops it if its task is given up. "Run a Job": both need rights of their own. */
  private follow(
    { role }: StateMachine,
    started: Execution,
    lifetime: Lifetime,
    answered: (outcome: Outcome) => void,
  ): void {
    const { iam, stop } = this.around;
    const may = (action: string): boolean => iam.roleAllows(role, { action, resource: started.arn });
    if (!may('states:DescribeExecution')) answered(denied('states:DescribeExecution', started.arn));
    else
      lifetime.onEnd(() => {
        if (may('states:StopExecution')) stop(started);
      });
  }

  private callService(
    { execution, input }: RunningTask,
    { service, operation, prefix, isSdk }: Extract<Integration, { kind: 'service' }>,
  ): Outcome {
    const { machine } = execution;
    const given = input as JsonObject;
    const asked = isSdk ? toSdkRequest(service, given) : toRequest(service, given, execution);
    const request = { service, operation, input: asked };
    const answer = this.around.call(request, machine);
    if ('output' in answer) {
      const output = answer.output as JsonObject;
      const hasFailed = !isSdk && service === 'events' && Number(output.FailedEntryCount) > 0;
      if (hasFailed) return { error: 'EventBridge.FailedEntry', cause: JSON.stringify(output) };
      return { output: isSdk ? fromSdkAnswer(service, output) : output };
    }
    const name = nameOf(answer.error);
    if (name === 'AccessDeniedException') return { error: 'States.Permissions', cause: answer.error.message };
    return { error: `${prefix}.${name}`, cause: answer.error.message };
  }
}

/** "Error names": the role of the machine may not do this. */
const denied = (action: string, resource: string): Outcome => ({
  error: 'States.Permissions',
  cause: `the role of the state machine is not authorized to perform ${action} on ${resource}`,
});

/** AWS Step Functions Developer Guide, "Best practices", "Handle transient Lambda service exceptions", and the same of other services. */
function refused(prefix: string, integration: Integration): Outcome {
  const service = integration.kind === 'service' ? integration.service : 'states';
  const error = prefix === 'Lambda' ? 'ServiceException' : nameOf(throttle({ service }));
  return { error: `${prefix}.${error}`, cause: 'simulated: refused' };
}
const lost = (prefix: string): Outcome => ({
  error: `${prefix}.SdkClientException`,
  cause: 'simulated: the answer was lost',
});

/** Name of a service's error in a workflow. */
function nameOf({ code }: AwsError): string {
  const name = code.replace(/^.*#/, '').replace(/^.*\./, '');
  return /(Exception|AlreadyExists|DoesNotExist)$/.test(name) ? name : `${name}Exception`;
}

/** @param isWrapped whether the result has more than what the function returned ("Optimized Lambda integration") */
function toOutcome(result: InvocationResult, isWrapped: boolean): Outcome {
  switch (result.kind) {
    case 'returned': {
      const Payload = (result.value ?? null) as Json;
      return { output: isWrapped ? { ExecutedVersion: '$LATEST', Payload, StatusCode: 200 } : Payload };
    }
    case 'throttled':
      return { error: 'Lambda.TooManyRequestsException', cause: 'Rate Exceeded.' };
    case 'failed': {
      // Its result was lost on the way.
      if (result.name === 'Sandbox.Lost') return lost('Lambda');
      const cause = JSON.stringify({ errorMessage: result.message, errorType: result.name });
      return { error: result.name, cause };
    }
  }
}

/** "Run a Job": output and input of the execution are JSON, not text. */
function toJobOutcome({ arn, name, machine, input, began, ended = 0, status, outcome }: Execution): Outcome {
  const described = {
    ExecutionArn: arn,
    Input: JSON.parse(input) as Json,
    Name: name,
    StartDate: began,
    StateMachineArn: machine.resource.arn,
    Status: status,
    StopDate: ended,
  };
  if (outcome && 'output' in outcome) return { output: { ...described, Output: outcome.output } };
  const { error = '', cause = '' } = outcome ?? {};
  return { error: 'States.TaskFailed', cause: JSON.stringify({ ...described, Error: error, Cause: cause }) };
}

/** Turns a task's parameters into a request: bodies may be JSON, and each event names the execution that put it. */
function toRequest(service: string, input: JsonObject, { arn, machine }: Execution): JsonObject {
  const asText = (value: Json | undefined): Json => (typeof value === 'string' ? value : JSON.stringify(value ?? null));
  switch (service) {
    case 'sqs':
      return { ...input, MessageBody: asText(input.MessageBody) };
    case 'sns': {
      const attributes = Object.entries((input.MessageAttributes ?? {}) as JsonObject);
      const entry = attributes.map(([Name, Value]) => ({ Name, Value }));
      const { MessageAttributes: _, ...rest } = input;
      return {
        ...rest,
        Message: asText(input.Message),
        ...(entry.length > 0 && { MessageAttributes: { entry } }),
      };
    }
    case 'events':
      return {
        ...input,
        Entries: ((input.Entries ?? []) as readonly JsonObject[]).map((entry) => ({
          ...entry,
          Detail: asText(entry.Detail),
          Resources: [...((entry.Resources ?? []) as readonly string[]), arn, machine.resource.arn],
        })),
      };
    default:
      return input;
  }
}
