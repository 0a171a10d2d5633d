import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const output = mkdtempSync(join(tmpdir(), 'orderly-synth-'));
afterAll(() => rmSync(output, { recursive: true, force: true }));

/** `cdk synth` as a person runs it. */
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

test('cdk synth of the app ends well, for dev and for prod', () => {
  for (const environment of ['dev', 'prod']) {
    const { status, text } = synth('-c', `environment=${environment}`);
    expect(status, text).toBe(0);
  }
});

test('cdk synth ends with an error when one finding is planted among the stacks, and names it', () => {
  expect(synth(...fixture).status).toBe(0);
  const { status, text } = synth(...fixture, '-c', 'planted=yes');
  expect(status).not.toBe(0);
  expect(text).toContain('AwsSolutions-SQS4');
  expect(text).toContain('dev/Planted/Careless');
});

test('cdk synth of an unknown environment ends with an error that names the known ones', () => {
  const { status, text } = synth('-c', 'environment=staging');
  expect(status).not.toBe(0);
  expect(text).toContain("environment 'staging' is unknown; lib/settings.ts knows: dev, prod");
});

test('cdk synth warns of the placeholder issuer', () => {
  const { status, text } = synth('-c', 'environment=prod');
  expect(status, text).toBe(0);
  expect(text).toContain("the token issuer of 'prod' is the placeholder");
});
