import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../../assembly/intrinsics.js';
import { Random } from '../../engine/random.js';
import { runtimeFailure } from './failure.js';

/** An intrinsic function: its name is known, its arguments are evaluated. */
type Intrinsic = (args: readonly Json[], random: Random) => Json;

/** AWS Step Functions Developer Guide, "Intrinsic functions": the longest range. */
const LONGEST_RANGE = 1_000;
const HASHES: Readonly<Record<string, string>> = {
  MD5: 'md5',
  'SHA-1': 'sha1',
  'SHA-256': 'sha256',
  'SHA-384': 'sha384',
  'SHA-512': 'sha512',
};

/** AWS Step Functions Developer Guide, "Intrinsic functions for JSONPath states in Step Functions". */
export const INTRINSICS: Readonly<Record<string, Intrinsic>> = {
  'States.Format': ([template, ...values]) => format(text(template), values),
  'States.StringToJson': ([value]) => parse(text(value)),
  'States.JsonToString': ([value]) => JSON.stringify(value ?? null),
  'States.Array': (values) => [...values],
  'States.ArrayPartition': ([values, size]) => partition(list(values), whole(size)),
  'States.ArrayContains': ([values, wanted]) => list(values).some((one) => isSame(one, wanted)),
  'States.ArrayRange': ([first, last, step]) => range(whole(first), whole(last), whole(step)),
  'States.ArrayGetItem': ([values, at]) => {
    const found = list(values)[whole(at)];
    if (found === undefined) throw invalid('States.ArrayGetItem: there is no such item');
    return found;
  },
  'States.ArrayLength': ([values]) => list(values).length,
  'States.ArrayUnique': ([values]) =>
    list(values).filter((one, at, all) => all.findIndex((other) => isSame(one, other)) === at),
  'States.Base64Encode': ([value]) => Buffer.from(text(value)).toString('base64'),
  'States.Base64Decode': ([value]) => Buffer.from(text(value), 'base64').toString(),
  'States.Hash': ([value, algorithm]) => {
    const known = HASHES[text(algorithm)];
    if (known === undefined) throw invalid(`States.Hash: there is no algorithm ${text(algorithm)}`);
    return createHash(known)
      .update(typeof value === 'string' ? value : JSON.stringify(value))
      .digest('hex');
  },
  'States.JsonMerge': ([one, other, isDeep]) => {
    if (isDeep !== false)
      throw invalid('States.JsonMerge: the third argument must be false, AWS merges shallowly only');
    return { ...object(one), ...object(other) };
  },
  'States.MathRandom': ([from, to, seed], random) => {
    // The end isn't included.
    const most = whole(to) - 1;
    return (seed === undefined ? random : new Random(String(whole(seed)))).between(whole(from), most);
  },
  'States.MathAdd': ([one, other]) => whole(one) + whole(other),
  'States.StringSplit': ([value, separators]) => {
    const any = text(separators).replace(/[\\\]^-]/g, '\\$&');
    return text(value)
      .split(new RegExp(`[${any}]`))
      .filter((part) => part !== '');
  },
  'States.UUID': (_, random) => random.id(),
};

const invalid = runtimeFailure;

function text(value: Json | undefined): string {
  if (typeof value !== 'string')
    throw invalid(`an intrinsic function expected a text, and got ${JSON.stringify(value)}`);
  return value;
}

function list(value: Json | undefined): readonly Json[] {
  if (!Array.isArray(value)) throw invalid(`an intrinsic function expected an array, and got ${JSON.stringify(value)}`);
  return value;
}

function object(value: Json | undefined): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(`an intrinsic function expected an object, and got ${JSON.stringify(value)}`);
  return value as JsonObject;
}

/** "If you specify a non-integer value, Step Functions will round it off to the nearest integer." */
function whole(value: Json | undefined): number {
  if (typeof value !== 'number')
    throw invalid(`an intrinsic function expected a number, and got ${JSON.stringify(value)}`);
  return Math.round(value);
}

function parse(value: string): Json {
  try {
    return JSON.parse(value) as Json;
  } catch (error) {
    throw invalid(`States.StringToJson: ${(error as Error).message}`);
  }
}

function format(template: string, values: readonly Json[]): string {
  let at = 0;
  const formatted = template.replace(/\\([{}'\\])|\{\}/g, (_, escaped: string | undefined) => {
    if (escaped !== undefined) return escaped;
    const value = values[at++];
    if (value === undefined) throw invalid('States.Format: there are fewer values than places');
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
  if (at < values.length) throw invalid('States.Format: there are more values than places');
  return formatted;
}

function partition(values: readonly Json[], size: number): Json {
  if (size < 1) throw invalid('States.ArrayPartition: the size of a part must be positive');
  return Array.from({ length: Math.ceil(values.length / size) }, (_, at) => values.slice(at * size, (at + 1) * size));
}

function range(first: number, last: number, step: number): Json {
  if (step === 0) throw invalid('States.ArrayRange: the step must not be zero');
  const length = Math.max(0, Math.floor((last - first) / step) + 1);
  if (length > LONGEST_RANGE) throw invalid(`States.ArrayRange: more than ${LONGEST_RANGE} items`);
  return Array.from({ length }, (_, at) => first + at * step);
}

/** Compares by value; the order of members doesn't count. */
export function isSame(one: Json | undefined, other: Json | undefined): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [mine, its] = [Object.entries(one), other as JsonObject];
  return (
    mine.length === Object.keys(its).length && mine.every(([name, value]) => isSame(value as Json, its[name] as Json))
  );
}
