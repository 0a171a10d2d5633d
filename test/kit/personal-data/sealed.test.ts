import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { open, SealBroken, Sealed, seal, sealedEventId, Unsealed } from '../../../packages/kit/messages/sealed.js';

const key = randomBytes(32);
const event = '019aa4f2-6c1e-7d53-9f0e-2b8a4c6d8e10';
const place = { aggregate: 'Order#1', event, field: 'deliverTo' };
const address = { name: 'Ada Lovelace', city: 'London' };
const sealed = seal(key, 'ada', address, place);

describe('a sealed value', () => {
  test('opens by its key, for its person, at its place', () => {
    expect(open(key, 'ada', sealed, place)).toEqual(address);
    expect(sealedEventId(sealed)).toBe(event);
    expect(Sealed.safeParse(JSON.parse(JSON.stringify(sealed))).success).toBe(true);
  });

  test('says nothing, and is another text each time', () => {
    const bytes = Buffer.from(sealed.sealed.split('.')[2]!, 'base64url').toString('latin1');
    for (const value of Object.values(address)) expect(sealed.sealed + bytes).not.toContain(value);
    expect(seal(key, 'ada', address, place)).not.toEqual(sealed);
  });

  test.each([
    ['another key', { key: randomBytes(32) }],
    ['another person', { person: 'bob' }],
    ['another aggregate', { aggregate: 'Order#2' }],
    ['another event', { event: '019aa4f2-6c1e-7d53-9f0e-2b8a4c6d8e11' }],
    ['another field', { field: 'billTo' }],
  ])('a sealed value does not open for %s', (_, change) => {
    const other = { key, person: 'ada', ...place, ...change };
    expect(() => open(other.key, other.person, sealed, other)).toThrow(SealBroken);
  });

  test.each([
    ['a byte changed', (text: string) => `${text.slice(0, 60)}${text[60] === 'A' ? 'B' : 'A'}${text.slice(61)}`],
    ['its end cut off', (text: string) => text.slice(0, -8)],
    ['nothing left', () => `1.${event}.`],
  ])('a sealed value does not open with %s', (_, change) =>
    expect(() => open(key, 'ada', { sealed: change(sealed.sealed) }, place)).toThrow(SealBroken),
  );
});

describe('a value to be sealed', () => {
  const unsealed = new Unsealed('ada', key, address);
  test('shows nothing of itself, and is taken by no schema', async () => {
    const { inspect } = await import('node:util');
    for (const text of [JSON.stringify(unsealed), inspect(unsealed, { showHidden: true, depth: 9 }), `${unsealed}`]) {
      expect(text).not.toContain('Ada');
    }
    expect(JSON.stringify({ ...unsealed, ...JSON.parse(JSON.stringify(unsealed)) })).not.toContain('Ada');
    expect(Sealed.safeParse(unsealed).success).toBe(false);
  });
  test('a value is sealed for one place', () =>
    expect(open(key, 'ada', unsealed.sealAt(place), place)).toEqual(address));
});
