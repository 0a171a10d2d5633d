import { readStacks, type StackOutputs, stackPrefix } from '@orderly/operator';
import { APP } from '../../lambdas/app.js';
import { devAssembly } from './assembly.js';
import { bootstrap } from './bootstrap.js';
import { cdk } from './cdk.js';
import type { Endpoint } from './endpoint.js';
import { LocalRunError } from './errors.js';
import { findLog, runningEndpoint } from './local-run.js';
import { type Progress, runStep } from './progress.js';
import { Terminal } from './terminal.js';

/**
 * Resource types that LocalStack skips and that Orderly does not need there. Any other skipped type fails the
 * deployment.
 */
const SKIPPED_KNOWINGLY = new Set([
  'AWS::CloudWatch::Dashboard',
  'AWS::Events::Archive',
  'AWS::Logs::MetricFilter',
  'AWS::Logs::ResourcePolicy',
  'AWS::WAFv2::WebACL',
  'AWS::WAFv2::WebACLAssociation',
]);

/** Every stack of `dev` is named so. */
export const STACKS = stackPrefix(APP.name, 'dev');

export interface Deployment {
  /** URL of the API's stage at this endpoint, without a trailing slash. */
  readonly apiUrl: string;
  /** Outputs by the stack's last name (`Platform`, `Orders`, `Inventory`, `Api`), then by their own. */
  readonly outputs: StackOutputs;
  /** Resource types that the emulator skipped; undefined where it keeps that to itself. */
  readonly skipped: readonly string[] | undefined;
}

export interface DeployOptions {
  readonly endpoint: Endpoint;
  readonly progress: Progress;
  /** Folder of the synthesized stacks. */
  readonly app: Promise<string>;
  /** Returns the emulator's log, which names what was skipped. @default skipped types stay unknown */
  readonly log?: (() => string) | undefined;
  /** Updates functions in place if only their code changed. */
  readonly hotswap?: boolean;
}

/** Synthesizes every stack of `dev`, once for each state of the sources. The endpoint need not answer yet. */
export const synthesize = (endpoint: Endpoint, progress: Progress): Promise<string> =>
  runStep(progress, 'synthesize', () => devAssembly(endpoint));

/**
 * Deploys every stack to an endpoint: bootstrap (unless done) and synth in parallel, then `cdk deploy --all`.
 * @throws {LocalRunError} if CDK fails, or if LocalStack skipped a type that is not known to be harmless
 */
export async function deploy({ endpoint, progress, app, log, hotswap }: DeployOptions): Promise<Deployment> {
  const before = log?.().length ?? 0;
  const [synthesized, bootstrapped] = await Promise.allSettled([app, bootstrap(endpoint, progress)]);
  if (synthesized.status === 'rejected') throw synthesized.reason;
  if (bootstrapped.status === 'rejected') throw bootstrapped.reason;
  const how = hotswap ? ['--hotswap-fallback'] : ['--method', 'direct'];
  const options = ['--require-approval', 'never', '--concurrency', '4', '--progress', 'events'];
  await runStep(progress, 'deploy', () =>
    cdk(endpoint, ['deploy', '--all', '--app', synthesized.value, ...options, ...how], (line) => {
      if (/^ *✅/.test(line)) progress(`  ${line.trim().replace(/^✅ */, '')}`);
    }),
  );
  const skipped = log && leftOut(log().slice(before));
  return { ...(await readDeployment(endpoint)), skipped };
}

/** Describes the skipped types in one line. */
export function aboutSkipped(skipped: readonly string[] | undefined): string {
  if (!skipped) return 'Unknown whether this endpoint skipped parts of the templates: its log is not available here.';
  return skipped.length
    ? `This emulator skipped (and does not simulate): ${skipped.join(', ')}`
    : 'This emulator skipped no part of the templates.';
}

/**
 * Returns the types that LocalStack skipped, according to its log.
 * @throws {LocalRunError} for a type that is not known to be harmless, and for an update that LocalStack ignored
 */
export function leftOut(log: string): readonly string[] {
  const skipped = matchTypes(log, /No resource provider found for "([^"]+)"/g);
  const needed = skipped.filter((type) => !SKIPPED_KNOWINGLY.has(type));
  if (needed.length) throw new LocalRunError(`LocalStack skipped what Orderly needs: ${needed.join(', ')}`);
  const stale = matchTypes(log, /Unable to update resource type "([^"]+)"/g);
  if (stale.length) {
    throw new LocalRunError(
      `LocalStack can't update ${stale.join(', ')}: end it and start again (npm start -- --localstack).`,
    );
  }
  return skipped;
}

const matchTypes = (log: string, pattern: RegExp): readonly string[] =>
  [...new Set([...log.matchAll(pattern)].map(([, type = '']) => type))].sort();

/**
 * Reads what is deployed at an endpoint from CloudFormation. (CDK's own file of outputs omits what did not change.)
 * @throws {LocalRunError} if `dev` is not deployed there
 */
export async function readDeployment(endpoint: Endpoint): Promise<Omit<Deployment, 'skipped'>> {
  const outputs = await readStacks(endpoint, APP.name, 'dev');
  if (!outputs.Api) throw new LocalRunError(`Orderly is not deployed at ${endpoint.url ?? 'AWS'}: npm start`);
  return { apiUrl: resolveApiUrl(endpoint, outputs.Api), outputs };
}

/** Returns the URL of the API. On this machine the output names a host that does not resolve; the same API has a path. */
function resolveApiUrl({ url, kind }: Endpoint, { ApiId = '', ApiUrl = '' }: Readonly<Record<string, string>>): string {
  if (kind === 'local-cloud') return `${url}/v1`;
  return kind === 'localstack' ? `${url}/_aws/execute-api/${ApiId}/v1` : ApiUrl.replace(/\/$/, '');
}

/**
 * Runs `npm run deploy:local`: deploys a code change to the running instance (`.orderly/local.json`) or to
 * `ORDERLY_ENDPOINT`. A local cloud needs no such command.
 */
export async function main(): Promise<number> {
  const endpoint = await runningEndpoint();
  if (!endpoint) throw new LocalRunError('Nothing is running: `npm start` first, in another terminal.');
  if (endpoint.kind === 'local-cloud') {
    console.log(`Nothing to do: the local cloud at ${endpoint.url} takes over changed sources by itself.`);
    return 0;
  }
  const log = findLog(endpoint.url);
  const terminal = new Terminal();
  const progress = terminal.say;
  const { apiUrl, skipped } = await terminal.during(() =>
    runStep(progress, 'all', () =>
      deploy({ endpoint, progress, app: synthesize(endpoint, progress), log, hotswap: true }),
    ),
  );
  if (skipped?.length) console.log(aboutSkipped(skipped));
  console.log(apiUrl);
  return 0;
}
