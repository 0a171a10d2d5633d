import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { unknownOrderError } from '../../../lambdas/operations/order-facts.js';
import { makeToken, newKey } from '../../../tools/local/dev-issuer.js';
import { readClockOffset } from '../../../tools/local/endpoint.js';
import { resolveEndpoint } from '../../../tools/operator/endpoint.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orderly-refusals-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const running = (args: readonly string[], env: NodeJS.ProcessEnv, cwd = process.cwd()) => {
  const { status, stderr } = spawnSync(process.execPath, ['tools/run.mjs', ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: folder, ...env },
    encoding: 'utf8',
  });
  return { status, stderr };
};

describe('a refusal in one sentence, without a stack trace', () => {
  test('a start says one sentence if npm can not reach its registry', () => {
    mkdirSync(join(folder, 'tools'));
    for (const file of ['tools/run.mjs', 'tools/bundle.mjs', 'tools/install.mjs']) cpSync(file, join(folder, file));
    const name = { name: 'clone', version: '1.0.0' };
    const [path, version] = ['node_modules/left', '1.0.0'];
    const resolved = 'http://127.0.0.1:1/left-1.0.0.tgz';
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...name, dependencies: { left: version } }));
    const packages = { '': { ...name, dependencies: { left: version } }, [path]: { version, resolved } };
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ ...name, lockfileVersion: 3, packages }));
    const offline = { npm_config_fetch_retries: '0', npm_config_registry: 'http://127.0.0.1:1' };
    const { status, stderr } = running(['start'], { ...offline, npm_config_cache: join(folder, 'cache') }, folder);
    expect(status).toBe(1);
    expect(stderr).toMatch(/npm can't reach its registry \(ECONNREFUSED\), so .* network/);
    expect(stderr).not.toMatch(/^ +at /m);
    expect(stderr).not.toContain('npm error');
  });

  test("a start says one sentence if the clone can't be written", () => {
    // A user who is root may write everywhere, so the file system says no by itself.
    const patch = `import fs from 'node:fs'; import { syncBuiltinESMExports } from 'node:module';
const { readFileSync } = fs;
fs.readFileSync = (path, ...more) => {
  if (!String(path).endsWith('dev-key.json')) return readFileSync(path, ...more);
  throw Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS', path });
};
syncBuiltinESMExports();`;
    writeFileSync(join(folder, 'patch.mjs'), patch);
    const { status, stderr } = running(['token'], { NODE_OPTIONS: `--import ${join(folder, 'patch.mjs')}` });
    expect(status).toBe(1);
    expect(stderr).toMatch(/This clone can't be written: .*dev-key.json \(EROFS\)/);
    expect(stderr).not.toMatch(/^ +at /m);
  });

  test('a start says one sentence if PYTHON names no Python', () => {
    // No other Python is found either: without the refusal, the start would install LocalStack.
    const nothing = { PATH: folder, XDG_CACHE_HOME: folder };
    const { status, stderr } = running(['start', '--localstack'], { ...nothing, PYTHON: '/nonexistent' });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^PYTHON is '\/nonexistent', which is no Python 3.11 to 3.13/);
    expect(stderr).not.toMatch(/^ +at /m);
  });

  test('a trace says one sentence for a word that is no id of an order', () => {
    expect(unknownOrderError('nonsense').next).toContain('32 hexadecimal digits');
    expect(unknownOrderError('a'.repeat(32)).next).toEqual(['failures', 'list']);
  });

  test('a command says one sentence for an environment that the settings lack', async () => {
    await expect(resolveEndpoint('staging', { isAwsNamed: false })).rejects.toMatchObject({
      code: 'usage',
      message: "Environment 'staging' is unknown: lib/settings.ts has dev, prod.",
    });
  });
});

describe('a token for a local cloud whose clock was forwarded', () => {
  const serving = async (answer: object, work: (url: string) => Promise<void>): Promise<void> => {
    const server = createServer((_request, response) => response.end(JSON.stringify(answer)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.close();
    server.closeAllConnections();
  };

  test('a token for a local cloud is issued by the clock of the cloud', async () => {
    const ahead = 36 * 86_400_000;
    await serving({ simulator: true, ahead }, async (url) => expect(await readClockOffset(url)).toBe(ahead));
    const { iat, exp } = JSON.parse(
      Buffer.from(
        makeToken({ sub: 'alice', role: 'customer', ahead }, newKey()).split('.')[1] ?? '',
        'base64url',
      ).toString(),
    ) as { iat: number; exp: number };
    expect(iat * 1000).toBeGreaterThan(Date.now() + ahead - 60_000);
    expect(exp).toBeGreaterThan(iat);
  });

  test("a token for anything else is issued by this machine's clock", async () => {
    await serving({ services: {} }, async (url) => expect(await readClockOffset(url)).toBe(0));
    expect(await readClockOffset('http://127.0.0.1:1')).toBe(0);
    expect(await readClockOffset(undefined)).toBe(0);
  });
});
