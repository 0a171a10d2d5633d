import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  isFromOwnPage,
  PAGE_PATHS,
  PageAccess,
  readPageFiles,
  refusedPage,
} from '../../packages/console/server/index.js';

/** Largest script, compressed, in bytes. */
const LARGEST = 120 * 1024;

describe("the page's files", () => {
  test('are one page, one script, one stylesheet and an icon', async () => {
    const files = await readPageFiles();
    expect(Object.keys(files)).toEqual([...PAGE_PATHS]);
    for (const { body } of Object.values(files)) expect(body.length).toBeGreaterThan(100);
  });

  test('have a script of at most 120 KB, compressed', async () => {
    const { body = '' } = (await readPageFiles())['/_console/console.js'] ?? {};
    expect(gzipSync(body).length).toBeLessThan(LARGEST);
  });

  test('name no other address, and nothing that their policy would refuse', async () => {
    const { body = '', headers = {} } = (await readPageFiles())['/'] ?? {};
    expect(headers['content-security-policy']).toMatch(/^default-src 'self';/);
    expect(body).not.toMatch(/https?:\/\/|<style|style=|<script>|\son\w+=/);
    expect(refusedPage('How').body).not.toMatch(/https?:\/\/|<style|style=|<script|\son\w+=/);
  });
});

describe('access to the page', () => {
  const access = new PageAccess(() => 4566, 'Open the address');
  const cookie = access.cookie().split(';')[0];

  test('is granted for its cookie, and for the address that is printed', () => {
    const { search } = new URL(access.addressAt('http://127.0.0.1:4566'));
    expect(access.isGranted({ cookie })).toBe(true);
    expect(access.isGranted({ cookie: `other=1; ${cookie}` })).toBe(true);
    expect(access.isGranted({}, `/${search}`)).toBe(true);
  });

  test.each([
    ['no cookie', {}],
    ['another token', { cookie: 'orderly-console-4566=guessed' }],
    ['the cookie of another port', { cookie: new PageAccess(() => 4567, 'Open the address').cookie().split(';')[0] }],
    ['the token of another start', { cookie: new PageAccess(() => 4566, 'Open the address').cookie().split(';')[0] }],
  ])('is refused for %s', (_, headers) => expect(access.isGranted(headers)).toBe(false));

  test.each([
    [{ 'sec-fetch-site': 'same-origin' }, true],
    [{ origin: 'http://127.0.0.1:4566', host: '127.0.0.1:4566' }, true],
    [{ origin: 'http://127.0.0.1:9', host: '127.0.0.1:4566' }, false],
    [{ host: '127.0.0.1:4566' }, false],
  ])("%j is of the server's own page: %s", (headers, is) => expect(isFromOwnPage(headers)).toBe(is));
});
