import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type KeyedRequest, parseIdempotencyKey } from '../../../packages/kit/idempotent-receiver/idempotency-key.js';
import { PersonalRequest } from '../../../packages/kit/idempotent-receiver/personal-request.js';
import { Unsealed } from '../../../packages/kit/messages/sealed.js';
import type { PersonalKeys } from '../../../packages/kit/personal-data/personal-keys.js';

/** `note` was written in plain text by an earlier release, and `text` never. */
const schema = { personal: { text: 'to', sealedNote: 'to' }, shownAs: { sealedNote: 'note' } } as const;
const asked: unknown[] = [];
const keys = {
  createUnsealed: async (person: string, plain: unknown) => {
    asked.push(plain);
    return person === 'forgotten' ? undefined : new Unsealed(person, randomBytes(32), plain);
  },
} as unknown as PersonalKeys;
const personal = new PersonalRequest({ forRequest: () => keys }, schema);
const body = { to: 'ada', text: { street: 'Main Street 1' }, note: 'my own words' };
const request = (sent: object = body, header = 'k'): KeyedRequest => ({
  header,
  client: 'customer:ada',
  method: 'POST',
  path: '/letters',
  query: {},
  body: sent,
});
const keyOf = (sent: object, header?: string) => parseIdempotencyKey(personal.toHashable(request(sent, header)));

describe('the hash of a request', () => {
  test('says which personal fields there are, and nothing of their content', () => {
    const { requestHash } = keyOf(body);
    expect(keyOf({ ...body, text: 'elsewhere', note: 'other words' }).requestHash).toBe(requestHash);
    for (const field of ['text', 'note'] as const) {
      const { [field]: _, ...without } = body;
      expect(keyOf(without).requestHash).not.toBe(requestHash);
    }
    expect(keyOf({ ...body, to: 'bob' }).requestHash).not.toBe(requestHash);
  });

  test('the hash of the earlier release includes what it wrote in plain text, and no more', () => {
    const { formerHash } = keyOf(body);
    expect(keyOf({ ...body, text: 'elsewhere' }).formerHash).toBe(formerHash);
    expect(keyOf({ ...body, note: 'other words' }).formerHash).not.toBe(formerHash);
  });

  test('leaves the request itself as it is', () => {
    personal.toHashable(request());
    expect(body.text).toEqual({ street: 'Main Street 1' });
  });
});

describe('personal fields', () => {
  test('personal fields are prepared under the names of the event, and absent ones are not', async () => {
    asked.length = 0;
    const { fields, refuseForgotten } = await personal.prepared('ada', body);
    expect(Object.keys(fields)).toEqual(['text', 'sealedNote']);
    expect({ asked, refuseForgotten }).toEqual({ asked: [body.text, body.note], refuseForgotten: undefined });
    expect(await personal.prepared('ada', { to: 'ada' })).toEqual({ fields: {}, refuseForgotten: undefined, keys });
  });

  test('fields of a forgotten person are left out, and a request without any does not look', async () => {
    const { fields, refuseForgotten } = await personal.prepared('forgotten', body);
    expect(fields).toEqual({});
    expect(await personal.prepared('forgotten', { to: 'forgotten' })).toMatchObject({ refuseForgotten: undefined });
    expect(refuseForgotten).toThrow(
      expect.objectContaining({ code: 'person-forgotten', detail: expect.stringContaining('Leave text and note out') }),
    );
  });

  test('fields of a repeat are the stored ones, or it is another request', () => {
    personal.checkSame(body, { ...body, version: 1 });
    personal.checkSame(body, { text: { forgotten: true }, note: { forgotten: true } });
    for (const field of ['text', 'note']) {
      expect(() => personal.checkSame(body, { ...body, [field]: 'other' })).toThrow('key-reused');
    }
  });
});

describe('the effect of a request with personal data', () => {
  const received = {
    header: (name: string) => (name === 'idempotency-key' ? 'k' : undefined),
    caller: { id: 'ada', role: 'customer' },
    method: 'POST',
    path: '/letters',
    query: {},
    body,
  } as never;
  const sends = (stored: object, key = parseIdempotencyKey) => {
    const steps: string[] = [];
    const sent = personal.once(received, 'ada', {
      key: (keyed) => {
        steps.push('key');
        return key(keyed);
      },
      reads: async () => steps.push('reads'),
      make: async ({ key: { requestHash }, fields }) => ({ requestHash, fields: Object.keys(fields) }),
      show: async () => stored,
    });
    return { steps, sent };
  };

  test('has a key without the personal text, the prepared fields, and the answer as it is shown', async () => {
    const { requestHash } = keyOf(body);
    const { steps, sent } = sends(body);
    expect(await sent).toEqual({ requestHash, fields: ['text', 'sealedNote'], shown: body });
    expect(steps).toEqual(['key', 'reads']);
  });

  test('is refused for a repeat with other personal text', async () => {
    await expect(sends({ ...body, note: 'other' }).sent).rejects.toThrow('key-reused');
  });

  test('reads nothing for a malformed key', async () => {
    const { steps, sent } = sends(body, () => {
      throw new Error('malformed');
    });
    await expect(sent).rejects.toThrow('malformed');
    expect(steps).toEqual(['key']);
  });
});
