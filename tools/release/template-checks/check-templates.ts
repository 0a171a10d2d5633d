import { execFile, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assemblies, DEV } from '../../local/assembly.js';
import { findPython, installationPlace, installOnce, installWheels, type Place } from '../../local/installing.js';
import type { Wanted } from '../../local/kept-assemblies.js';
import type { Check } from '../check.js';
import { ACCEPTED, type Accepted, type Finding, judgeFindings, readLint, readScan } from './findings.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const LOCK = fileURLToPath(new URL('requirements.lock', import.meta.url));
/** Templates of all environments, each in a folder: the names of their stacks differ, and so no file hides another. */
const TEMPLATES = join(ROOT, '.build', 'checked-templates');
/** Regions whose resource types and values cfn-lint compares: the one with the most, and one of the others. */
const REGIONS = ['us-east-1', 'eu-central-1'];
/** Most that a checker prints, in bytes. */
const MOST_BYTES = 128 * 2 ** 20;

/** `prod` with a provider that moves money, as it is deployed. */
const PROD: Wanted = {
  environment: 'prod',
  context: { issuer: 'https://issuer.example.org/', audience: 'orderly', alarmEmail: 'ops@example.org' },
  isValidated: false,
};

/**
 * Checks the templates of `dev`, `prod` and the pipeline by cfn-lint and checkov, which know AWS's schemas and common weaknesses without
 * this repository's help. What both find is accepted in `accepted.json` with a reason, or is a fault.
 */
export async function checkTemplates(): Promise<Check> {
  const python = findPython();
  if (!python) return notDone('no Python 3.11 to 3.13 with its venv module');
  const place = installationPlace('template-checks', [LOCK]);
  try {
    await installOnce(place, 'cfn-lint and checkov', console.log, () => installWheels(place, python, LOCK));
  } catch (error) {
    return notDone((error as Error).message);
  }
  const count = collectTemplates();
  const accepted = JSON.parse(readFileSync(join(ROOT, ACCEPTED), 'utf8')) as readonly Accepted[];
  const { fresh, stale } = judgeFindings([...(await lint(place)), ...(await scan(place))], accepted);
  const faults = [...fresh, ...stale];
  const text =
    faults.length === 0
      ? `cfn-lint and checkov: ${count} templates, nothing but the ${accepted.length} accepted rules.`
      : ['cfn-lint and checkov: refused.', ...faults.map((fault) => `  ${fault}`)].join('\n');
  return { verdict: faults.length === 0 ? 'clean' : 'refused', text };
}

const notDone = (why: string): Check => ({
  verdict: 'unknown',
  text: `cfn-lint and checkov: NOT DONE (${why}). Run it where Python and PyPI are.`,
});

/** Copies all templates into one folder, those of the pipeline too. @returns their number */
function collectTemplates(): number {
  rmSync(TEMPLATES, { recursive: true, force: true });
  mkdirSync(TEMPLATES, { recursive: true });
  const found = assemblies([DEV, PROD]).flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.template.json'))
      .map((name) => [join(folder, name), join(TEMPLATES, name)] as const),
  );
  for (const [from, to] of found) copyFileSync(from, to);
  copyFileSync(join(pipelineAssembly(), 'Pipeline.template.json'), join(TEMPLATES, 'pipeline.template.json'));
  return found.length + 1;
}

/**
 * Synthesizes the stack of the pipeline, which is an app of its own, for a repository of nobody's.
 * @returns the folder of its assembly
 * @throws {Error} with what the app printed, if it fails
 */
function pipelineAssembly(): string {
  const folder = join(ROOT, '.build', 'checked-pipeline');
  const { context } = JSON.parse(readFileSync(join(ROOT, 'cdk.json'), 'utf8')) as { readonly context: object };
  const settings = JSON.stringify({ ...context, repository: 'example/orderly' });
  const run = spawnSync(process.execPath, ['--import', 'tsx', join('bin', 'pipeline-app.ts')], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, NODE_NO_WARNINGS: '1', CDK_OUTDIR: folder, CDK_CONTEXT_JSON: settings },
  });
  if (run.status === 0) return folder;
  throw new Error(`bin/pipeline-app.ts fails: ${run.stderr}${run.stdout}${run.error?.message ?? ''}`);
}

async function lint({ folder }: Place): Promise<readonly Finding[]> {
  const files = readdirSync(TEMPLATES).map((name) => join(TEMPLATES, name));
  const output = await outputOf(join(folder, 'venv', 'bin', 'cfn-lint'), [
    '--format',
    'json',
    '--regions',
    ...REGIONS,
    '--',
    ...files,
  ]);
  return readLint(output, (file) => JSON.parse(readFileSync(file, 'utf8')).Resources);
}

const scan = async ({ folder }: Place): Promise<readonly Finding[]> =>
  readScan(
    await outputOf(join(folder, 'venv', 'bin', 'checkov'), [
      '--framework',
      'cloudformation',
      '--compact',
      '--quiet',
      // It asks its maker's service for guidelines otherwise.
      '--skip-download',
      '--output',
      'json',
      '--directory',
      TEMPLATES,
    ]),
  );

/** Returns what a checker prints. It ends with another code than 0 if it finds anything. @throws {Error} without any output */
function outputOf(command: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { cwd: ROOT, maxBuffer: MOST_BYTES }, (error, stdout, stderr) => {
      if (stdout.trim() !== '') resolve(stdout);
      else reject(new Error(`${command} printed nothing: ${stderr || error?.message}`));
    });
  });
}
