import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, type Stack } from 'aws-cdk-lib';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { transformSync } from 'esbuild';
import { compareReleases } from '../../tools/release/check/compare.js';
import { ReleaseStacks } from '../../tools/release/check/releases.js';

/** References between stacks as this repository has them (`cdk.json`), or as the CDK advises. */
type Strength = 'strong' | 'weak';

/** Synthesizes a small app in this process. @returns the folder of its assembly */
export function synthesized(build: (app: App) => void, strength: Strength = 'strong'): string {
  const outdir = mkdtempSync(join(tmpdir(), 'orderly-release-'));
  const app = new App({
    outdir,
    analyticsReporting: false,
    context: {
      '@aws-cdk/core:defaultCrossStackReferences': strength,
      '@aws-cdk/core:validateAgainstDefaultRules': false,
    },
  });
  build(app);
  app.synth();
  return outdir;
}

/** Does the same. @returns its stacks, as a release */
export const releaseOf = (build: (app: App) => void): ReleaseStacks => ReleaseStacks.of(synthesized(build));

/** Returns what `npm run release:check` finds, as `kind where`, and the lines that mend it. */
export function found(before: ReleaseStacks, after: ReleaseStacks, environment = 'prod') {
  const { findings } = compareReleases(environment, before, after);
  return {
    kinds: findings.map(({ kind, where }) => `${kind} ${where}`),
    mends: findings.map(({ mend }) => mend),
    texts: findings.map(({ what }) => what),
  };
}

/** Runs the line of code in a text that mends a finding, as if it stood in the stack's constructor. */
export function addLine(stack: Stack, mend: string): void {
  const [line = ''] = /this\.exportValue\(.*\);/.exec(mend) ?? [];
  new Function(transformSync(line, { loader: 'ts' }).code).call(stack);
}

export const functionOf = (scope: Construct, id: string): LambdaFunction =>
  new LambdaFunction(scope, id, {
    runtime: Runtime.NODEJS_22_X,
    handler: 'index.handler',
    code: Code.fromInline('exports.handler = async () => ({ statusCode: 204 });'),
  });
