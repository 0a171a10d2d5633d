import type { TestProject } from 'vitest/node';
import { type RunningOrderly, runOrderly } from '../../tools/local/emulator.js';
import type { Deployed } from './deployed.js';
import { startProxy } from './proxy.js';

interface Shared {
  readonly deployed: Deployed;
  stop(): Promise<void>;
}

/** Vitest calls this once per project, in one process: both get the same deployment, and the last one ends it. */
const shared = globalThis as { orderly?: { users: number; started: Promise<Shared> } };

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  shared.orderly ??= { users: 0, started: startShared() };
  const { orderly } = shared;
  orderly.users += 1;
  const { deployed, stop } = await orderly.started;
  project.provide('deployed', deployed);
  return async () => {
    orderly.users -= 1;
    if (orderly.users > 0) return;
    delete shared.orderly;
    await stop();
  };
}

async function startShared(): Promise<Shared> {
  endWithParent();
  // Another endpoint's functions don't know of the proxy.
  const proxy = process.env.ORDERLY_ENDPOINT ? undefined : await startProxy();
  try {
    const orderly: RunningOrderly = await runOrderly({
      progress: (line) => console.log(`  ${line}`),
      ...(proxy && { proxy }),
    });
    const { endpoint, deployment } = orderly;
    return {
      deployed: {
        endpoint: endpoint.url,
        region: endpoint.region,
        apiUrl: deployment.apiUrl,
        outputs: deployment.outputs,
        proxyUrl: proxy?.url,
      },
      stop: async () => {
        await orderly.stop();
        await proxy?.stop();
      },
    };
  } catch (error) {
    await proxy?.stop();
    throw error;
  }
}

/** Whoever started vitest may be killed without a word: then this ends, and the emulator with it. */
function endWithParent(): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.exit(1);
  }, 1000).unref();
}
