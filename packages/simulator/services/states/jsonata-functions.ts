import type { Expression } from 'jsonata';
import type { Json } from '../../assembly/intrinsics.js';
import { Random } from '../../engine/random.js';
import { INTRINSICS } from './intrinsics.js';
import type { Scope } from './scope.js';

/** A function of the library's own, as an expression returns it. */
export interface BuiltIn {
  readonly implementation: (this: unknown, ...args: readonly unknown[]) => unknown;
}

/** Numbers that aren't decimal, which JSONata 2.0.6 reads. */
const NOT_DECIMAL = /^0([xX][0-9A-Fa-f]+|[oO][0-7]+|[bB][01]+)$/;
/** Of a picture, `am` and `pm` in capitals, which JSONata 2.0.6 writes; `[[` is a bracket. */
const CAPITALS = /\[\[|\[\s*P\s*N\s*(?:,[^\]]*)?\]/g;
/** A time without its zone is of UTC, whatever the zone of this computer is. */
const WITHOUT_ZONE = /T[\d:.]+$/;

/**
 * Defines the functions that Step Functions adds to JSONata, those that must not ask the host, since time and chance are the world's, and
 * those in which the library differs from the version that AWS has (decision 0334). AWS Step Functions Developer Guide, "Transforming data
 * with JSONata in Step Functions", "JSONata functions provided by Step Functions".
 * @param builtIn returns a function of the library @param scope returns what the present evaluation sees
 */
export function defineFunctions(
  expression: Expression,
  builtIn: (name: string) => BuiltIn['implementation'],
  scope: () => Scope,
): void {
  const define = expression.registerFunction.bind(expression);
  /** Calls the intrinsic function of JSONPath that does the same; without its arguments there is no value. */
  const call = (name: string, args: readonly (Json | undefined)[]): Json | undefined =>
    args.some((arg) => arg === undefined) ? undefined : INTRINSICS[name]?.(args as readonly Json[], scope().random);
  const format = (time?: number, picture?: string, zone?: string): unknown => {
    const write = (form?: string): unknown => builtIn('fromMillis')(time, form, zone);
    return write(picture?.replace(CAPITALS, (found) => (found === '[[' ? found : String(write('[P]')).toUpperCase())));
  };

  define('partition', (list?: Json, size?: number) => call('States.ArrayPartition', [list, floor(size)]), '<an:a>');
  define('range', (...bounds: number[]) => toSequence(call('States.ArrayRange', bounds.map(floor))), '<nnn:x>');
  define('hash', (value?: Json, algorithm?: string) => call('States.Hash', [value, algorithm]), '<xs:s>');
  define('parse', (text?: string) => call('States.StringToJson', [text]), '<s:x>');
  define('uuid', () => scope().random.id(), '<:s>');
  define(
    'random',
    (seed?: number) => (seed === undefined ? scope().random : new Random(String(floor(seed)))).fraction(),
    '<n?:n>',
  );
  // Step Functions has no $eval: a call of it is one of a function that doesn't exist.
  expression.assign('eval', undefined);

  define('shuffle', (list?: readonly Json[]) => list && scope().random.shuffle(list), '<a:a>');
  define('millis', () => scope().now, '<:n>');
  define('now', (picture?: string, zone?: string) => format(scope().now, picture, zone), '<s?s?:s>');
  define('fromMillis', format, '<n-s?s?:s>');
  define(
    'toMillis',
    (text?: string, picture?: string) => {
      const given = picture === undefined && text !== undefined && WITHOUT_ZONE.test(text) ? `${text}Z` : text;
      // Parts of a date that a picture leaves out are today's.
      return builtIn('toMillis').call({ environment: { timestamp: new Date(scope().now) } }, given, picture);
    },
    '<s-s?:n>',
  );
  define(
    'number',
    (value?: Json) => (typeof value === 'string' && NOT_DECIMAL.test(value) ? Number(value) : builtIn('number')(value)),
    '<(nsb)-:n>',
  );
}

/** "Built-in JSONata functions that require integer values as parameters will automatically round down any non-integer numbers provided." */
const floor = (value: number | undefined): number | undefined => (value === undefined ? undefined : Math.floor(value));

/** A sequence of JSONata: one value stands for itself, none is nothing. */
function toSequence(list: Json | undefined): Json | undefined {
  if (!Array.isArray(list) || list.length > 1) return list;
  return list[0] as Json | undefined;
}
