import type { Json, JsonObject } from '../../assembly/intrinsics.js';
import type { EventLoop } from '../../engine/event-loop.js';
import type { Random } from '../../engine/random.js';
import type { Machine, MapState, ParallelState, Retrier, State, TaskState } from './definition.js';
import { contextOf, type Execution, type Outcome } from './execution.js';
import { EvaluationFailure, matchesError, runtimeFailure, StateFailure } from './failure.js';
import type { Lifetime } from './lifetime.js';
import type { Ending, Scope } from './scope.js';
import type { Variables } from './variables.js';

/** Calls what tasks call. */
export interface TaskRunner {
  /** @param finish called once, unless the lifetime ends before */
  run(task: RunningTask, finish: (outcome: Outcome) => void): void;
  /** Returns a new task token. */
  issueToken(execution: Execution): string;
}

/** One attempt of a task. */
export interface RunningTask {
  readonly execution: Execution;
  readonly state: TaskState;
  /** After InputPath and Parameters. */
  readonly input: Json;
  readonly token: string;
  readonly lifetime: Lifetime;
  /** Milliseconds without a heartbeat after which it fails. */
  readonly heartbeat: number | undefined;
}

/** Way out of a state. */
interface Exit {
  readonly ending: Ending;
  /** Name of the next state; `undefined` at an end. */
  readonly next: string | undefined;
}

/** A machine, a branch or an iteration that is under way. */
interface Running {
  readonly machine: Machine;
  readonly execution: Execution;
  readonly lifetime: Lifetime;
  /** Of an iteration, its item; of the whole, nothing. */
  readonly context: JsonObject;
  readonly variables: Variables;
  readonly done: (outcome: Outcome) => void;
}

/** A state that was entered. */
interface Entered<S extends State = State> {
  readonly running: Running;
  readonly state: S;
  readonly input: Json;
  readonly at: number;
  /** Id of the event with which it was entered; of an Express workflow there is none. */
  readonly event: number;
  readonly token: string;
  /** Retries so far, by their rule. */
  readonly retries: ReadonlyMap<Retrier, number>;
}

/** AWS Step Functions Developer Guide, "Service quotas": the largest input or output of a state, in bytes. */
const MAX_BYTES = 262_144;

/** Runs machines: one state after the other, in virtual time. Amazon States Language, "State Types". */
export class Runner {
  constructor(
    private readonly around: { readonly world: EventLoop; readonly random: Random; readonly tasks: TaskRunner },
  ) {}

  /** Runs a machine from its first state. @param done called once, unless the lifetime ends before */
  run(running: Running, input: Json): void {
    this.enter(running, running.machine.startAt, input);
  }

  private enter(running: Running, name: string, input: Json): void {
    const state = running.machine.states.get(name);
    if (!state) throw new Error(`there is no state ${name}`);
    this.record(running.execution, `${state.type}StateEntered`, { name, input: JSON.stringify(input) });
    const event = running.execution.events.length;
    const token = this.around.tasks.issueToken(running.execution);
    this.attempt({ running, state, input, at: this.around.world.now, event, token, retries: new Map() });
  }

  /** Does a part of a state's work: a failure in it is the state's. */
  private attempt(entered: Entered, work = (): void => this.work(entered)): void {
    try {
      work();
    } catch (error) {
      this.fail(entered, error);
    }
  }

  private work(entered: Entered): void {
    const { state, running } = entered;
    const scope = this.scopeOf(entered);
    const selected = { ...scope, input: state.selectInput(scope) };
    switch (state.type) {
      case 'Pass':
        this.complete(entered, state, state.shapeInput(selected));
        return;
      case 'Succeed':
        this.complete(entered, { ...state, next: undefined }, selected.input);
        return;
      case 'Fail':
        throw new StateFailure(state.error(scope), state.because(scope));
      case 'Wait': {
        const { world } = this.around;
        const until = state.until(selected);
        world.tell(() => ({ kind: 'timer', owner: running.execution.machine.label, id: state.name, outcome: 'began' }));
        const about = `${running.execution.machine.label}: the state ${state.name} waits`;
        const end = (): void => this.attempt(entered, () => this.complete(entered, state, selected.input));
        running.lifetime.after(until - world.now, end, about);
        return;
      }
      case 'Choice': {
        const { choices, otherwise: next, ending } = state;
        const exit = choices.find(({ holds }) => holds(selected)) ?? { next, ending };
        if (exit.next === undefined)
          throw runtimeFailure(`the choice '${state.name}' matched nothing, and has no Default`);
        this.complete(entered, exit, selected.input);
        return;
      }
      default:
        this.workLong({ ...entered, state }, selected);
    }
  }

  private workLong(entered: Entered<TaskState | ParallelState | MapState>, selected: Scope): void {
    const { state, running } = entered;
    const input = this.sized(state.shapeInput(selected));
    const lifetime = running.lifetime.begin();
    const finish = lifetime.guard((outcome: Outcome) => {
      lifetime.end();
      running.variables.endInner();
      if ('error' in outcome) this.fail(entered, new StateFailure(outcome.error, outcome.cause));
      else this.attempt(entered, () => this.complete(entered, state, outcome.output));
    });
    if (state.type === 'Task') this.runTask({ ...entered, state }, { selected, input }, lifetime, finish);
    else if (state.type === 'Parallel') {
      const branches = state.branches.map((machine) => ({ machine, input, context: running.context }));
      this.runAll(running, branches, branches.length, lifetime, finish);
    } else this.runMap({ ...entered, state }, selected, lifetime, finish);
  }

  private runTask(
    { state, running, token }: Entered<TaskState>,
    { selected, input }: { readonly selected: Scope; readonly input: Json },
    lifetime: Lifetime,
    finish: (outcome: Outcome) => void,
  ): void {
    const [timeout, heartbeat] = [state.timeout, state.heartbeat].map((field) => field && field(selected) * 1000);
    if (timeout !== undefined)
      lifetime.after(timeout, () => finish({ error: 'States.Timeout', cause: `after ${timeout / 1000} s` }));
    const { execution } = running;
    this.around.tasks.run({ execution, state, input, token, lifetime, heartbeat }, finish);
  }

  private runMap(
    { state, running }: Entered<MapState>,
    scope: Scope,
    lifetime: Lifetime,
    finish: (outcome: Outcome) => void,
  ): void {
    const iterations = state.items(scope).map((item, Index) => {
      const context = { ...running.context, Map: { Item: { Index, Value: item, Source: 'STATE_DATA' } } };
      const input = state.shapeItem?.({ ...scope, context: { ...scope.context, ...context } }) ?? item;
      return { machine: state.processor, input, context };
    });
    this.runAll(running, iterations, state.concurrency(scope), lifetime, finish);
  }

  /** Runs parts side by side. The first failure ends all of them: Amazon States Language, "Parallel State", "Map State". */
  private runAll(
    { execution, variables: outer }: Running,
    parts: readonly { readonly machine: Machine; readonly input: Json; readonly context: JsonObject }[],
    concurrency: number,
    lifetime: Lifetime,
    finish: (outcome: Outcome) => void,
  ): void {
    const outputs: Json[] = [];
    let left = parts.length;
    let begun = 0;
    const beginNext = (): void => {
      const at = begun++;
      const part = parts[at];
      if (!part) return;
      const variables = outer.begin();
      const done = (outcome: Outcome): void => {
        variables.end();
        if ('error' in outcome) {
          finish(outcome);
          return;
        }
        outputs[at] = outcome.output;
        if (--left === 0) finish({ output: outputs });
        else beginNext();
      };
      this.run({ machine: part.machine, execution, lifetime, context: part.context, variables, done }, part.input);
    };
    if (left === 0) finish({ output: [] });
    for (let at = 0; at < Math.min(concurrency, parts.length); at++) beginNext();
  }

  /** Leaves a state: its output and its variables are evaluated first, then take effect. "Evaluation order in an assign field". */
  private complete(entered: Entered, { ending, next }: Exit, result: Json): void {
    const { running, state } = entered;
    const { output, assigned } = ending(this.scopeOf(entered), this.sized(result));
    this.sized(output);
    running.variables.assign(assigned);
    const values = Object.entries(assigned).map(([name, value]) => [name, JSON.stringify(value)] as const);
    this.record(running.execution, `${state.type}StateExited`, {
      name: state.name,
      output: JSON.stringify(output),
      ...(values.length > 0 && { assignedVariables: Object.fromEntries(values) }),
    });
    if (next === undefined) running.done({ output });
    else running.lifetime.after(this.transition(), () => this.enter(running, next, output));
  }

  /** Retries a state that failed, or takes its catcher, or ends the machine. "Errors". @throws what is no failure of a state */
  private fail(entered: Entered, thrown: unknown): void {
    const { error, cause } = this.describe(entered, thrown);
    const { state, running, retries } = entered;
    this.around.world.note(`${running.execution.machine.label} ${state.name} failed: ${error}`);
    if ('retriers' in state) {
      const retrier = state.retriers.find(({ errors }) => matchesError(errors, error));
      const tries = retrier ? (retries.get(retrier) ?? 0) : 0;
      if (retrier && tries < retrier.most) {
        const token = this.around.tasks.issueToken(running.execution);
        const again = { ...entered, token, retries: new Map(retries).set(retrier, tries + 1) };
        running.lifetime.after(this.waitFor(retrier, tries), () => this.attempt(again));
        return;
      }
      const catcher = state.catchers.find(({ errors }) => matchesError(errors, error));
      if (catcher) {
        this.catch(entered, catcher, { Error: error, Cause: cause });
        return;
      }
    }
    running.done({ error, cause });
  }

  private catch(entered: Entered, exit: Exit, error: Json): void {
    try {
      this.complete(entered, exit, error);
    } catch (thrown) {
      const { error, cause } = this.describe(entered, thrown);
      entered.running.done({ error, cause });
    }
  }

  /** Says in which state an expression failed, and records it. AWS Step Functions API Reference, "EvaluationFailedEventDetails". @throws what is no failure of a state */
  private describe({ state, running, event }: Entered, thrown: unknown): StateFailure {
    if (!(thrown instanceof StateFailure)) throw thrown;
    if (!(thrown instanceof EvaluationFailure)) return thrown;
    const { error, location } = thrown;
    const entered = event === 0 ? '' : ` (entered at the event id #${event})`;
    const cause = `An error occurred while executing the state '${state.name}'${entered}. ${thrown.cause}`;
    this.record(running.execution, 'EvaluationFailed', { state: state.name, error, cause, location });
    return new StateFailure(error, cause);
  }

  /** Milliseconds before a retry. "Retrying after an error". @param tries retries so far */
  private waitFor({ interval, backoff, longest, hasJitter }: Retrier, tries: number): number {
    const wait = Math.min(interval * backoff ** tries, longest) * 1000;
    return hasJitter ? this.around.random.between(0, Math.round(wait)) : wait;
  }

  private scopeOf({ running, state, input, at, token, retries }: Entered): Scope {
    const RetryCount = [...retries.values()].reduce((sum, count) => sum + count, 0);
    const context = {
      ...contextOf(running.execution),
      ...running.context,
      State: { EnteredTime: new Date(at).toISOString(), Name: state.name, RetryCount },
      ...(state.type === 'Task' && state.integration.pattern === 'token' && { Task: { Token: token } }),
    };
    const { random, world } = this.around;
    return { input, context, variables: running.variables.values, random, now: world.now };
  }

  /** @throws {StateFailure} if a value is too large */
  private sized(value: Json): Json {
    if (Buffer.byteLength(JSON.stringify(value)) > MAX_BYTES)
      throw new StateFailure('States.DataLimitExceeded', `more than ${MAX_BYTES} bytes`);
    return value;
  }

  private record({ events, machine }: Execution, type: string, details: JsonObject): void {
    // "Execution guarantees": of an Express workflow Step Functions keeps no history.
    if (!machine.isExpress) events.push({ type, at: this.around.world.now, details });
  }

  private transition(): number {
    return this.around.world.latency((random) => random.between(5, 40));
  }
}
