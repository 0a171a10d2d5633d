import { describe, expect, test } from 'vitest';
import { safeParse } from 'zod/mini';
import { PlaceOrder } from '../../../lambdas/orders/contract.js';

const line = { sku: 'TEA-1', quantity: 1, unitPrice: { amount: 1, currency: 'EUR' } };
const placing = (...lines: object[]) => ({ lines: lines.map((fields) => ({ ...line, ...fields })) });
const address = {
  name: 'Ada Lovelace',
  street: '12 St James’s Square',
  city: 'London',
  postalCode: 'SW1Y',
  country: 'GB',
};
const to = (change: object) => ({ ...placing({}), deliverTo: { ...address, ...change } });
const faults = (body: unknown) => {
  const result = safeParse(PlaceOrder, body);
  return result.success ? [] : result.error.issues.map(({ path }) => `/${path.join('/')}`);
};

describe('the body of POST /orders', () => {
  test.each([
    ['one line', placing({})],
    ['50 lines', placing(...Array.from({ length: 50 }, (_, at) => ({ sku: `S-${at}` })))],
    [
      'the largest amounts',
      placing({ sku: 'a'.repeat(64), quantity: 9007, unitPrice: { amount: 1e12, currency: 'JPY' } }),
    ],
    [
      'many pieces of a free article: new orders are refused later',
      placing({ quantity: 11, unitPrice: { amount: 0, currency: 'EUR' } }),
    ],
    ['an empty reference', { ...placing({}), clientReference: '' }],
    ['letters of any script', { ...placing({}), clientReference: 'Tee für 茶 👩‍👩‍👧' }],
    ['a reference', { ...placing({}), clientReference: 'r'.repeat(64) }],
    ['an address', to({})],
    [
      'the longest address',
      to({ name: 'n'.repeat(100), street: 's'.repeat(200), city: 'c'.repeat(100), postalCode: 'p'.repeat(20) }),
    ],
    ['an address where there are no postal codes', to({ postalCode: '', country: 'HK' })],
    ['codes on no list: new orders are refused later', to({ country: 'XX' })],
  ])('takes %s', (_, body) => expect(faults(body)).toEqual([]));

  test.each([
    ['nothing', undefined, ['/']],
    ['a list', [], ['/']],
    ['no lines', { lines: [] }, ['/lines']],
    ['51 lines', placing(...Array.from({ length: 51 }, (_, at) => ({ sku: `S-${at}` }))), ['/lines']],
    ['a SKU twice', placing({}, {}), ['/lines/1/sku']],
    [
      'two currencies',
      placing({}, { sku: 'B', unitPrice: { amount: 1, currency: 'USD' } }),
      ['/lines/1/unitPrice/currency'],
    ],
    ['a SKU of 65', placing({ sku: 'a'.repeat(65) }), ['/lines/0/sku']],
    ['a SKU with a slash', placing({ sku: 'a/b' }), ['/lines/0/sku']],
    ['a quantity of 0', placing({ quantity: 0 }), ['/lines/0/quantity']],
    ['a quantity of 10,001', placing({ quantity: 10_001 }), ['/lines/0/quantity']],
    ['half a piece', placing({ quantity: 0.5 }), ['/lines/0/quantity']],
    ['a number as text', placing({ quantity: '1' }), ['/lines/0/quantity']],
    ['a negative price', placing({ unitPrice: { amount: -1, currency: 'EUR' } }), ['/lines/0/unitPrice/amount']],
    ['cents of a cent', placing({ unitPrice: { amount: 1.5, currency: 'EUR' } }), ['/lines/0/unitPrice/amount']],
    [
      'an amount above 10^12',
      placing({ unitPrice: { amount: 1e12 + 1, currency: 'EUR' } }),
      ['/lines/0/unitPrice/amount'],
    ],
    ['an unknown currency', placing({ unitPrice: { amount: 1, currency: 'EURO' } }), ['/lines/0/unitPrice/currency']],
    ['a total above 2^53-1', placing({ quantity: 9008, unitPrice: { amount: 1e12, currency: 'EUR' } }), ['/lines']],
    ['a reference of 65', { ...placing({}), clientReference: 'r'.repeat(65) }, ['/clientReference']],
    ['a control character', { ...placing({}), clientReference: 'a\u0000b' }, ['/clientReference']],
    ['half a character', { ...placing({}), clientReference: '\ud800' }, ['/clientReference']],
    ['what no queue takes', { ...placing({}), clientReference: '\uffff' }, ['/clientReference']],
    ['an unknown field', { ...placing({}), note: 1 }, ['/']],
    ['an unknown field of a line', placing({ colour: 'red' }), ['/lines/0']],
    ['an address without a city', to({ city: undefined }), ['/deliverTo/city']],
    ['an address with a field more', to({ note: 'x' }), ['/deliverTo']],
    ['an address of nobody', to({ name: '' }), ['/deliverTo/name']],
    ['a name of 101', to({ name: 'n'.repeat(101) }), ['/deliverTo/name']],
    ['a street of 201', to({ street: 's'.repeat(201) }), ['/deliverTo/street']],
    ['a city of 101', to({ city: 'c'.repeat(101) }), ['/deliverTo/city']],
    ['a postal code of 21', to({ postalCode: 'p'.repeat(21) }), ['/deliverTo/postalCode']],
    ['a country in small letters', to({ country: 'de' }), ['/deliverTo/country']],
    ['a line break', to({ street: 'a\nb' }), ['/deliverTo/street']],
    ['what would have been forgotten', to({ forgotten: true }), ['/deliverTo']],
    ['every fault at once', placing({ sku: '', quantity: 0 }), ['/lines/0/sku', '/lines/0/quantity']],
  ])('refuses %s, and says where', (_, body, where) => expect(faults(body)).toEqual(where));
});
