import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import {
  buildCommand,
  type EventSchema,
  earlierShape,
  encodeEvent,
  listTypesOffBus,
  readEvent,
  toCommandContract,
} from '../../../packages/kit/messages/contract.js';

const One = z.object({ name: z.string() });
const Two = z.object({ first: z.string(), last: z.string() });
const Three = z.object({ first: z.string(), last: z.string(), title: z.string() });

/** A name in three versions; which of them is written is the release's matter. */
const contractOf = (more: Partial<EventSchema> = {}) => ({
  service: 'people',
  events: {
    Named: {
      version: 3,
      data: Three,
      earlier: {
        1: earlierShape(
          One,
          ({ name }) => ({ first: name.split(' ')[0], last: name.split(' ')[1] }),
          ({ first, last }: z.infer<typeof Two>) => ({ name: `${first} ${last}` }),
        ),
        2: earlierShape(
          Two,
          (data) => ({ ...data, title: '' }),
          ({ title: _, ...data }: z.infer<typeof Three>) => data,
        ),
      },
      ...more,
    },
  },
});
const newest = { first: 'Ada', last: 'Lovelace', title: '' };

describe('reading an event', () => {
  test.each([
    [1, { name: 'Ada Lovelace' }],
    [2, { first: 'Ada', last: 'Lovelace' }],
    [3, newest],
  ])('an event of version %i is brought into the newest, one step after the other', (version, data) =>
    expect(readEvent(contractOf(), 'Named', version, data)).toEqual({ type: 'Named', data: newest }),
  );
  test.each([
    ['the data of a newer one', 1, newest],
    ['the data of an older one', 3, { name: 'Ada Lovelace' }],
    ['what its step makes no newer one of', 1, { name: 'Ada' }],
  ])('refuses %s: it is never guessed', (_, version, data) =>
    expect(() => readEvent(contractOf(), 'Named', version, data)).toThrow(
      expect.objectContaining({ code: 'INVALID_DATA' }),
    ),
  );
  test('an event of a version that was never kept is refused', () =>
    expect(() => readEvent(contractOf({ earlier: {} }), 'Named', 2, newest)).toThrow(
      expect.objectContaining({ code: 'INVALID_DATA' }),
    ));
});

describe('writing an event', () => {
  test.each([
    [undefined, 3, newest],
    [3, 3, newest],
    [2, 2, { first: 'Ada', last: 'Lovelace' }],
    [1, 1, { name: 'Ada Lovelace' }],
  ])('an event with writes = %s is of version %i', (writes, schemaVersion, data) => {
    const contract = contractOf(writes === undefined ? {} : { writes });
    const written = encodeEvent(contract, { type: 'Named', data: newest });
    expect(written).toEqual({ schemaVersion, data });
    expect(readEvent(contract, 'Named', schemaVersion, data)).toEqual({ type: 'Named', data: newest });
  });
  test('an event is checked against the newest version, whichever is written', () => {
    for (const writes of [1, 2, 3]) {
      expect(() => encodeEvent(contractOf({ writes }), { type: 'Named', data: { name: 'Ada Lovelace' } })).toThrow(
        expect.objectContaining({ code: 'INVALID_DATA' }),
      );
    }
  });
  test('refuses what no step brings into the version that is to be written', () => {
    const contract = contractOf({ writes: 2, earlier: { 2: earlierShape(Two, (data) => data) } });
    expect(() => encodeEvent(contract, { type: 'Named', data: newest })).toThrow(
      expect.objectContaining({ code: 'INVALID_DATA' }),
    );
  });
});

describe('a type that is only read in this release', () => {
  const contract = { service: 'people', events: { Named: { ...contractOf().events.Named, writes: 0 } } };
  test('a read-only type is read', () =>
    expect(readEvent(contract, 'Named', 3, newest)).toEqual({ type: 'Named', data: newest }));
  test('a read-only type is not written', () =>
    expect(() => encodeEvent(contract, { type: 'Named', data: newest })).toThrow(
      'UNKNOWN_TYPE: Named is only read in this release',
    ));
});

describe('commands of a contract', () => {
  const taking = { service: 'people', events: {}, commands: contractOf().events };
  test('commands are written and read, also in older versions, as events are', () => {
    expect(encodeEvent(toCommandContract(taking), { type: 'Named', data: newest })).toMatchObject({ schemaVersion: 3 });
    expect(readEvent(toCommandContract(taking), 'Named', 1, { name: 'Ada Lovelace' })).toEqual({
      type: 'Named',
      data: newest,
    });
  });
  test('commands are not events of their contract, and its events are not commands', () => {
    const unknown = expect.objectContaining({ code: 'NEWER_TYPE' });
    expect(() => readEvent(taking, 'Named', 3, newest)).toThrow(unknown);
    expect(() => readEvent(toCommandContract(contractOf()), 'Named', 3, newest)).toThrow(unknown);
  });
});

describe('types that stay inside of their service', () => {
  const inside = { service: 'desk', events: { Counted: { version: 1, data: z.object({}), onBus: false } } };
  const told = { service: 'desk', events: { Told: { version: 1, data: z.object({}) } } };

  test('types are listed of all contracts of the service', () => {
    expect(listTypesOffBus([inside, told])).toEqual(['Counted']);
  });

  test('a type that only one of two contracts keeps inside is refused', () => {
    const both = { ...told, events: { ...told.events, Counted: { version: 1, data: z.object({}) } } };
    expect(() => listTypesOffBus([inside, both])).toThrow(/^Counted is on the bus by one contract of the service/);
  });
});

test('a command is checked against the contract of its receiver when it is compiled', () => {
  const contract = {
    service: 'hotels',
    events: {},
    commands: {
      BookHotel: { version: 1, data: z.object({ nights: z.int() }) },
      BookRooms: { version: 1, data: z.object({ rooms: z.array(z.object({ beds: z.int() })) }) },
      CancelHotel: { version: 1, data: z.object({ reason: z.string() }) },
    },
  } as const;
  expect(buildCommand(contract, 'BookHotel', { nights: 3 })).toEqual({
    to: contract,
    command: { type: 'BookHotel', data: { nights: 3 } },
  });
  // Data that domain code can't change.
  const rooms: readonly { readonly beds: number }[] = [{ beds: 2 }];
  expect(buildCommand(contract, 'BookRooms', { rooms }).command.data).toEqual({ rooms });
  // @ts-expect-error the contract has no such command
  buildCommand(contract, 'BookHotell', { nights: 3 });
  // @ts-expect-error data of the other command
  buildCommand(contract, 'BookHotel', { reason: 'ill' });
});
