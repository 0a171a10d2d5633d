import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { assembly, DEV } from '../../tools/local/assembly.js';
import { prodAssembly } from '../simulation/support/assembly.js';

const output = mkdtempSync(join(tmpdir(), 'orderly-synth-'));
afterAll(() => rmSync(output, { recursive: true, force: true }));

/** Runs `cdk synth` as a person would. */
function synth(...args: string[]) {
  const cdk = join('node_modules', 'aws-cdk', 'bin', 'cdk');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [cdk, 'synth', '--quiet', '--no-notices', '--output', output, ...args],
    { encoding: 'utf8' },
  );
  return { status, text: stdout + stderr };
}
const fixture = ['--app', 'node --import tsx test/lib/fixtures/app-with-a-finding.ts'];

test('cdk synth of the app succeeds without a warning', () => {
  const { status, text } = synth('--app', assembly(DEV));
  expect(text).not.toMatch(/WARNING|ERROR/i);
  expect(status).toBe(0);
});

test('cdk synth of an environment that keeps data but moves no money succeeds with a warning', () => {
  const { status, text } = synth('--app', prodAssembly());
  expect(text).toContain("WARNING payments of 'prod' go to the sandbox");
  expect(status).toBe(0);
});

test('cdk synth fails with the name of a planted finding', () => {
  const { status, text } = synth(...fixture);
  expect(status).not.toBe(0);
  expect(text).toContain('AwsSolutions-SQS4');
  expect(text).toContain('Planted/Careless');
});

test('cdk synth of an unknown environment fails and names the known ones', () => {
  const { status, text } = synth('-c', 'environment=staging');
  expect(status).not.toBe(0);
  expect(text).toContain("environment 'staging' is unknown: expected one of lib/settings.ts: dev, prod");
});
