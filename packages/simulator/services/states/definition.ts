import type { Json, JsonObject } from '../../assembly/intrinsics.js';
import { NotModelled } from '../../wire/operation.js';
import { type Condition, compileCondition, readTimestamp } from './choice.js';
import { runtimeFailure } from './failure.js';
import { type Integration, readIntegration } from './integration.js';
import {
  compileExpression,
  compilePath,
  compileResultPath,
  compileSelection,
  compileTemplate,
  type Field,
} from './payload.js';

/** States of a machine, of a branch, or of the processor of a Map. */
export interface Machine {
  readonly startAt: string;
  readonly states: ReadonlyMap<string, State>;
  /** Longest time of an execution, in seconds; a part of a machine has none. */
  readonly timeout: number | undefined;
}

/** Members of every state; the order in which they apply is that of their declaration. */
interface Common {
  readonly name: string;
  /** Name of the next state; `undefined` at an end. */
  readonly next: string | undefined;
  readonly selectInput: Field;
  /** `Parameters`. */
  readonly shapeInput: Field;
  /** `ResultSelector`. */
  readonly shapeResult: Field;
  /** `ResultPath`. @throws {StateFailure} */
  readonly place: (input: Json, result: Json) => Json;
  readonly selectOutput: Field;
}

/** A rule of `Retry`. Times are in seconds. */
export interface Retrier {
  readonly errors: readonly string[];
  readonly interval: number;
  readonly most: number;
  readonly backoff: number;
  readonly longest: number;
  readonly hasJitter: boolean;
}

/** A rule of `Catch`. */
export interface Catcher {
  readonly errors: readonly string[];
  readonly next: string;
  readonly place: Common['place'];
}

interface MayFail extends Common {
  readonly retriers: readonly Retrier[];
  readonly catchers: readonly Catcher[];
}

export interface TaskState extends MayFail {
  readonly type: 'Task';
  readonly integration: Integration;
  /** Seconds. */
  readonly timeout: Field | undefined;
  readonly heartbeat: Field | undefined;
}

export interface ParallelState extends MayFail {
  readonly type: 'Parallel';
  readonly branches: readonly Machine[];
}

export interface MapState extends MayFail {
  readonly type: 'Map';
  readonly items: Field;
  /** `ItemSelector`: it sees the state's input and the item. @default the item itself */
  readonly shapeItem: Field | undefined;
  readonly processor: Machine;
  readonly concurrency: number;
}

export type State =
  | TaskState
  | ParallelState
  | MapState
  | (Common & { readonly type: 'Pass'; readonly result: Json | undefined })
  | (Common & {
      readonly type: 'Choice';
      readonly choices: readonly { readonly holds: Condition; readonly next: string }[];
      readonly otherwise: string | undefined;
    })
  /** Returns the time at which it ends, milliseconds since 1970. */
  | (Common & { readonly type: 'Wait'; readonly until: (scope: Parameters<Field>[0], now: number) => number })
  | (Common & { readonly type: 'Succeed' })
  | (Common & { readonly type: 'Fail'; readonly error: Field; readonly because: Field });

const FLOW = ['Type', 'Comment', 'QueryLanguage', 'InputPath', 'OutputPath'];
const ENDS = ['Next', 'End'];
const RESULTS = ['Parameters', 'ResultSelector', 'ResultPath', 'Retry', 'Catch'];
/** Fields of each type of state. Amazon States Language, "State Types"; those of JSONata and of variables are not modelled. */
const FIELDS: Readonly<Record<State['type'], readonly string[]>> = {
  Pass: [...FLOW, ...ENDS, 'Parameters', 'ResultPath', 'Result'],
  Task: [
    ...FLOW,
    ...ENDS,
    ...RESULTS,
    'Resource',
    'TimeoutSeconds',
    'TimeoutSecondsPath',
    'HeartbeatSeconds',
    'HeartbeatSecondsPath',
  ],
  Choice: [...FLOW, 'Choices', 'Default'],
  Wait: [...FLOW, ...ENDS, 'Seconds', 'SecondsPath', 'Timestamp', 'TimestampPath'],
  Succeed: FLOW,
  Fail: ['Type', 'Comment', 'QueryLanguage', 'Error', 'ErrorPath', 'Cause', 'CausePath'],
  Parallel: [...FLOW, ...ENDS, ...RESULTS, 'Branches'],
  Map: [
    ...FLOW,
    ...ENDS,
    ...RESULTS,
    'ItemsPath',
    'ItemSelector',
    'ItemProcessor',
    'Iterator',
    'MaxConcurrency',
    'Label',
  ],
};

/** AWS Step Functions Developer Guide, "Map state": iterations of an inline Map that run at once. */
const INLINE_CONCURRENCY = 40;
const MACHINE_FIELDS = [
  'Comment',
  'StartAt',
  'States',
  'Version',
  'TimeoutSeconds',
  'QueryLanguage',
  'ProcessorConfig',
];

/** Reads definitions, and collects all in them that the model doesn't know. */
export class DefinitionReader {
  /** What isn't modelled, each with its state. */
  readonly problems: string[] = [];

  /** @param knows whether there is such a function. @param isExpress whether the machine is of that type */
  constructor(
    private readonly around: {
      readonly isExpress: boolean;
      readonly hasFunction: (name: string) => boolean;
      readonly hasMachine: (arn: string) => boolean;
    },
  ) {}

  /** Reads a machine or a part of one. What isn't modelled is in `problems`, and has no state. */
  read(definition: JsonObject, where = 'the definition'): Machine {
    const { StartAt, States = {}, TimeoutSeconds, QueryLanguage = 'JSONPath', ProcessorConfig } = definition;
    const { Mode = 'INLINE' } = (ProcessorConfig ?? {}) as JsonObject;
    this.check(where, () => {
      refuseUnknown(definition, MACHINE_FIELDS);
      if (QueryLanguage !== 'JSONPath') throw new NotModelled(`QueryLanguage ${String(QueryLanguage)}`);
      if (Mode !== 'INLINE') throw new NotModelled(`a ${String(Mode).toLowerCase()} Map`);
    });
    const states = new Map<string, State>();
    // Its states would only repeat what is wrong with all of them.
    if (QueryLanguage === 'JSONPath' && Mode === 'INLINE')
      for (const [name, state] of Object.entries(States as Readonly<Record<string, JsonObject>>))
        this.check(`state '${name}'`, () => states.set(name, this.readState(name, state)));
    this.check(where, () => refuseUnknownNames(String(StartAt), Object.keys(States as JsonObject), states));
    return {
      startAt: String(StartAt),
      states,
      timeout: TimeoutSeconds === undefined ? undefined : Number(TimeoutSeconds),
    };
  }

  private check(where: string, read: () => unknown): void {
    try {
      read();
    } catch (error) {
      this.problems.push(`${where}: ${(error as Error).message}`);
    }
  }

  private readState(name: string, state: JsonObject): State {
    const type = String(state.Type) as State['type'];
    const fields = Object.hasOwn(FIELDS, type) ? FIELDS[type] : undefined;
    if (!fields) throw new NotModelled(`the type ${type}`);
    if ((state.QueryLanguage ?? 'JSONPath') !== 'JSONPath')
      throw new NotModelled(`QueryLanguage ${String(state.QueryLanguage)}`);
    refuseUnknown(state, fields);
    const common = readCommon(name, state);
    switch (type) {
      case 'Pass':
        return { ...common, type, result: state.Result };
      case 'Succeed':
        return { ...common, type };
      case 'Fail':
        return { ...common, type, error: readText(state, 'Error'), because: readText(state, 'Cause') };
      case 'Wait':
        return { ...common, type, until: readWait(state) };
      case 'Choice': {
        const rules = (state.Choices ?? []) as readonly JsonObject[];
        const choices = rules.map((rule) => ({ holds: compileCondition(rule), next: String(rule.Next) }));
        return { ...common, type, choices, otherwise: state.Default === undefined ? undefined : String(state.Default) };
      }
      case 'Task':
        return {
          ...common,
          ...readErrorRules(state),
          type,
          integration: readIntegration(String(state.Resource), (state.Parameters ?? {}) as JsonObject, this.around),
          timeout: readSeconds(state, 'TimeoutSeconds'),
          heartbeat: readSeconds(state, 'HeartbeatSeconds'),
        };
      case 'Parallel': {
        const branches = (state.Branches ?? []) as readonly JsonObject[];
        const read = branches.map((branch, at) => this.read(branch, `branch ${at + 1} of state '${name}'`));
        return { ...common, ...readErrorRules(state), type, branches: read };
      }
      case 'Map':
        return { ...common, ...readErrorRules(state), ...this.readMap(name, state), type };
    }
  }

  private readMap(name: string, state: JsonObject) {
    const { ItemsPath, ItemSelector, Parameters, ItemProcessor, Iterator, MaxConcurrency } = state;
    const shape = ItemSelector ?? Parameters;
    return {
      // Of a Map, "Parameters" is the older name of "ItemSelector".
      shapeInput: keep,
      items: compileSelection(ItemsPath),
      shapeItem: shape === undefined ? undefined : compileTemplate(shape),
      processor: this.read((ItemProcessor ?? Iterator ?? {}) as JsonObject, `the processor of state '${name}'`),
      concurrency: Math.min(Number(MaxConcurrency ?? 0) || INLINE_CONCURRENCY, INLINE_CONCURRENCY),
    };
  }
}

const keep: Field = ({ input }) => input;

function readCommon(name: string, state: JsonObject): Common {
  const { Type, Next, End, InputPath, Parameters, ResultSelector, ResultPath, OutputPath } = state;
  const goesOn = Type !== 'Choice' && Type !== 'Succeed' && Type !== 'Fail';
  if (goesOn && Next === undefined && End !== true) throw new NotModelled('neither Next nor End');
  return {
    name,
    next: Next === undefined ? undefined : String(Next),
    selectInput: compileSelection(InputPath),
    shapeInput: Parameters === undefined ? keep : compileTemplate(Parameters),
    shapeResult: ResultSelector === undefined ? keep : compileTemplate(ResultSelector),
    place: compileResultPath(ResultPath),
    selectOutput: compileSelection(OutputPath),
  };
}

/** AWS Step Functions Developer Guide, "Retrying after an error": three attempts, after 1 s, 2 s and 4 s, unless it says otherwise. */
function readErrorRules({ Retry = [], Catch = [] }: JsonObject): Pick<MayFail, 'retriers' | 'catchers'> {
  return {
    retriers: (Retry as readonly JsonObject[]).map((retrier) => {
      refuseUnknown(retrier, RETRIER);
      const { ErrorEquals, IntervalSeconds = 1, MaxAttempts = 3, BackoffRate = 2 } = retrier;
      const { MaxDelaySeconds = Number.POSITIVE_INFINITY, JitterStrategy = 'NONE' } = retrier;
      return {
        errors: ErrorEquals as readonly string[],
        interval: Number(IntervalSeconds),
        most: Number(MaxAttempts),
        backoff: Number(BackoffRate),
        longest: Number(MaxDelaySeconds),
        hasJitter: JitterStrategy === 'FULL',
      };
    }),
    catchers: (Catch as readonly JsonObject[]).map((catcher) => {
      refuseUnknown(catcher, CATCHER);
      const { ErrorEquals, Next, ResultPath } = catcher;
      return { errors: ErrorEquals as readonly string[], next: String(Next), place: compileResultPath(ResultPath) };
    }),
  };
}

const RETRIER = [
  'ErrorEquals',
  'IntervalSeconds',
  'MaxAttempts',
  'BackoffRate',
  'MaxDelaySeconds',
  'JitterStrategy',
  'Comment',
];
const CATCHER = ['ErrorEquals', 'Next', 'ResultPath', 'Comment'];

/** Reads a text, or the path or intrinsic function that `<name>Path` has. */
function readText(state: JsonObject, name: string): Field {
  const path = state[`${name}Path`];
  return path === undefined ? () => state[name] ?? '' : compileExpression(String(path));
}

function readSeconds(state: JsonObject, name: string): Field | undefined {
  const path = state[`${name}Path`];
  if (path !== undefined) return compilePath(String(path));
  const value = state[name];
  return value === undefined ? undefined : () => value;
}

function readWait(state: JsonObject): (scope: Parameters<Field>[0], now: number) => number {
  const seconds = readSeconds(state, 'Seconds');
  if (seconds)
    return (scope, now) => {
      const value = seconds(scope);
      if (typeof value !== 'number' || value < 0)
        throw runtimeFailure(`Wait: ${JSON.stringify(value)} is no number of seconds`);
      return now + value * 1000;
    };
  const timestamp = readSeconds(state, 'Timestamp');
  if (!timestamp) throw new NotModelled('neither Seconds nor Timestamp');
  return (scope) => {
    const at = readTimestamp(timestamp(scope));
    if (at === undefined) throw runtimeFailure(`Wait: ${JSON.stringify(timestamp(scope))} is no timestamp`);
    return at;
  };
}

function refuseUnknown(object: JsonObject, known: readonly string[]): void {
  const unknown = Object.keys(object).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new NotModelled(unknown.join(', '));
}

/** Refuses names of states that don't exist, as AWS does at the deployment. */
function refuseUnknownNames(startAt: string, names: readonly string[], states: Machine['states']): void {
  const nexts = [...states.values()].flatMap((state) => [
    ...(state.next === undefined ? [] : [state.next]),
    ...('catchers' in state ? state.catchers.map(({ next }) => next) : []),
    ...(state.type === 'Choice' ? [...state.choices.map(({ next }) => next), state.otherwise ?? startAt] : []),
  ]);
  const missing = [startAt, ...nexts].filter((name) => !names.includes(name));
  if (missing.length > 0) throw new NotModelled(`there is no state '${missing.join("', '")}'`);
}
