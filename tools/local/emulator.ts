import { type Deployment, deploy, synthesize } from './deploy.js';
import { type Endpoint, endpointFromEnvironment } from './endpoint.js';
import { instanceFolder } from './local-run.js';
import { install } from './localstack/install.js';
import { freePort, type LocalStack, start } from './localstack/localstack.js';
import { type Progress, step } from './progress.js';

/** Orderly, deployed somewhere. */
export interface RunningOrderly {
  readonly endpoint: Endpoint;
  readonly deployment: Deployment;
  /** Whether the emulator was started for this, and ends with it. */
  readonly ours: boolean;
  /** Ends what was started here, nothing else. */
  stop(): Promise<void>;
}

export interface RunOptions {
  readonly progress: Progress;
  /** Address that functions call in the place of the endpoint; told which endpoint it stands for. Ours only. */
  readonly proxy?: { readonly url: string; forwardTo(endpoint: string): void };
}

/**
 * Deploys Orderly to `ORDERLY_ENDPOINT`, or to a LocalStack of its own where that isn't set.
 * @throws {LocalRunError} with what is missing; nothing stays behind
 */
export async function runOrderly({ progress, proxy }: RunOptions): Promise<RunningOrderly> {
  const given = await endpointFromEnvironment();
  if (given) {
    const deployment = await deploy({ endpoint: given, progress, app: synthesize(given, progress) });
    return { endpoint: given, deployment, ours: false, stop: async () => {} };
  }
  const port = await freePort();
  const endpoint: Endpoint = { url: `http://127.0.0.1:${port}`, region: 'us-east-1', isLocalStack: true };
  const app = synthesize(endpoint, progress);
  app.catch(() => {}); // it is awaited below
  proxy?.forwardTo(`http://127.0.0.1:${port}`);
  let localStack: LocalStack | undefined;
  try {
    const installation = await step(progress, 'install', () => install(progress));
    localStack = await step(progress, 'start LocalStack', () =>
      start({ installation, home: instanceFolder(), port, ...(proxy && { functionsCall: proxy.url }) }),
    );
    const deployment = await deploy({ endpoint, progress, app, log: localStack.log });
    return { endpoint, deployment, ours: true, stop: localStack.stop };
  } catch (error) {
    await localStack?.stop();
    await app.then(
      ({ remove }) => remove(),
      () => {},
    );
    throw error;
  }
}
