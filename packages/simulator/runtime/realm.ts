import { constants, createContext, runInContext, type Script } from 'node:vm';

/**
 * Globals of this process that every realm gets, so that `instanceof` works for values that cross the border. A realm makes the
 * rest of JavaScript itself.
 */
const SHARED = [
  'AbortController',
  'ArrayBuffer',
  'Blob',
  'BroadcastChannel',
  'Buffer',
  'ByteLengthQueuingStrategy',
  'CloseEvent',
  'CountQueuingStrategy',
  'Crypto',
  'CryptoKey',
  'CustomEvent',
  'DOMException',
  'Event',
  'EventTarget',
  'File',
  'FormData',
  'Headers',
  'MessageChannel',
  'MessageEvent',
  'MessagePort',
  'Navigator',
  'Performance',
  'PerformanceEntry',
  'PerformanceMark',
  'PerformanceMeasure',
  'PerformanceObserver',
  'PerformanceObserverEntryList',
  'PerformanceResourceTiming',
  'ReadableByteStreamController',
  'ReadableStream',
  'ReadableStreamBYOBReader',
  'ReadableStreamBYOBRequest',
  'ReadableStreamDefaultController',
  'ReadableStreamDefaultReader',
  'SubtleCrypto',
  'TextDecoder',
  'TextDecoderStream',
  'TextEncoder',
  'TextEncoderStream',
  'TransformStream',
  'TransformStreamDefaultController',
  'URL',
  'URLPattern',
  'URLSearchParams',
  'Uint8Array',
  'WritableStream',
  'WritableStreamDefaultController',
  'WritableStreamDefaultWriter',
  'atob',
  'btoa',
  'navigator',
  'queueMicrotask',
  'structuredClone',
] as const;

/**
 * Makes `instanceof` true for what this process has made where code of a realm asks for the realm's own class: errors of Node's
 * modules, promises of `fetch`, objects that Node has parsed.
 */
const RECOGNISE = `(function (outer) {
  const ordinary = Function.prototype[Symbol.hasInstance];
  for (const [name, theirs] of Object.entries(outer)) {
    const own = globalThis[name];
    Object.defineProperty(own, Symbol.hasInstance, {
      value: function (value) {
        return ordinary.call(this, value) || (this === own && ordinary.call(theirs, value));
      },
    });
  }
})`;
const RECOGNISED = {
  Error,
  TypeError,
  RangeError,
  SyntaxError,
  ReferenceError,
  URIError,
  EvalError,
  AggregateError,
  Promise,
  Object,
};

/** Names of the globals that each environment has for itself. */
const OWN = [
  'process',
  'console',
  'crypto',
  'performance',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearTimeout',
  'clearInterval',
  'clearImmediate',
  'fetch',
  'Request',
  'Response',
  'AbortSignal',
  'CompressionStream',
  'DecompressionStream',
  'WebSocket',
  'EventSource',
  'Date',
  'Math',
  'global',
  'globalThis',
] as const;

/** Globals that the simulator provides to an environment. A realm makes the others itself. */
export type ProvidedGlobals = Readonly<
  Record<Exclude<(typeof OWN)[number], 'Date' | 'Math' | 'global' | 'globalThis'>, unknown>
>;

/** An environment's sources of what a program can't compute. */
export interface ClockAndRandom {
  /** Returns the time of its clock, milliseconds since 1970. */
  readonly now: () => number;
  /** Returns a number from 0 up to 1. */
  readonly random: () => number;
}

/** Makes a `Date` and a `Math` that use an environment's clock and random numbers. */
const CLOCK_AND_NUMBERS = `(function (now, random) {
  const Real = Date;
  // No class: Date() without "new" is a text.
  function OwnDate(...args) {
    if (new.target === undefined) return new Real(now()).toString();
    return Reflect.construct(Real, args.length === 0 ? [now()] : args, new.target);
  }
  Object.setPrototypeOf(OwnDate, Real);
  Object.defineProperties(OwnDate, {
    name: { value: 'Date' },
    length: { value: 7 },
    now: { value: () => now(), writable: true, configurable: true },
    prototype: { value: Object.create(Real.prototype, { constructor: { value: OwnDate, writable: true, configurable: true } }) },
  });
  return { Date: OwnDate, Math: Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(Math), random: { value: random } }) };
})`;

/**
 * Code that encloses the source of a CommonJS module. The names of the outer function hide the realm's globals. They are in a
 * function of their own, because a module may declare variables of the same names.
 */
export const OPENING = `(function (${OWN.join(', ')}) { return function (exports, require, module, __filename, __dirname) {`;
export const CLOSING = '\n}; })';

type ModuleFunction = (
  exports: object,
  require: (name: string) => unknown,
  module: { readonly exports: Record<string, unknown> },
  file: string,
  folder: string,
) => void;

/** A `Date` and a `Math` of a realm. */
export interface ClockAndNumbers {
  readonly Date: unknown;
  readonly Math: unknown;
}

/** A realm of JavaScript: a `vm` context with its prototypes. */
export class Realm {
  readonly global: object;
  /** Parses JSON to objects of the realm. */
  readonly parse: (json: string) => unknown;
  /** Prototype from which all objects of the realm inherit. */
  private readonly root: Record<string, unknown>;
  private readonly make: (now: ClockAndRandom['now'], random: ClockAndRandom['random']) => ClockAndNumbers;

  constructor() {
    // With an ordinary global object V8 compiles accesses to globals; with a contextified one it asks Node for each (decision 0084).
    this.global = createContext(constants.DONT_CONTEXTIFY);
    const known = SHARED.filter((name) => name in globalThis);
    Object.assign(
      this.global,
      Object.fromEntries(known.map((name) => [name, (globalThis as Readonly<Record<string, unknown>>)[name]])),
    );
    runInContext(RECOGNISE, this.global)(RECOGNISED);
    this.parse = runInContext('JSON.parse', this.global);
    this.root = runInContext('Object.prototype', this.global);
    this.make = runInContext(CLOCK_AND_NUMBERS, this.global);
  }

  clockAndNumbers({ now, random }: ClockAndRandom): ClockAndNumbers {
    return this.make(now, random);
  }

  /** Removes what code has added to the prototype of all objects. @returns the name of one such member, if there is one */
  cleaned(): string | undefined {
    const added = Object.keys(this.root);
    for (const name of added) delete this.root[name];
    return added[0];
  }
}

/**
 * The code of one module in a realm, which is run once for each environment. An environment has its own module state and its own
 * globals. The functions of all of them come from the same places of the same code, so that V8 runs in one what it has
 * optimised for another.
 */
export class ModuleCode {
  private readonly moduleWith: (...own: unknown[]) => ModuleFunction;

  /** @param script a module between {@link OPENING} and {@link CLOSING} */
  constructor(
    readonly realm: Realm,
    script: Script,
  ) {
    this.moduleWith = script.runInContext(realm.global);
  }

  /** Runs the module's code for a new environment. @returns its exports @throws what the module throws */
  load(
    provided: ProvidedGlobals,
    clockAndNumbers: ClockAndNumbers,
    require: (name: string) => unknown,
    folder = '/var/task',
  ): Record<string, unknown> {
    // An environment's assignments to its global object are invisible to the other environments.
    const own: Record<string, unknown> = Object.create(this.realm.global);
    Object.assign(own, provided, clockAndNumbers, { global: own, globalThis: own });
    const module = { exports: {} as Record<string, unknown> };
    const run = this.moduleWith(...OWN.map((name) => own[name]));
    run(module.exports, require, module, `${folder}/index.js`, folder);
    return module.exports;
  }
}
