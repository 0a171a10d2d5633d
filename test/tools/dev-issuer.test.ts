import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JwtVerifier } from 'aws-jwt-verify';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DEV_AUDIENCE, DEV_ISSUER, DEV_KEY_PREFIX } from '../../lib/development.js';
import { devJwks, devKey, makeToken, newKey } from '../../tools/local/dev-issuer.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orderly-issuer-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const verifier = () => {
  const made = JwtVerifier.create({
    issuer: DEV_ISSUER,
    audience: DEV_AUDIENCE,
    jwksUri: 'https://nowhere.invalid/jwks',
  });
  made.cacheJwks(JSON.parse(devJwks(folder)));
  return made;
};

describe('the dev issuer', () => {
  test('makes tokens that its JWKS verifies', async () => {
    const claims = await verifier().verify(makeToken({ sub: 'carol', role: 'customer' }, devKey(folder)));
    expect(claims).toMatchObject({ sub: 'carol', orderly_role: 'customer' });
  });

  test.each([
    ['an expired token', { lifetimeSeconds: -1 }],
    ['a token of another issuer', { issuer: 'urn:somebody' }],
    ['a token for another audience', { audience: 'somebody' }],
  ])('the dev issuer can make %s, which is refused', async (_, change) => {
    const token = makeToken({ sub: 'carol', role: 'customer', ...change }, devKey(folder));
    await expect(verifier().verify(token)).rejects.toThrow();
  });

  test('refuses a token that another key signed with its key id', async () => {
    const forged = { ...newKey(), kid: devKey(folder).kid };
    await expect(verifier().verify(makeToken({ sub: 'carol', role: 'operator' }, forged))).rejects.toThrow();
  });

  test('keeps one key, which only its owner can read', () => {
    expect(devKey(folder)).toEqual(devKey(folder));
    expect(readdirSync(folder)).toEqual(['dev-key.json']);
    expect(statSync(join(folder, 'dev-key.json')).mode & 0o777).toBe(0o600);
  });

  test('marks its key as a development key, even one from an earlier release', () => {
    expect(newKey().kid.startsWith(DEV_KEY_PREFIX)).toBe(true);
    const { kid, ...key } = newKey();
    const old = { ...key, kid: kid.slice(DEV_KEY_PREFIX.length) };
    writeFileSync(join(folder, 'dev-key.json'), JSON.stringify(old));
    expect(devKey(folder)).toEqual({ ...key, kid });
  });
});

describe('npm run token', () => {
  const token = (...args: string[]) =>
    execFileSync(process.execPath, ['tools/run.mjs', 'token', ...args], { encoding: 'utf8', stdio: 'pipe' });

  test('prints a token and nothing else', () => {
    expect(token('--customer', 'carol')).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
  });

  test("prints alice's token without arguments, and says on stderr whose it is", () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['tools/run.mjs', 'token'], { encoding: 'utf8' });
    const claims = JSON.parse(Buffer.from(stdout.split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({ sub: 'alice', orderly_role: 'customer' });
    expect(stderr).toContain('alice');
  });

  test.each([[['--customer']], [['carol']], [['--operator', '--customer', 'carol']]])(
    'refuses %j with exit code 2 and a correct example',
    (args) => {
      expect(() => token(...args)).toThrow(
        expect.objectContaining({ status: 2, stdout: '', stderr: expect.stringContaining('-- --customer carol') }),
      );
    },
  );
});
