import { cbor } from '@smithy/core/cbor';
import { describe, expect, test } from 'vitest';
import { CborError, decodeCbor, encodeCbor, Timestamp } from './cbor.js';
import { readRequest, writeUnknownError } from './wire.js';

const VALUES = [
  null, true, false, 0, 23, 24, 255, 256, 65_535, 65_536, 4_294_967_296, Number.MAX_SAFE_INTEGER, -1, -25, -70_000, 1.5, -1e300,
  '', 'é'.repeat(30), [], [1, [2]], {}, { a: { b: ['c', null] } },
]; // biome-ignore format: one line

describe('CBOR as the SDK of JavaScript writes and reads it', () => {
  test.each(VALUES.map((value) => [value]))('%j', (value) => {
    expect(cbor.deserialize(encodeCbor(value))).toEqual(value);
    expect(decodeCbor(cbor.serialize(value))).toEqual(value);
  });

  test('bytes and timestamps', () => {
    const bytes = new Uint8Array([0, 255]);
    expect([...(decodeCbor(cbor.serialize(bytes)) as Uint8Array)]).toEqual([...bytes]);
    expect(cbor.deserialize(encodeCbor(new Timestamp(1_700_000_000.5)))).toMatchObject({
      tag: 1,
      value: 1_700_000_000.5,
    });
    expect(encodeCbor({ left: undefined, kept: 1 })).toEqual(encodeCbor({ kept: 1 }));
  });
});

/** RFC 8949, appendix A: examples of encoded values. */
test.each([
  ['f90001', 2 ** -24],
  ['f93c00', 1],
  ['f9c400', -4],
  ['f97c00', Number.POSITIVE_INFINITY],
  ['fa47c35000', 100_000],
  ['c11a514b67b0', 1_363_896_240],
  ['9f018202039f0405ffff', [1, [2, 3], [4, 5]]],
  ['bf61610161629f0203ffff', { a: 1, b: [2, 3] }],
  ['7f657374726561646d696e67ff', 'streaming'],
])('%s is read', (hex, value) => {
  expect(decodeCbor(Buffer.from(hex, 'hex'))).toEqual(value);
});

test.each(['', '18', '62', 'ff', '8201', '82ff', 'a1', 'a10101', '1c', 'f8ff', '0000'])('%s is malformed', (hex) => {
  expect(() => decodeCbor(Buffer.from(hex, 'hex'))).toThrow(CborError);
});

test('a request names its operation in its path, and a refusal can be read by who sent it', () => {
  const request = {
    method: 'POST',
    host: 'monitoring.eu-west-1.amazonaws.com',
    path: '/service/GraniteServiceVersion20100801/operation/DescribeAlarms',
    headers: { 'smithy-protocol': 'rpc-v2-cbor' },
    body: '',
    bytes: encodeCbor({ MaxRecords: 5 }),
  };
  expect(readRequest(request)).toEqual({
    service: 'monitoring',
    protocol: 'rpc-v2-cbor',
    operation: 'DescribeAlarms',
    input: { MaxRecords: 5 },
  });
  const { headers, bytes, body } = writeUnknownError(request, {
    status: 404,
    code: 'UnknownOperationException',
    message: 'no',
  });
  expect(headers).toMatchObject({ 'smithy-protocol': 'rpc-v2-cbor', 'content-type': 'application/cbor' });
  expect(cbor.deserialize(bytes ?? Buffer.from(body))).toEqual({ __type: 'UnknownOperationException', message: 'no' });
});
