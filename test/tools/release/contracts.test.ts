import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { type EventSchema, earlierShape, type ServiceContract } from '../../../packages/kit/messages/contract.js';
import { buildContractRecord, faultsBetween } from '../../../tools/release/contract-record.js';
import { contracts, NEW_CONTRACTS } from '../../../tools/release/contracts.js';
import { areOfPreviousRelease, keptContracts } from '../../../tools/release/kept-contracts.js';

const present = await contracts();

const kept = keptContracts();

test('the kept contracts are those of the previous release', () => {
  expect(areOfPreviousRelease(kept.values()), 'tools/release/previous.json names another: npm run docs').toBe(true);
  expect(areOfPreviousRelease([{ release: '0.0.1' }])).toBe(false);
});

describe('the contracts and those of the previous release', () => {
  test('the contracts are the same, except for those declared as new', () => {
    expect([...present.keys()].toSorted()).toEqual([...kept.keys(), ...NEW_CONTRACTS].toSorted());
  });

  test.each([...present].filter(([name]) => !NEW_CONTRACTS.includes(name)))(
    '%s: each reads what the other writes',
    (name, contract) => {
      expect(faultsBetween(kept.get(name)!, buildContractRecord(contract, 'present'))).toEqual([]);
    },
  );

  test.each([...present.values()].flatMap(({ events, commands = {} }) => Object.entries({ ...events, ...commands })))(
    '%s: has every version before its newest, and steps back to the one that it writes',
    (_, { version, earlier = {}, writes = version }) => {
      const before = Array.from({ length: version - 1 }, (_, at) => at + 1);
      expect(Object.keys(earlier).map(Number)).toEqual(before);
      // A type that is only read steps back to nothing.
      for (const number of before.filter((number) => writes > 0 && number >= writes))
        expect(earlier[number]!.downcast).toBeDefined();
    },
  );
});

describe('a contract', () => {
  const shape = z.object({ id: z.string(), size: z.enum(['S', 'L']), parts: z.array(z.object({ n: z.int() })) });
  const contractOf = (thing: Partial<EventSchema> | undefined): ServiceContract => ({
    service: 'things',
    events: thing ? { Made: { version: 1, data: shape, ...thing } } : {},
  });
  const faults = (thing: Partial<EventSchema> | undefined, before: Partial<EventSchema> = {}) =>
    faultsBetween(buildContractRecord(contractOf(before), '1'), buildContractRecord(contractOf(thing), '2'));
  const two = { version: 2, data: z.object({ name: z.string() }), earlier: { 1: earlierShape(shape, () => ({})) } };

  test('an unchanged contract is accepted', () => expect(faults({})).toEqual([]));
  test('a contract with a new optional field is accepted', () =>
    expect(faults({ data: z.extend(shape, { note: z.exactOptional(z.string()) }) })).toEqual([]));
  test('a contract with a new version that is not written yet is accepted', () =>
    expect(faults({ ...two, writes: 1 })).toEqual([]));
  test('a contract with a type that is only read in this release is accepted, also when the next writes it', () => {
    const reading = { ...contractOf({}), events: { Made: { version: 1, data: shape, writes: 0 } } };
    expect(faultsBetween(buildContractRecord(contractOf(undefined), '1'), buildContractRecord(reading, '2'))).toEqual(
      [],
    );
    expect(faultsBetween(buildContractRecord(reading, '2'), buildContractRecord(contractOf({}), '3'))).toEqual([]);
  });
  test('a contract that writes a version that the previous release can read is accepted', () =>
    expect(faults(two, { ...two, writes: 1 })).toEqual([]));

  test.each([
    ['a new required field', { data: z.extend(shape, { note: z.string() }) }, 'Made 1: /required'],
    ['a missing field', { data: z.omit(shape, { size: true }) }, 'Made 1: /size'],
    ['another type of field', { data: z.extend(shape, { id: z.int() }) }, 'Made 1: /id/type'],
    ['a new enum value', { data: z.extend(shape, { size: z.enum(['S', 'M', 'L']) }) }, 'Made 1: /size/enum'],
    ['another limit', { data: z.extend(shape, { id: z.string().check(z.maxLength(9)) }) }, 'Made 1: /id/maxLength'],
    [
      'a changed field of a nested object',
      { data: z.extend(shape, { parts: z.array(z.object({ n: z.string() })) }) },
      'Made 1: /parts/items/n/type',
    ],
    [
      "a version that the previous release can't read",
      two,
      'Made 2: is written, but the previous release reads up to 1',
    ],
    ['a removed old version', { ...two, earlier: {}, writes: 1 }, 'Made 1: is not read any more'],
    ['a removed type', undefined, 'Made: is gone'],
  ])('a contract with %s is refused', (_, thing, fault) => expect(faults(thing)[0]).toContain(fault));

  test('a list of codes that becomes their form is accepted; a form that one of them lacks is not', () => {
    const coded = (currency: z.ZodMiniType) => ({ data: z.object({ currency }) });
    const listed = coded(z.currencyCode());
    const formed = (form: RegExp) => coded(z.string().check(z.regex(form)));
    expect(faults(formed(/^[A-Z]{3}$/), listed)).toEqual([]);
    expect(faults(formed(/^[A-W]{3}$/), listed)).not.toEqual([]);
    expect(faults(listed, formed(/^[A-Z]{3}$/))).not.toEqual([]);
  });

  test('a contract that accepts no unknown fields may not add one', () => {
    const strict = z.strictObject({ id: z.string() });
    const more = z.strictObject({ id: z.string(), note: z.exactOptional(z.string()) });
    expect(faults({ data: more }, { data: strict })).toEqual(['Made 1: /note changed without a new version']);
  });
});
