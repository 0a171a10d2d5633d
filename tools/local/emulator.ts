import { type Deployment, deploy, readDeployment, synthesize } from './deploy.js';
import { type Endpoint, endpointFromEnvironment } from './endpoint.js';
import { instanceFolder, runningEndpoint } from './local-run.js';
import { checkTools, install } from './localstack/install.js';
import { freePort, type LocalStack, start } from './localstack/localstack.js';
import { type Progress, runStep } from './progress.js';

/** Running deployment of Orderly. */
export interface RunningOrderly {
  readonly endpoint: Endpoint;
  readonly deployment: Omit<Deployment, 'skipped'>;
  /** Resource types that the emulator skipped, or `undefined` if that is not known. */
  readonly skipped: Deployment['skipped'];
  /** Whether this run started the emulator, which then ends with it. */
  readonly ours: boolean;
  /** Ends what this run started, and nothing else. */
  stop(): Promise<void>;
}

export interface RunOptions {
  readonly progress: Progress;
  /**
   * Address that functions call instead of the endpoint. `forwardTo` sets the endpoint behind it. Only for an emulator
   * of this run.
   */
  readonly proxy?: { readonly url: string; forwardTo(endpoint: string): void };
}

/**
 * Deploys Orderly to `ORDERLY_ENDPOINT` or, if that is not set, to a LocalStack of its own.
 * @throws {LocalRunError} with what is missing; nothing stays behind
 */
export async function runOrderly({ progress, proxy }: RunOptions): Promise<RunningOrderly> {
  const given = await endpointFromEnvironment();
  if (given) {
    const deployment = await deploy({ endpoint: given, progress, app: synthesize(given, progress) });
    return { endpoint: given, deployment, skipped: undefined, ours: false, stop: async () => {} };
  }
  const port = await freePort();
  const endpoint: Endpoint = { url: `http://127.0.0.1:${port}`, region: 'us-east-1', kind: 'localstack' };
  checkTools(); // before anything starts
  const app = synthesize(endpoint, progress);
  app.catch(() => {}); // awaited in `deploy`; if that is not reached, the draft is removed when the process ends
  proxy?.forwardTo(`http://127.0.0.1:${port}`);
  let localStack: LocalStack | undefined;
  try {
    const installation = await runStep(progress, 'install', () => install(progress));
    localStack = await runStep(progress, 'start LocalStack', () =>
      start({ installation, home: instanceFolder(), port, ...(proxy && { functionsCall: proxy.url }) }),
    );
    const deployment = await deploy({ endpoint, progress, app, log: localStack.log });
    return { endpoint, deployment, skipped: deployment.skipped, ours: true, stop: localStack.stop };
  } catch (error) {
    await localStack?.stop();
    throw error;
  }
}

/**
 * Returns the deployment that `npm start` runs (or that `ORDERLY_ENDPOINT` names) as it is. If nothing runs, it deploys
 * to a LocalStack of its own.
 * @throws {LocalRunError} as `runOrderly`
 */
export async function runningOrderly(options: RunOptions): Promise<RunningOrderly> {
  const endpoint = await runningEndpoint();
  if (!endpoint) return runOrderly(options);
  const deployment = await readDeployment(endpoint);
  return { endpoint, deployment, skipped: undefined, ours: false, stop: async () => {} };
}
