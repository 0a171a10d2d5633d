import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { assembly } from '../../tools/local/assembly.js';
import { SIMULATED_PROD } from '../simulation/support/assembly.js';

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

test('cdk synth of the app ends well, without a warning', () => {
  expect(assembly('dev').said).not.toMatch(/WARNING|ERROR/i);
});

test('cdk synth of an environment that keeps data and moves no money ends well, and warns of it', () => {
  expect(assembly('prod', SIMULATED_PROD).said).toContain("WARNING payments of 'prod' go to the sandbox");
});

test('cdk synth ends with an error when one finding is planted among the stacks, and names it', () => {
  const { status, text } = synth(...fixture);
  expect(status).not.toBe(0);
  expect(text).toContain('AwsSolutions-SQS4');
  expect(text).toContain('dev/Planted/Careless');
  expect(text).not.toMatch(/dev\/(Platform|Orders|Inventory|Accounts|Payments|Catalog|Api)\//);
});

test('cdk synth of an unknown environment ends with an error that names the known ones', () => {
  const { status, text } = synth('-c', 'environment=staging');
  expect(status).not.toBe(0);
  expect(text).toContain("environment 'staging' is unknown; lib/settings.ts knows: dev, prod");
});
