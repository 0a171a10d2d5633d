import type { Json, JsonObject } from '../assembly/intrinsics.js';
import { NotModelled } from './operation.js';

type Step =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'index'; readonly at: number }
  | { readonly kind: 'slice'; readonly from: number | undefined; readonly to: number | undefined }
  | { readonly kind: 'all' }
  | { readonly kind: 'anywhere' };

/** A path into JSON. Amazon States Language, "Paths": `$` is the state's input, `$$` the context object. */
export interface Path {
  readonly text: string;
  readonly isOfContext: boolean;
  readonly steps: readonly Step[];
  /** Whether it names one place. Any other path selects a list of values. */
  readonly isDefinite: boolean;
}

/** Each form of a step, as far as it is modelled: filters, unions and functions of JSONPath are not. */
const FORMS: readonly (readonly [form: RegExp, read: (found: RegExpExecArray) => Step])[] = [
  [/\.\.(?=[^.])/y, () => ({ kind: 'anywhere' })],
  [/\.?\*|\[\s*\*\s*\]/y, () => ({ kind: 'all' })],
  [/\.?([^\s.[\]()'"*$,]+)(?![^\s.[\])'"*$,])/y, ([, name = '']) => ({ kind: 'name', name })],
  [/\[\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*\]/y, ([, single, double = '']) => quoted(single ?? double)],
  [/\.?\[\s*(-?\d+)\s*\]/y, ([, at]) => ({ kind: 'index', at: Number(at) })],
  [/\[\s*(-?\d*)\s*:\s*(-?\d*)\s*\]/y, ([, from, to]) => ({ kind: 'slice', from: bound(from), to: bound(to) })],
];

const quoted = (text: string): Step => ({ kind: 'name', name: text.replace(/\\(.)/g, '$1') });
const bound = (text = ''): number | undefined => (text === '' ? undefined : Number(text));

/** Reads a path. @throws {NotModelled} if it has more than the model knows */
export function parsePath(text: string): Path {
  const [root = ''] = /^\${1,2}/.exec(text) ?? [];
  if (root === '') throw new NotModelled(`the path '${text}' doesn't begin with $`);
  const steps: Step[] = [];
  let at = root.length;
  while (at < text.length) {
    const step = readStep(text, at, steps.at(-1)?.kind === 'anywhere');
    steps.push(step.step);
    at = step.end;
  }
  const isDefinite = steps.every(({ kind }) => kind === 'name' || kind === 'index');
  return { text, isOfContext: root === '$$', steps, isDefinite };
}

function readStep(text: string, at: number, isBelowAnywhere: boolean): { readonly step: Step; readonly end: number } {
  for (const [form, read] of FORMS) {
    form.lastIndex = at;
    const found = form.exec(text);
    // A name without a dot follows `..` only.
    if (found && (isBelowAnywhere || /^[.[]/.test(found[0]))) return { step: read(found), end: form.lastIndex };
  }
  throw new NotModelled(`the path '${text}' isn't modelled from '${text.slice(at)}' on`);
}

/**
 * Returns what a path selects: one value, or for an indefinite path the list of all.
 * @returns `undefined` if nothing is at a definite path
 */
export function readAt({ steps, isDefinite }: Path, root: Json): Json | undefined {
  const found = steps.reduce<readonly Json[]>((values, step) => values.flatMap((value) => take(step, value)), [root]);
  return isDefinite ? found[0] : [...found];
}

function take(step: Step, value: Json): readonly Json[] {
  const list = Array.isArray(value) ? (value as readonly Json[]) : undefined;
  switch (step.kind) {
    case 'name': {
      const members = asObject(value);
      return members && Object.hasOwn(members, step.name) ? [members[step.name] as Json] : [];
    }
    case 'index': {
      const found = list?.at(step.at);
      return found === undefined ? [] : [found];
    }
    case 'slice':
      return list?.slice(step.from, step.to) ?? [];
    case 'all':
      return list ?? Object.values(asObject(value) ?? {});
    case 'anywhere':
      return [value, ...(list ?? Object.values(asObject(value) ?? {})).flatMap((below) => take(step, below))];
  }
}

const asObject = (value: Json): JsonObject | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;

/**
 * Returns a copy of a value with another one at a path; objects on the way are created. Amazon States Language, "Reference Paths".
 * @returns `undefined` if the path can't be applied
 */
export function writeAt(steps: readonly Step[], root: Json | undefined, value: Json): Json | undefined {
  const [step, ...rest] = steps;
  if (!step) return value;
  if (step.kind === 'name') {
    const members = root === undefined ? {} : asObject(root);
    const below = members && writeAt(rest, members[step.name], value);
    return below === undefined ? undefined : { ...members, [step.name]: below };
  }
  if (step.kind !== 'index' || !Array.isArray(root) || step.at < 0 || step.at >= root.length) return undefined;
  const below = writeAt(rest, root[step.at] as Json, value);
  return below === undefined ? undefined : (root as Json[]).with(step.at, below);
}
