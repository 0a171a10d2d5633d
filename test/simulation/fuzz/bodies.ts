import fc from 'fast-check';
import { bodiesOf } from './samples.js';
import { numberText, text } from './texts.js';

/** Body sizes: API Gateway accepts at most 10 MB, the handlers at most 64 KB. */
const LIMIT = 64 * 1024;

type Members = Readonly<Record<string, unknown>>;

/** Number with its spelling in the body, which `JSON.stringify` would change. */
const RAW = '\u0007raw:';

/** Any JSON value. `JSON.stringify` writes it with {@link written}. */
const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 3, arbitrary: numberText.map((number) => RAW + number) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null]) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom(10, 500).map((depth) => nested(depth)) },
);

const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });

const NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'status',
  'customerId',
  'orderId',
  'paymentId',
  'total',
  'role',
  '',
];
const name = fc.oneof(fc.constantFrom(...NAMES), text);

/** One change of a body. `at` selects its place among all places of the body. */
interface Change {
  readonly at: number;
  readonly how: 'replace' | 'remove' | 'add' | 'wrap' | 'repeat';
  readonly name: string;
  readonly value: unknown;
}
const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(40),
  how: fc.constantFrom<Change['how']>('replace', 'replace', 'remove', 'add', 'wrap', 'repeat'),
  name,
  value,
});

/** Generates bodies of a route as text: valid, with changed values, or malformed. */
export function bodyOf(route: string): fc.Arbitrary<string | undefined> {
  const samples = bodiesOf(route);
  const valid = samples.length > 0 ? fc.constantFrom(...samples) : fc.constant({});
  const changed = fc
    .tuple(valid, fc.array(change, { minLength: 1, maxLength: 3 }))
    .map(([body, changes]) => changes.reduce<unknown>(changedBy, body));
  return fc.oneof(
    { withCrossShrink: true },
    { weight: samples.length > 0 ? 5 : 1, arbitrary: valid.map(written) },
    { weight: 8, arbitrary: changed.map(written) },
    { weight: 2, arbitrary: fc.tuple(valid.map(written), fc.nat(400)).map(([body, end]) => body.slice(0, end)) },
    {
      weight: 3,
      arbitrary: fc.tuple(valid.map(written), fc.constantFrom(...BREAKS)).map(([body, broken]) => broken(body)),
    },
    { weight: 1, arbitrary: value.map(written) },
    { weight: 1, arbitrary: text },
    { weight: samples.length > 0 ? 1 : 6, arbitrary: fc.constant(undefined) },
  );
}

/** Adds members before the members of an object. */
const withMembers = (body: string, members: string): string => `{${members}${body === '{}' ? '' : ','}${body.slice(1)}`;
const filledTo = (body: string, bytes: number): string =>
  body + ' '.repeat(Math.max(0, bytes - Buffer.byteLength(body)));
const many = (count: number, member: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => member(at)).join(',');

const BREAKS: readonly ((body: string) => string)[] = [
  (body) => `\ufeff${body}`,
  (body) => `${body}${body}`,
  (body) => `${body},`,
  (body) => withMembers(body, '"__proto__":{"polluted":true}'),
  (body) => withMembers(body, '"constructor":{"prototype":{"polluted":true}}'),
  (body) => withMembers(body, '"a":1,"\\u0061":2'),
  (body) => withMembers(body, '"lines":[],"amount":{"amount":1,"currency":"EUR"},"onHand":1'),
  (body) =>
    withMembers(
      body,
      many(12_000, (at) => `"k${at}":1`),
    ),
  (body) =>
    withMembers(
      body,
      many(21, (at) => `"k${at}":1`),
    ),
  (body) => withMembers(body, `"${'k'.repeat(100_000)}":1`),
  (body) => filledTo(body, LIMIT),
  (body) => filledTo(body, LIMIT + 1),
  (body) => filledTo(body, 2 * LIMIT),
  () => '['.repeat(60_000) + ']'.repeat(60_000),
  () => '{"a":'.repeat(20_000),
  () => `[${many(20_000, () => '1')}]`,
  () => '',
  () => ' ',
  () => 'null',
  () => '"lines"',
  (body) => body.replace(/"/g, "'"),
  (body) => Buffer.from(body).toString('base64'),
];

/** Returns a value as text, with the original spelling of its numbers. */
const written = (body: unknown): string =>
  (JSON.stringify(body) ?? '').replace(/"\\u0007raw:([^"]*)"/g, (_, number: string) => number);

/** Changes a copy of a value. It copies members as entries, so that `__proto__` is an ordinary member. */
function changedBy(body: unknown, { at, how, name, value }: Change): unknown {
  let left = at % count(body);
  const visit = (node: unknown): unknown => {
    if (left-- === 0) return changedHere(node);
    if (Array.isArray(node)) return node.map(visit).filter((one) => one !== REMOVED);
    if (!isMembers(node)) return node;
    const entries = Object.entries(node).map(([key, one]) => [key, visit(one)] as const);
    return Object.fromEntries(entries.filter(([, one]) => one !== REMOVED));
  };
  const changedHere = (node: unknown): unknown => {
    if (how === 'remove') return REMOVED;
    if (how === 'wrap') return [node];
    if (how === 'repeat') return Array.isArray(node) ? Array.from({ length: 60 }, () => node[0]) : value;
    if (how === 'replace' || !isMembers(node)) return value;
    return Object.fromEntries([...Object.entries(node), [name, value]]);
  };
  const changed = visit(body);
  return changed === REMOVED ? null : changed;
}

const REMOVED = Symbol('removed');
const isMembers = (node: unknown): node is Members => typeof node === 'object' && node !== null && !Array.isArray(node);
/** Counts the places of a value, including the value itself. */
const count = (node: unknown): number =>
  typeof node === 'object' && node !== null ? Object.values(node).reduce((sum: number, one) => sum + count(one), 1) : 1;
