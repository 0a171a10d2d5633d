import type { APIGatewayProxyEvent } from 'aws-lambda';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { publicDocumentHandler } from '../../../packages/kit/http/public-document.js';

const TEXT = '{"openapi":"3.1.1"}';
const ask = (headers: Record<string, string> = {}, text = TEXT) =>
  publicDocumentHandler(text, 'application/json')({ headers } as unknown as APIGatewayProxyEvent);
const tagOf = async (text: string) => String((await ask({}, text)).headers?.ETag);

afterEach(() => vi.unstubAllEnvs());

describe('a public document', () => {
  test('a public document is served without a token, and may be kept for five minutes', async () => {
    expect(await ask({ 'X-Correlation-Id': 'mine' })).toEqual({
      statusCode: 200,
      body: TEXT,
      headers: {
        'Content-Type': 'application/json',
        'Cache-Control': 'public, max-age=300',
        ETag: expect.stringMatching(/^"[\w-]{22}"$/),
        'X-Correlation-Id': 'mine',
        'X-Content-Type-Options': 'nosniff',
        'Strict-Transport-Security': 'max-age=31536000',
      },
    });
  });

  test('another public document has another tag', async () => {
    expect(await tagOf(TEXT)).toBe(await tagOf(TEXT));
    expect(await tagOf(TEXT)).not.toBe(await tagOf('{}'));
  });

  test.each([
    ['its tag', (tag: string) => tag],
    ['its tag, made weak by a proxy', (tag: string) => `W/${tag}`],
    ['one of several', (tag: string) => `"other", ${tag}`],
    ['any', () => '*'],
  ])('a public document is not sent again to a client that has %s', async (_, known) => {
    const { statusCode, body, headers } = await ask({ 'if-none-match': known(await tagOf(TEXT)) });
    expect({ statusCode, body, tag: headers?.ETag }).toEqual({ statusCode: 304, body: '', tag: await tagOf(TEXT) });
    expect(headers).not.toHaveProperty('Content-Type');
  });

  test('a public document is sent to a client that has another one', async () => {
    expect((await ask({ 'If-None-Match': await tagOf('{}') })).statusCode).toBe(200);
  });

  test('a public document is readable for pages of the allowed origins', async () => {
    vi.stubEnv('CORS_ORIGINS', '["https://shop.example.org"]');
    const { headers } = await ask({ Origin: 'https://shop.example.org' });
    expect(headers).toMatchObject({ 'Access-Control-Allow-Origin': 'https://shop.example.org', Vary: 'Origin' });
  });
});
