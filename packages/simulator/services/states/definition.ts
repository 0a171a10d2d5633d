import type { Json, JsonObject } from '../../assembly/intrinsics.js';
import { NotModelled } from '../../wire/operation.js';
import { type Integration, readIntegration } from './integration.js';
import { JSONATA } from './jsonata.js';
import { JSONPATH } from './jsonpath.js';
import type { Language, Rule, StateType } from './language.js';
import { type Ending, type Field, keep } from './scope.js';
import { checkNames, listAssigns } from './variables.js';

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
  /** Makes what a task or a branch gets, or the result of a Pass, of what the state works on. */
  readonly shapeInput: Field;
  readonly ending: Ending;
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
  readonly ending: Ending;
}

interface MayFail extends Common {
  readonly retriers: readonly Retrier[];
  readonly catchers: readonly Catcher[];
}

export interface TaskState extends MayFail {
  readonly type: 'Task';
  readonly integration: Integration;
  /** Seconds. */
  readonly timeout: Field<number> | undefined;
  readonly heartbeat: Field<number> | undefined;
}

export interface ParallelState extends MayFail {
  readonly type: 'Parallel';
  readonly branches: readonly Machine[];
}

export interface MapState extends MayFail {
  readonly type: 'Map';
  readonly items: Field<readonly Json[]>;
  /** `ItemSelector`: it sees the state's input and the item. @default the item itself */
  readonly shapeItem: Field | undefined;
  readonly processor: Machine;
  readonly concurrency: Field<number>;
}

export type State =
  | TaskState
  | ParallelState
  | MapState
  | (Common & { readonly type: 'Pass' })
  | (Common & { readonly type: 'Choice'; readonly choices: readonly Rule[]; readonly otherwise: string | undefined })
  /** `until` returns the time at which it ends, milliseconds since 1970. */
  | (Common & { readonly type: 'Wait'; readonly until: Field<number> })
  | (Common & { readonly type: 'Succeed' })
  | (Common & { readonly type: 'Fail'; readonly error: Field<string>; readonly because: Field<string> });

const LANGUAGES: Readonly<Record<string, Language>> = { JSONPath: JSONPATH, JSONata: JSONATA };

const OF_ALL = ['Type', 'Comment', 'QueryLanguage'];
const ENDS = ['Next', 'End', 'Assign'];
const ERRORS = ['Retry', 'Catch'];
/** Fields of each type of state that both languages have. Amazon States Language, "State Types". */
const FIELDS: Readonly<Record<StateType, readonly string[]>> = {
  Pass: ENDS,
  Task: [...ENDS, ...ERRORS, 'Resource', 'TimeoutSeconds', 'HeartbeatSeconds'],
  Choice: ['Choices', 'Default', 'Assign'],
  Wait: [...ENDS, 'Seconds', 'Timestamp'],
  Succeed: [],
  Fail: ['Error', 'Cause'],
  Parallel: [...ENDS, ...ERRORS, 'Branches'],
  Map: [...ENDS, ...ERRORS, 'ItemSelector', 'ItemProcessor', 'Iterator', 'MaxConcurrency', 'Label'],
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

/** Surroundings of the states of a machine, or of a part of one. */
interface Around {
  /** Text for people: which part it is. */
  readonly where: string;
  /** Query language of the machine. "Query Languages": a state may have another one, its parts have the machine's. */
  readonly language: Language;
  /** Names of the variables that its states read, but can't assign. */
  readonly outer: ReadonlySet<string>;
}

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

  /** Reads a machine. What isn't modelled is in `problems`, and has no state. */
  read(definition: JsonObject): Machine {
    const { QueryLanguage = 'JSONPath' } = definition;
    const language = languageOf(QueryLanguage);
    const where = 'the definition';
    if (language) return this.readPart(definition, { where, language, outer: new Set() });
    this.problems.push(`${where}: QueryLanguage ${String(QueryLanguage)}`);
    return { startAt: '', states: new Map(), timeout: undefined };
  }

  private readPart(definition: JsonObject, around: Around): Machine {
    const { where, language, outer } = around;
    const { StartAt, States = {}, TimeoutSeconds, QueryLanguage, ProcessorConfig } = definition;
    const { Mode = 'INLINE' } = (ProcessorConfig ?? {}) as JsonObject;
    this.check(where, () => {
      refuseUnknown(definition, MACHINE_FIELDS);
      if (QueryLanguage !== undefined && languageOf(QueryLanguage) !== language)
        throw new NotModelled(`QueryLanguage ${String(QueryLanguage)} in a part of a machine`);
      if (Mode !== 'INLINE') throw new NotModelled(`a ${String(Mode).toLowerCase()} Map`);
    });
    const named = Object.entries(States as Readonly<Record<string, JsonObject>>);
    const names = named.flatMap(([, state]) => listAssigns(state).flatMap((assign) => JSONPATH.namesOf(assign)));
    const inner = new Set([...outer, ...names]);
    const states = new Map<string, State>();
    // Its states would only repeat what is wrong with all of them.
    if (Mode === 'INLINE')
      for (const [name, state] of named)
        this.check(`state '${name}'`, () => {
          const own = chooseLanguage(state, language);
          states.set(name, this.readState(name, state, own, { ...around, outer: inner }));
          checkNames(listAssigns(state).flatMap(own.namesOf), outer);
        });
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

  private readState(name: string, state: JsonObject, language: Language, parts: Around): State {
    const type = String(state.Type) as StateType;
    const fields = Object.hasOwn(FIELDS, type) ? FIELDS[type] : undefined;
    if (!fields) throw new NotModelled(`the type ${type}`);
    refuseUnknown(state, [...OF_ALL, ...fields, ...language.fields[type]]);
    const common = readCommon(name, state, language);
    switch (type) {
      case 'Pass':
      case 'Succeed':
        return { ...common, type };
      case 'Fail':
        return {
          ...common,
          type,
          error: language.readText(state, 'Error'),
          because: language.readText(state, 'Cause'),
        };
      case 'Wait':
        return { ...common, type, until: readWait(state, language) };
      case 'Choice': {
        const rules = (state.Choices ?? []) as readonly JsonObject[];
        const choices = rules.map((rule, at) => language.readRule(state, rule, at));
        return { ...common, type, choices, otherwise: state.Default === undefined ? undefined : String(state.Default) };
      }
      case 'Task':
        return {
          ...common,
          ...readErrorRules(state, language),
          type,
          integration: readIntegration(String(state.Resource), language.readParameters(state), this.around),
          timeout: language.readNumber(state, 'TimeoutSeconds', 1),
          heartbeat: language.readNumber(state, 'HeartbeatSeconds', 1),
        };
      case 'Parallel': {
        const branches = (state.Branches ?? []) as readonly JsonObject[];
        const read = branches.map((branch, at) =>
          this.readPart(branch, { ...parts, where: `branch ${at + 1} of state '${name}'` }),
        );
        return { ...common, ...readErrorRules(state, language), type, branches: read };
      }
      case 'Map': {
        const { ItemProcessor, Iterator } = state;
        const where = `the processor of state '${name}'`;
        const most = language.readNumber(state, 'MaxConcurrency', 0);
        return {
          ...common,
          ...readErrorRules(state, language),
          type,
          shapeInput: keep,
          items: language.readItems(state),
          shapeItem: language.readItemSelector(state),
          processor: this.readPart((ItemProcessor ?? Iterator ?? {}) as JsonObject, { ...parts, where }),
          concurrency: (scope) => Math.min(most?.(scope) || INLINE_CONCURRENCY, INLINE_CONCURRENCY),
        };
      }
    }
  }
}

const languageOf = (name: Json): Language | undefined =>
  Object.hasOwn(LANGUAGES, String(name)) ? LANGUAGES[String(name)] : undefined;

/** Returns a state's language. "QueryLanguage field": a JSONPath machine may have states in JSONata, but not the other way round. */
function chooseLanguage({ QueryLanguage }: JsonObject, ofMachine: Language): Language {
  if (QueryLanguage === undefined) return ofMachine;
  const language = languageOf(QueryLanguage);
  if (!language) throw new NotModelled(`QueryLanguage ${String(QueryLanguage)}`);
  if (language === JSONPATH && ofMachine === JSONATA)
    throw new NotModelled("'QueryLanguage' can not be 'JSONPath' if set to 'JSONata' for whole state machine");
  return language;
}

function readCommon(name: string, state: JsonObject, language: Language): Common {
  const { Type, Next, End } = state;
  const goesOn = Type !== 'Choice' && Type !== 'Succeed' && Type !== 'Fail';
  if (goesOn && Next === undefined && End !== true) throw new NotModelled('neither Next nor End');
  return {
    name,
    next: Next === undefined ? undefined : String(Next),
    selectInput: language.readInput(state),
    shapeInput: language.readArguments(state),
    ending: language.readEnding(state),
  };
}

/** AWS Step Functions Developer Guide, "Retrying after an error": three attempts, after 1 s, 2 s and 4 s, unless it says otherwise. */
function readErrorRules(
  { Retry = [], Catch = [] }: JsonObject,
  language: Language,
): Pick<MayFail, 'retriers' | 'catchers'> {
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
    catchers: (Catch as readonly JsonObject[]).map((catcher, at) => {
      refuseUnknown(catcher, [...CATCHER, ...language.ofCatchers]);
      const { ErrorEquals, Next } = catcher;
      return {
        errors: ErrorEquals as readonly string[],
        next: String(Next),
        ending: language.readCatcher(catcher, at),
      };
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
const CATCHER = ['ErrorEquals', 'Next', 'Assign', 'Comment'];

function readWait(state: JsonObject, language: Language): Field<number> {
  const seconds = language.readNumber(state, 'Seconds', 0);
  if (seconds) return (scope) => scope.now + seconds(scope) * 1000;
  const until = language.readTimestamp(state);
  if (!until) throw new NotModelled('neither Seconds nor Timestamp');
  return until;
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
