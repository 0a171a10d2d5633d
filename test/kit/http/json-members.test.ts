import { expect, test } from 'vitest';
import { findRepeatedMember } from '../../../packages/kit/http/json-members.js';

test.each<[string, readonly PropertyKey[] | undefined]>([
  ['{}', undefined],
  ['[]', undefined],
  ['null', undefined],
  ['"{\\"a\\":1,\\"a\\":1}"', undefined],
  ['{"a":1,"b":2}', undefined],
  ['{"a":"a","b":["a","a"],"c":"a"}', undefined],
  ['[{"a":1},{"a":1}]', undefined],
  ['{"a":{"a":{"a":1}}}', undefined],
  ['{"a":"\\\\","b":"\\"","c":"{"}', undefined],
  ['{"":1,"" : 2}', ['']],
  ['{"a":1,"a":1}', ['a']],
  ['{"a":{"x":[]},"a":1}', ['a']],
  ['{"a":1,"\\u0061":1}', ['a']],
  ['{"__proto__":1,"__proto__":1}', ['__proto__']],
  ['{"a":[0,[1,{"b":1,"c":{"d":1},"b":2}]]}', ['a', 1, 1, 'b']],
  ['[{"a":1},{"a":1,"b":"}","a":1}]', [1, 'a']],
  ['{"a":"one, two: \\"a\\"","b":1,\n"b"\t:2}', ['b']],
])('%s: %j', (json, path) => {
  JSON.parse(json);
  expect(findRepeatedMember(json)).toEqual(path);
});

test('handles the deepest and the widest possible body', () => {
  expect(findRepeatedMember('['.repeat(60_000) + ']'.repeat(60_000))).toBeUndefined();
  const many = Array.from({ length: 12_000 }, (_, at) => `"k${at}":0`);
  expect(findRepeatedMember(`{${many.join()}}`)).toBeUndefined();
  expect(findRepeatedMember(`{${many.join()},"k0":1}`)).toEqual(['k0']);
  expect(findRepeatedMember(`{"${'\\"'.repeat(60_000)}":1}`)).toBeUndefined();
});
