import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSameJson, type Json, mergePatch, toShape } from '../../../../lambdas/users/domain/merge-patch.js';

/** The test cases of RFC 7396, appendix A: the original, the patch and the result. */
const RFC_7396: readonly (readonly [Json, Json, Json])[] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

// Few names, so that patches meet what is there.
const name = fc.constantFrom('a', 'b', '__proto__', 'constructor');
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<Json>(null, true, 0, '', 'text'),
    fc.array(tie('json'), { maxLength: 2 }),
    fc.array(fc.tuple(name, tie('json')), { maxLength: 3 }).map((entries) => Object.fromEntries(entries) as Json),
  ),
}));
/** Returns the member of an object; `undefined` if it has none of this name of its own. */
const own = (value: Json, key: string): Json | undefined =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, Json>)[key]
    : undefined;
/** The same inputs in each run. */
const RUN = { seed: 7396 };
const isObject = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

describe('a merge patch', () => {
  test.each(RFC_7396)('a patch of %j by %j is %j (RFC 7396, appendix A)', (target, patch, result) => {
    expect(mergePatch(target, patch)).toEqual(result);
  });

  test('changes nothing the second time', () =>
    fc.assert(
      fc.property(json, json, (target, patch) => {
        const once = mergePatch(target, patch);
        expect(mergePatch(once, patch)).toEqual(once);
      }),
      RUN,
    ));

  test('sets, removes and keeps each member on its own', () =>
    fc.assert(
      fc.property(json, json, (target, patch) => {
        const after = mergePatch(target, patch);
        if (!isObject(patch)) {
          expect(after).toEqual(patch);
          return;
        }
        for (const key of ['a', 'b', '__proto__', 'constructor']) {
          const [before, change] = [isObject(target) ? own(target, key) : undefined, own(patch, key)];
          const wanted = change === undefined ? before : change === null ? undefined : mergePatch(before, change);
          expect(own(after, key)).toEqual(wanted);
        }
        // The prototype of an object is never patched.
        expect(Object.getPrototypeOf(after)).toBe(Object.prototype);
      }),
      RUN,
    ));

  test('changes neither the target nor the patch', () =>
    fc.assert(
      fc.property(json, json, (target, patch) => {
        const before = JSON.stringify([target, patch]);
        mergePatch(target, patch);
        expect(JSON.stringify([target, patch])).toBe(before);
      }),
      RUN,
    ));
});

test('two values are the same if their members are, in any order', () =>
  fc.assert(
    fc.property(json, json, (one, other) => {
      const reversed = isObject(one) ? (Object.fromEntries(Object.entries(one).reverse()) as Json) : one;
      expect(isSameJson(one, reversed)).toBe(true);
      const sorted = (_: string, value: Json): Json =>
        isObject(value) ? (Object.fromEntries(Object.entries(value).sort()) as Json) : value;
      expect(isSameJson(one, other)).toBe(JSON.stringify(one, sorted) === JSON.stringify(other, sorted));
    }),
    RUN,
  ));

test('the shape of a patch has its members and no text', () => {
  expect(toShape({ name: 'Ada', email: null, address: { city: 'London', name: null } })).toEqual({
    name: true,
    email: null,
    address: { city: true, name: null },
  });
  fc.assert(
    fc.property(json, (patch) => {
      expect(JSON.stringify(toShape(patch))).not.toMatch(/text|0/);
      expect(mergePatch(toShape(patch), toShape(patch))).toEqual(mergePatch(undefined, toShape(patch)));
    }),
    RUN,
  );
});
