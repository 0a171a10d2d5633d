import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { cdk } from './cdk.js';
import { clientConfig, type Endpoint, endpointAt, endpointFromEnvironment } from './endpoint.js';
import { LocalRunError } from './errors.js';
import { readLocalRun } from './local-run.js';
import { type Progress, step } from './progress.js';

/** Resource types that LocalStack skips and Orderly's behaviour doesn't depend on there. Another one fails the deployment. */
const SKIPPED_KNOWINGLY = new Set([
  'AWS::CloudWatch::Dashboard',
  'AWS::Events::Archive',
  'AWS::Logs::MetricFilter',
  'AWS::Logs::ResourcePolicy',
  'AWS::WAFv2::WebACL',
  'AWS::WAFv2::WebACLAssociation',
]);

export interface Deployment {
  /** Address of the API's stage at this endpoint, without a trailing slash. */
  readonly apiUrl: string;
  /** Outputs by the stack's last name (`Platform`, `Orders`, `Inventory`, `Api`), then by their own. */
  readonly outputs: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Resource types that the emulator skipped; undefined where it keeps that to itself. */
  readonly skipped: readonly string[] | undefined;
}

export interface DeployOptions {
  readonly endpoint: Endpoint;
  readonly progress: Progress;
  /** LocalStack's log, to find in it what was skipped. @default it can't be known */
  readonly log?: () => string;
  /** Changes functions in place where nothing but their code changed. */
  readonly hotswap?: boolean;
}

/**
 * Brings every stack of `dev` to an endpoint: bootstrap (skipped where done) beside synth, then `cdk deploy --all`.
 * @throws {LocalRunError} where CDK fails, or LocalStack skipped a type that isn't known to be harmless
 */
export async function deploy({ endpoint, progress, log, hotswap }: DeployOptions): Promise<Deployment> {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-cdk-'));
  const app = join(folder, 'app');
  const outputsFile = join(folder, 'outputs.json');
  const before = log?.().length ?? 0;
  try {
    await Promise.all([
      step(progress, 'synthesize', () => cdk(endpoint, ['synth', '--quiet', '-c', 'environment=dev', '--output', app])),
      bootstrap(endpoint, progress, join(folder, 'bootstrap')),
    ]);
    const how = hotswap ? ['--hotswap-fallback'] : ['--method', 'direct'];
    const args = [
      '--all',
      '--app',
      app,
      '--require-approval',
      'never',
      '--concurrency',
      '4',
      '--outputs-file',
      outputsFile,
    ];
    await step(progress, 'deploy', () =>
      cdk(endpoint, ['deploy', ...args, ...how, '--progress', 'events'], (line) => {
        if (/^ *✅/.test(line)) progress(`  ${line.trim().replace(/^✅ */, '')}`);
      }),
    );
    const outputs = await outputsOf(endpoint, app);
    const skipped = log && skippedTypes(log().slice(before));
    const unknown = skipped?.filter((type) => !SKIPPED_KNOWINGLY.has(type)) ?? [];
    if (unknown.length) throw new LocalRunError(`LocalStack skipped what Orderly needs: ${unknown.join(', ')}`);
    return { apiUrl: apiUrlAt(endpoint, outputs.Api ?? {}), outputs, skipped };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What to tell about the types that were skipped, as a line. */
export function aboutSkipped(skipped: readonly string[] | undefined): string {
  if (!skipped) return 'Whether this endpoint skipped parts of the templates is not known: it keeps no log for us.';
  return skipped.length
    ? `This emulator skipped (and does not do): ${skipped.join(', ')}`
    : 'This emulator skipped nothing of the templates.';
}

/** Types of which LocalStack's log says that it has no provider. */
export function skippedTypes(log: string): readonly string[] {
  const types = [...log.matchAll(/No resource provider found for "([^"]+)"/g)].map(([, type = '']) => type);
  return [...new Set(types)].sort();
}

async function bootstrap(endpoint: Endpoint, progress: Progress, output: string): Promise<void> {
  const client = new CloudFormationClient(clientConfig(endpoint));
  try {
    await client.send(new DescribeStacksCommand({ StackName: 'CDKToolkit' }));
  } catch {
    // In an account CDK knows which one from the credentials; emulators have the one of the dummy credentials.
    const where = endpoint.url ? [`aws://000000000000/${endpoint.region}`] : [];
    await step(progress, 'bootstrap', () => cdk(endpoint, ['bootstrap', ...where, '--output', output]));
  } finally {
    client.destroy();
  }
}

/** Asked of CloudFormation: CDK's outputs file leaves out stacks that had nothing to change under hotswap. */
async function outputsOf(endpoint: Endpoint, app: string): Promise<Deployment['outputs']> {
  const client = new CloudFormationClient(clientConfig(endpoint));
  try {
    const all = await Promise.all(
      stackNames(app).map(async (StackName) => {
        const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName }));
        const pairs = Stacks[0]?.Outputs?.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]);
        return [StackName.slice(StackName.lastIndexOf('-') + 1), Object.fromEntries(pairs ?? [])] as const;
      }),
    );
    return Object.fromEntries(all);
  } finally {
    client.destroy();
  }
}

function stackNames(app: string): readonly string[] {
  const manifest = JSON.parse(readFileSync(join(app, 'manifest.json'), 'utf8')) as {
    artifacts: Record<string, { type: string; properties?: { stackName?: string } }>;
  };
  return Object.values(manifest.artifacts).flatMap(({ type, properties }) =>
    type === 'aws:cloudformation:stack' && properties?.stackName ? [properties.stackName] : [],
  );
}

/** LocalStack's output names a host that doesn't resolve; the same API is behind a path. */
function apiUrlAt(
  { url, isLocalStack }: Endpoint,
  { ApiId = '', ApiUrl = '' }: Readonly<Record<string, string>>,
): string {
  return isLocalStack ? `${url}/_aws/execute-api/${ApiId}/v1` : ApiUrl.replace(/\/$/, '');
}

/** `npm run deploy:local`: a code change, to the running instance (`.orderly/local.json`) or to `ORDERLY_ENDPOINT`. */
export async function main(): Promise<number> {
  const run = readLocalRun();
  const endpoint = (await endpointFromEnvironment()) ?? (run && (await endpointAt(run.endpoint)));
  if (!endpoint) throw new LocalRunError('Nothing is running: `npm start` first, in another terminal.');
  const { apiUrl, skipped } = await step(console.log, 'all', () =>
    deploy({ endpoint, progress: console.log, hotswap: true }),
  );
  console.log(`${aboutSkipped(skipped)}\n${apiUrl}`);
  return 0;
}
