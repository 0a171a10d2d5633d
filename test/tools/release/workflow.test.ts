import { readFileSync } from 'node:fs';
import { parseYaml } from '@redocly/openapi-core';
import { describe, expect, test } from 'vitest';
import { ENVIRONMENT_NAMES } from '../../../lib/environment-names.js';
import { QUALIFIER } from '../../../lib/pipeline-stack.js';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly name?: string;
  readonly with?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}
interface Job {
  readonly needs?: string;
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const text = read('.github/workflows/deploy.yml');
const workflow = parseYaml(text) as {
  readonly concurrency: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly defaults: { readonly run: { readonly shell: string } };
  readonly jobs: Readonly<Record<string, Job>>;
};
const { jobs } = workflow;
const runsOf = (job: string): readonly string[] => jobs[job]?.steps.flatMap(({ run }) => run ?? []) ?? [];

/** Names of the npm scripts that a command runs. */
const scriptsIn = (command: string): readonly string[] =>
  [...command.matchAll(/\bnpm (?:run (?:--silent )?)?(?!ci\b|run\b)([\w:-]+)/g)].map(([, name]) => name ?? '');

describe('the workflow that deploys', () => {
  test('runs only npm scripts that there are', () => {
    const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
    const called = Object.keys(jobs).flatMap((job) => runsOf(job).flatMap(scriptsIn));
    expect(new Set(called)).toEqual(new Set(['test', 'release:check', 'synth', 'orderly', 'cdk', 'smoke']));
    expect(called.filter((name) => scripts[name] === undefined)).toEqual([]);
  });

  test('checks, synthesizes once, shows the difference, and deploys dev before prod', () => {
    const order = ['check', 'synth', 'compare', 'dev', 'prod'];
    expect(Object.keys(jobs)).toEqual(order);
    for (const [at, job] of order.entries()) expect(jobs[job]?.needs).toBe(order[at - 1]);
    const synths = order.flatMap((job) => runsOf(job).filter((run) => run.includes('npm run synth')));
    expect(synths).toHaveLength(1);
    expect(runsOf('compare').join('\n')).toContain('diff --app cdk.out/prod --method template');
    expect(runsOf('check')).toEqual(['npm ci', 'npm test', 'npm run release:check']);
  });

  test('asks an account before anything is deployed there, and that of prod before dev is deployed', () => {
    const [, asked, compared] = runsOf('compare');
    expect(asked).toContain('orderly -- doctor --before --environment prod --assembly cdk.out/prod');
    expect(compared).toContain('diff');
    for (const environment of ENVIRONMENT_NAMES) {
      const [, first] = runsOf(environment);
      expect(first).toContain('doctor --before --environment "$GITHUB_JOB" --assembly "cdk.out/$GITHUB_JOB"');
    }
  });

  test('deploys the assembly that was compared, with the name of the job, and tests it afterwards', () => {
    for (const environment of ENVIRONMENT_NAMES) {
      expect(jobs[environment]?.environment).toBe(environment);
      const [, , deploy, smoke] = runsOf(environment);
      expect(deploy).toContain('--app "cdk.out/$GITHUB_JOB"');
      expect(deploy).toContain('--outputs-file outputs.json');
      expect(smoke).toContain('--outputs outputs.json');
      expect(jobs[environment]?.steps.at(-1)?.run).toBe(smoke);
    }
    const [synth = ''] = runsOf('synth').filter((run) => run.includes('synth --'));
    expect(synth).toContain(`for environment in ${ENVIRONMENT_NAMES.join(' ')}; do`);
    expect(synth).toContain(`-c @aws-cdk/core:bootstrapQualifier=${QUALIFIER}`);
  });

  test('never deploys twice at once, and never ends a deployment that has begun', () => {
    expect(workflow.concurrency).toEqual({ group: 'deploy', 'cancel-in-progress': false });
  });

  test('has no long-lived key: only jobs with a role of AWS may ask for a token', () => {
    expect(text).not.toMatch(/aws-access-key-id|aws-secret-access-key|AWS_SECRET_ACCESS_KEY/i);
    expect(workflow.permissions).toEqual({ contents: 'read' });
    for (const [name, { permissions, steps }] of Object.entries(jobs)) {
      const assumes = steps.filter(({ uses }) => uses?.startsWith('aws-actions/configure-aws-credentials@'));
      expect(
        assumes.map(({ with: given }) => given?.['role-to-assume'] !== undefined),
        name,
      ).toEqual(permissions?.['id-token'] === 'write' ? [true] : []);
    }
  });

  test('pins each action by the hash of a commit, with its version', () => {
    const uses = text.match(/uses: .*/g) ?? [];
    expect(uses.length).toBeGreaterThan(8);
    expect(uses.filter((line) => !/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  test('puts no value of a variable into the text of a command, where it would be code', () => {
    for (const job of Object.keys(jobs)) for (const run of runsOf(job)) expect(run).not.toContain('${{');
    expect(workflow.defaults.run.shell).toBe('bash'); // with pipefail
  });
});
