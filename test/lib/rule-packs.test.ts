import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Annotations, App, Stack } from 'aws-cdk-lib';
import { afterAll, expect, test } from 'vitest';
import { assembly, BUNDLE_CACHE, DEV } from '../../tools/local/assembly.js';
import { readErrors, readSynthesisOutput } from '../../tools/local/kept-assemblies.js';
import { STACKS } from '../support/environments.js';
import { prodAssembly } from '../support/simulation/assembly.js';

const output = mkdtempSync(join(tmpdir(), 'orderly-synth-'));
afterAll(() => rmSync(output, { recursive: true, force: true }));

/** Runs `cdk synth` as a person would. The bundles are there: they take longer than all the rest. */
function synth(...args: string[]) {
  const cdk = join('node_modules', 'aws-cdk', 'bin', 'cdk');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [cdk, 'synth', '--quiet', '--no-notices', '--output', output, ...args],
    { encoding: 'utf8', env: { ...process.env, ORDERLY_BUNDLES: BUNDLE_CACHE } },
  );
  return { status, text: stdout + stderr };
}
const templatesIn = (folder: string): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => name.endsWith('.template.json'))
      .map((name) => [name, JSON.parse(readFileSync(join(folder, name), 'utf8'))]),
  );
const fixture = ['--app', 'node --import tsx test/lib/fixtures/app-with-a-finding.ts'];

test('cdk synth of the app makes the templates of dev that the tests play', () => {
  // Without the rules, which have checked this assembly and change nothing in it.
  const { status, text } = synth('-c', 'checks=off', '--no-validation', '--no-version-reporting');
  expect(text).not.toMatch(/WARNING|ERROR/i);
  expect(status).toBe(0);
  const made = templatesIn(output);
  expect(Object.keys(made)).toHaveLength(STACKS.length);
  expect(made).toEqual(templatesIn(assembly(DEV)));
});

test('the app and the constructs of dev give no warnings while an assembly is made', () => {
  expect(readSynthesisOutput(assembly(DEV))).not.toMatch(/WARNING|ERROR/i);
  const { status, text } = synth('--app', assembly(DEV));
  expect(text).not.toMatch(/WARNING|ERROR/i);
  expect(status).toBe(0);
});

test('cdk synth warns of an environment that keeps data but moves no money', () => {
  const { status, text } = synth('--app', prodAssembly());
  expect(text).toContain("WARNING payments of 'prod' go to the sandbox");
  expect(status).toBe(0);
});

test('an error of a construct is found in an assembly, which the app writes all the same', () => {
  const app = new App({ outdir: join(output, 'planted') });
  Annotations.of(new Stack(app, 'Planted')).addError('this can not be deployed');
  app.synth();
  expect(readErrors(join(output, 'planted'))).toEqual(['/Planted: this can not be deployed']);
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
