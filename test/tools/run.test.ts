import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const ROOT = new URL('../../', import.meta.url);
const { scripts } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as {
  scripts: Record<string, string>;
};

test.each([
  'start',
  'test',
  'deploy:local',
  'demo',
  'token',
  'orderly',
  'bench:event-store',
  'bench:local',
  'docs',
  'screenshots',
  'supply-chain',
  'release:check',
  'simulate',
  'simulate:planted',
  'fuzz',
  'fuzz:api',
  'foreign-clients',
  'nightly',
])('npm run %s works in a fresh clone: it installs what is missing, before anything is imported', (name) => {
  const [, command = ''] = /^node tools\/run\.mjs (\S+)$/.exec(scripts[name] ?? '') ?? [];
  const { status, stderr } = spawnSync(process.execPath, ['tools/run.mjs', 'nonsense'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect(status).toBe(2);
  expect(stderr.trim().split(/[ |]+/)).toContain(command);
  const [, module = ''] =
    new RegExp(`'?${command}'?: '(.+)'`).exec(readFileSync(new URL('tools/run.mjs', ROOT), 'utf8')) ?? [];
  expect(existsSync(new URL(module, new URL('tools/', ROOT))), module).toBe(true);
});
