import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  COMPRESSED,
  compressPayload,
  readStoredPayload,
  UnknownForm,
} from '../../../packages/kit/failures/stored-payload.js';

/** A record of a message as an inbox stores it. */
const record = {
  messageId: 'shop.tallies:a-1',
  group: 'f7a3d07044f617e2',
  topic: 'tallies/Counted',
  type: 'Counted',
  correlationId: 'conversation',
  subject: 'Tally/plain',
  status: 'PENDING',
};
const payload = JSON.stringify({
  source: 'shop.tallies',
  'detail-type': 'Counted',
  detail: { specversion: '1.0', id: 'a-1', type: 'Counted', data: { by: 1 } },
});
/** Bytes that version 1 stored of it on 2026-11-29. Tables have such items: never change them. */
const VERSION_1 = 'AXj51iqNJ6tGhBuy4RjRCDOHqNgAuQwe+Eg6ob5IqlSyMqytrQUAHmkoHQ==';

describe('a stored payload', () => {
  test.each([
    ['as text', { payload }],
    ['compressed', { [COMPRESSED]: compressPayload(payload, record) }],
    ['by gzip, as long failures are', { payloadGzip: gzipSync(payload) }],
  ])('a payload is read that is stored %s', (_, stored) => {
    expect(readStoredPayload({ ...record, ...stored })).toBe(payload);
  });

  test('a payload of version 1 is read for ever', () => {
    expect(readStoredPayload({ ...record, [COMPRESSED]: Buffer.from(VERSION_1, 'base64') })).toBe(payload);
  });

  test('the attribute of a compressed payload keeps its name: tables have such items', () =>
    expect(COMPRESSED).toBe('payloadDeflate'));

  test('a payload is read whatever its record becomes: taken, put off, failed or processed', () => {
    const changed = { ...record, status: 'FAILED', runner: 'r', attempts: 9, failures: [], window: 'w', parkedAt: 't' };
    expect(readStoredPayload({ ...changed, [COMPRESSED]: compressPayload(payload, record) })).toBe(payload);
  });

  test('a compressed payload under another record is an error, and never another message', () => {
    const stored = { [COMPRESSED]: compressPayload(payload, record) };
    expect(() => readStoredPayload({ ...record, subject: 'Tally/other', ...stored })).toThrow('dictionary');
  });

  test('a form of a newer release says so', () => {
    const newer = { ...record, [COMPRESSED]: Buffer.of(2, 1, 2, 3) };
    expect(() => readStoredPayload(newer)).toThrow(
      new UnknownForm('stored in form 2: expected a form up to 1' as never),
    );
  });

  test('a record without a payload, or with the beginning of one, has none', () => {
    expect([record, { ...record, payloadBegin: '{' }].map(readStoredPayload)).toEqual([undefined, undefined]);
  });
});
