import type { Assembly } from '../../assembly/assembly.js';
import type { AccountAndRegion } from '../../assembly/identity.js';
import type { Json, JsonObject } from '../../assembly/intrinsics.js';
import type { ObstaclesMet } from '../../assembly/obstacles.js';
import type { EventLoop } from '../../engine/event-loop.js';
import type { FaultKind, FaultPlan } from '../../engine/faults.js';
import type { Random } from '../../engine/random.js';
import { Refused } from '../../wire/operation.js';
import type { AsyncInvoker } from '../events/model.js';
import type { Iam } from '../iam/model.js';
import type { LambdaFunction } from '../lambda/model.js';
import type { Execution, ExecutionStatus, Outcome } from './execution.js';
import { Lifetime } from './lifetime.js';
import { StateMachine } from './machine.js';
import { Runner } from './runner.js';
import { type ServiceCall, Tasks } from './tasks.js';
import { Variables } from './variables.js';

/**
 * "Execution guarantees in Step Functions workflows": a Standard workflow runs exactly once. An asynchronous Express workflow runs at least
 * once, so it may run again from its beginning. A synchronous one runs at most once.
 */
const EXPRESS_FAULTS: readonly FaultKind[] = ['delivered-twice'];
const AGAIN_AFTER = 30_000;
/** "Service quotas": Express workflows run for five minutes at most. */
const LONGEST_EXPRESS = 300;
/** AWS Step Functions API Reference, "StartExecution": names can be reused after 90 days. */
const NAME_KEPT = 90 * 86_400_000;
/** "StartExecution", `name`. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: AWS excludes control characters
const NAME = /^[^\s<>{}[\]?*"#%\\^|~`$&,;:/\u0000-\u001f\u007f-\u009f]{1,80}$/;

/** What starts an execution. */
export interface Start {
  /** JSON. @default {} */
  readonly input?: string | undefined;
  /** @default a new id */
  readonly name?: string | undefined;
  /** Whether somebody waits for its end, so that it runs at most once. @default false */
  readonly isSync?: boolean;
  /** Called when it has ended. */
  readonly ended?: (execution: Execution) => void;
}

/** State machines and their executions. AWS Step Functions Developer Guide. */
export class StateMachines {
  /** By ARN. */
  readonly machines = new Map<string, StateMachine>();
  /** All executions, oldest first: for invariants. */
  readonly executions: Execution[];
  readonly tasks: Tasks;
  private readonly runner: Runner;
  private readonly random: Random;
  /** Of Standard workflows, by ARN. */
  private readonly named = new Map<string, Execution>();
  private readonly endings = new Map<Execution, ((execution: Execution) => void)[]>();

  constructor(
    assembly: Assembly,
    private readonly around: {
      readonly world: EventLoop;
      readonly faults: FaultPlan;
      readonly iam: Iam;
      readonly home: AccountAndRegion;
      readonly functions: ReadonlyMap<string, LambdaFunction>;
      readonly asynchronous: AsyncInvoker;
      readonly call: ServiceCall;
      /** Gets the machines that have no model. */
      readonly met: ObstaclesMet;
    },
  ) {
    const { world, met } = around;
    this.executions = world.records();
    this.random = world.random.fork('states');
    for (const resource of assembly.findByType('AWS::StepFunctions::StateMachine'))
      met.attempt(resource, () => this.machines.set(resource.arn, new StateMachine(resource, assembly)));
    this.tasks = new Tasks({
      ...around,
      random: this.random,
      start: (input, ended) => this.startForTask(input, ended),
      stop: (execution) => this.stop(execution, { error: 'States.TaskFailed', cause: 'its task was given up' }),
    });
    this.runner = new Runner({ world, random: this.random, tasks: this.tasks });
  }

  /** Whether there is such a machine. @param arn its ARN */
  has(arn: string): boolean {
    return this.machines.has(arn);
  }

  /** Returns an execution of a Standard workflow; `undefined` if there is none, or it ended 90 days ago. */
  find(arn: string): Execution | undefined {
    const found = this.named.get(arn);
    if (found?.ended === undefined || this.around.world.now < found.ended + NAME_KEPT) return found;
    this.named.delete(arn);
    return undefined;
  }

  /** Starts an execution for a rule of EventBridge, which gives it no name. */
  startByRule(arn: string, input: string): void {
    this.start(arn, { input });
  }

  /**
   * Starts an execution. AWS Step Functions API Reference, "StartExecution": the name is the idempotency key of Standard workflows.
   * @throws {Refused}
   */
  start(arn: string, { input = '{}', name, isSync = false, ended }: Start): Execution {
    const machine = this.machines.get(arn);
    if (!machine) throw new Refused('StateMachineDoesNotExist', `State Machine Does Not Exist: '${arn}'`);
    if (name !== undefined && !NAME.test(name)) throw new Refused('InvalidName', `Invalid Name: '${name}'`);
    const parsed = parseInput(input);
    const executionArn = this.arnOf(machine, name ?? this.random.id());
    const earlier = machine.isExpress ? undefined : this.find(executionArn);
    if (earlier) {
      if (earlier.status === 'RUNNING' && earlier.input === input) return earlier;
      throw new Refused('ExecutionAlreadyExists', `Execution Already Exists: '${executionArn}'`);
    }
    const fault = machine.isExpress && !isSync ? this.faultOfExpress(machine) : undefined;
    const execution = this.create(machine, executionArn, input);
    if (ended) this.endings.set(execution, [ended]);
    if (fault === 'lost') return execution;
    this.run(execution, parsed);
    if (fault === 'delivered-twice')
      this.around.world.after(AGAIN_AFTER, () => this.run(this.create(machine, executionArn, input), parsed));
    return execution;
  }

  private faultOfExpress(machine: StateMachine): FaultKind | undefined {
    const { world, faults } = this.around;
    const id = `${machine.label} execution ${machine.starts + 1}`;
    const fault = faults.faultAt({ id, kinds: EXPRESS_FAULTS });
    if (fault) world.note(`${id} FAULT ${fault}`);
    return fault;
  }

  /** Stops an execution; nothing happens to one that has ended. */
  stop(execution: Execution, { error, cause }: { readonly error: string; readonly cause: string }): void {
    this.end(execution, 'ABORTED', { error, cause });
  }

  private arnOf({ name: machine, isExpress }: StateMachine, name: string): string {
    const { home } = this.around;
    if (!isExpress) return home.arn('states', `execution:${machine}:${name}`);
    return home.arn('states', `express:${machine}:${name}:${this.random.id()}`);
  }

  private create(machine: StateMachine, arn: string, input: string): Execution {
    const { world } = this.around;
    const name = arn.split(':')[7] ?? '';
    const lifetime = new Lifetime(world);
    const execution: Execution = {
      arn,
      name,
      machine,
      input,
      began: world.now,
      lifetime,
      events: [],
      status: 'RUNNING',
    };
    machine.starts++;
    this.executions.push(execution);
    if (!machine.isExpress) this.named.set(arn, execution);
    return execution;
  }

  private run(execution: Execution, input: Json): void {
    const { world } = this.around;
    const { machine, lifetime } = execution;
    world.note(`${machine.label} execution ${execution.name} begins`);
    this.tell(execution, 'began');
    this.record(execution, 'ExecutionStarted', { input: execution.input, roleArn: machine.role });
    const longest = machine.machine.timeout ?? (machine.isExpress ? LONGEST_EXPRESS : undefined);
    if (longest !== undefined) {
      const late = { error: 'States.Timeout', cause: `after ${longest} s` };
      lifetime.after(longest * 1000, () => this.end(execution, 'TIMED_OUT', late));
    }
    const done = (outcome: Outcome): void => this.end(execution, 'output' in outcome ? 'SUCCEEDED' : 'FAILED', outcome);
    const running = { machine: machine.machine, execution, lifetime, context: {}, variables: new Variables(), done };
    lifetime.after(
      world.latency((random) => random.between(5, 40)),
      () => this.runner.run(running, input),
    );
  }

  private end(execution: Execution, status: Exclude<ExecutionStatus, 'RUNNING'>, outcome: Outcome): void {
    if (execution.status !== 'RUNNING') return;
    const { world } = this.around;
    const said = 'error' in outcome ? ` ${outcome.error}: ${outcome.cause}` : '';
    Object.assign(execution, { status, outcome, ended: world.now });
    world.note(`${execution.machine.label} execution ${execution.name} ${status}${said}`);
    this.tell(execution, status, said.trim());
    this.record(execution, EVENTS[status], 'output' in outcome ? { output: JSON.stringify(outcome.output) } : outcome);
    execution.lifetime.end();
    for (const listener of this.endings.get(execution) ?? []) listener(execution);
    this.endings.delete(execution);
  }

  private startForTask(
    { StateMachineArn, Input, Name }: JsonObject,
    ended: (execution: Execution) => void,
  ): Execution | { readonly error: Refused['error'] } {
    try {
      const input = typeof Input === 'string' ? Input : JSON.stringify(Input ?? {});
      return this.start(String(StateMachineArn), {
        input,
        ended,
        ...(Name !== undefined && { name: String(Name) }),
      });
    } catch (error) {
      if (error instanceof Refused) return { error: error.error };
      throw error;
    }
  }

  private record({ machine, events }: Execution, type: string, details: JsonObject): void {
    if (!machine.isExpress) events.push({ type, at: this.around.world.now, details });
  }

  private tell({ machine, name, began }: Execution, outcome: string, error = ''): void {
    const { world } = this.around;
    world.tell(() => ({
      kind: 'timer',
      owner: machine.label,
      id: name,
      outcome,
      ...(outcome !== 'began' && { ms: world.now - began }),
      ...(error !== '' && { error }),
    }));
  }
}

const EVENTS: Readonly<Record<Exclude<ExecutionStatus, 'RUNNING'>, string>> = {
  SUCCEEDED: 'ExecutionSucceeded',
  FAILED: 'ExecutionFailed',
  TIMED_OUT: 'ExecutionTimedOut',
  ABORTED: 'ExecutionAborted',
};

/** @throws {Refused} if it is no JSON */
function parseInput(input: string): Json {
  try {
    return JSON.parse(input) as Json;
  } catch (error) {
    throw new Refused('InvalidExecutionInput', `Invalid State Machine Execution Input: '${(error as Error).message}'`);
  }
}
