/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

const isObject = (value: Json | undefined): value is { readonly [name: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Applies a JSON merge patch (RFC 7396): members of an object are replaced, `null` removes them, nested objects are
 * merged, and every other value replaces the target.
 *
 * It is idempotent: applying a patch a second time changes nothing. By that, a repeated request is compared with what
 * its first attempt stored.
 * @returns a new value; neither argument is changed
 */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  // A map, because the member `__proto__` of an object literal is no member.
  const merged = new Map<string, Json>(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

/** Compares two JSON values. The order of an object's members doesn't count, that of a list does. */
export function isSameJson(one: Json | undefined, other: Json | undefined): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((value, at) => isSameJson(value, other[at]));
  }
  if (!isObject(one) || !isObject(other)) return one === other;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSameJson(one[name], other[name]))
  );
}

/**
 * Returns the patch with every text replaced by `true`. This is what is hashed of a patch with personal data: which
 * members it sets and which ones it removes, but nothing that a guess could confirm.
 */
export function toShape(patch: Json): Json {
  if (Array.isArray(patch)) return patch.map(toShape);
  if (isObject(patch)) return Object.fromEntries(Object.entries(patch).map(([name, value]) => [name, toShape(value)]));
  return patch === null ? null : true;
}
