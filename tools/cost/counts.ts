/** Measures that are counted of each function. The units are AWS's own: those that have a price, and those that explain that price. */
export const MEASURES = [
  'requests',
  'invocations',
  'calls',
  'plainWrites',
  'transactionalWrites',
  'indexWrites',
  'reads',
  'refusedWrites',
  'busEntries',
  'busBytes',
  'messages',
  'queueRequests',
  'fairRequests',
  'kmsCalls',
  's3Writes',
  's3Reads',
  'providerCalls',
  'logLines',
  'logBytes',
  'systemLogBytes',
] as const;
export type Measure = (typeof MEASURES)[number];

/** Amounts that somebody used. A measure that is absent is 0. */
export type Counts = Readonly<Partial<Record<Measure, number>>>;

/** Amounts that each function used, by the path of its construct. */
export type CountsByFunction = Readonly<Record<string, Counts>>;

/** Amounts that a case used, for each of its orders, requests or messages. */
export interface CountedCase {
  /** How many of them were played. */
  readonly played: number;
  readonly functions: CountsByFunction;
  /** Entries on the bus, by the function that put them and their type: `Orders/Outbox/Relay OrderPlaced`. */
  readonly events: Readonly<Record<string, number>>;
}

/** Returns a number with three digits: a mean of ten or four that begins with halves has no more. */
export const rounded = (value: number): number => Math.round(value * 1000) / 1000;

/** Adds counts up. */
export function add(...all: readonly Counts[]): Counts {
  return fromMeasures((measure) => all.reduce((sum, one) => sum + (one[measure] ?? 0), 0));
}

/** Takes counts away from others. */
export const subtract = (from: Counts, what: Counts): Counts =>
  fromMeasures((measure) => (from[measure] ?? 0) - (what[measure] ?? 0));

/** Multiplies each measure. */
export const times = (counts: Counts, factor: number): Counts =>
  fromMeasures((measure) => (counts[measure] ?? 0) * factor);

/** Multiplies each measure of each function, and leaves out the functions of which nothing is left. */
export const timesEach = (functions: CountsByFunction, factor: number): CountsByFunction =>
  sorted(Object.entries(functions).map(([fn, counts]) => [fn, times(counts, factor)]));

/** Takes what each function used away from what it used elsewhere. */
export const subtractEach = (from: CountsByFunction, what: CountsByFunction): CountsByFunction =>
  sorted(
    [...new Set([...Object.keys(from), ...Object.keys(what)])].map((fn) => [
      fn,
      subtract(from[fn] ?? {}, what[fn] ?? {}),
    ]),
  );

/** Adds up what all functions used. */
export const total = (functions: CountsByFunction): Counts => add(...Object.values(functions));

function fromMeasures(value: (measure: Measure) => number): Counts {
  return Object.fromEntries(
    MEASURES.flatMap((measure) => {
      const counted = rounded(value(measure));
      return counted === 0 ? [] : [[measure, counted]];
    }),
  );
}

const sorted = (entries: readonly (readonly [string, Counts])[]): CountsByFunction =>
  Object.fromEntries(
    entries.filter(([, counts]) => Object.keys(counts).length > 0).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
