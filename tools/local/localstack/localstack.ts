import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LocalRunError } from '../errors.js';
import { waitUntil } from '../progress.js';
import type { Installation } from './install.js';

/** How DynamoDB Local is started on the loopback interface. */
export const DYNAMODB_SERVER = fileURLToPath(new URL('../dynamodb-local.xml', import.meta.url));
const PLUGIN = fileURLToPath(new URL('plugin', import.meta.url));

export interface LocalStackOptions {
  readonly installation: Installation;
  /** Folder of this instance alone: its log and what functions are unpacked to. Made where it is missing. */
  readonly home: string;
  /** Loopback port. @default a free one */
  readonly port?: number;
  /** Address (`http://127.0.0.1:<port>`) that the functions call instead of the endpoint, as `/<function>/<pid>/...`. */
  readonly functionsCall?: string;
}

/** A running LocalStack; it ends with this process, however that dies. */
export interface LocalStack {
  readonly endpoint: string;
  readonly pid: number;
  /** What it has logged so far. */
  log(): string;
  /** Ends it, DynamoDB Local and every function; resolves when the port is free. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts LocalStack on 127.0.0.1 and resolves when it answers (about 2 s).
 * @throws {LocalRunError} where it ends, or doesn't answer and logs nothing for 60 s, with the end of its log
 */
export async function start({ installation, home, port, functionsCall }: LocalStackOptions): Promise<LocalStack> {
  mkdirSync(home, { recursive: true });
  const logFile = join(home, 'localstack.log');
  const listen = port ?? (await freePort());
  const out = openSync(logFile, 'w');
  // It ends when its stdin does, which nobody but this process holds. A group of its own: Ctrl-C is ours to handle.
  const child = spawn(installation.python, ['-m', 'ls_process_executor'], {
    env: environment(installation, home, listen, functionsCall),
    stdio: ['pipe', out, out],
    detached: true,
  });
  closeSync(out);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const endpoint = `http://127.0.0.1:${listen}`;
  writeFileSync(join(home, 'endpoint'), endpoint);
  const localStack: LocalStack = {
    endpoint,
    pid: child.pid ?? 0,
    log: () => readFileSync(logFile, 'utf8'),
    stop: async () => {
      child.stdin?.destroy();
      await ended;
    },
  };
  try {
    await ready(child, localStack);
  } catch (error) {
    const tail = localStack.log().slice(-2000);
    await localStack.stop();
    throw new LocalRunError(`LocalStack did not start (${(error as Error).message}):\n${tail}`, { cause: error });
  }
  return localStack;
}

async function ready(child: ChildProcess, { endpoint, log }: LocalStack): Promise<void> {
  let failed: Error | undefined;
  child.once('error', (error) => (failed = error));
  child.stdin?.on('error', () => {}); // it is gone already; its exit says so
  await waitUntil(
    async () => {
      if (failed) throw failed;
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
      return (await answers(endpoint)) || undefined;
    },
    { missing: () => `${endpoint} does not answer`, moved: () => log().length },
  );
}

/** Whether a LocalStack answers at this endpoint. */
export async function answers(endpoint: string): Promise<boolean> {
  try {
    return (await fetch(`${endpoint}/_localstack/health`, { signal: AbortSignal.timeout(2000) })).ok;
  } catch {
    return false;
  }
}

function environment(installation: Installation, home: string, port: number, proxy?: string): NodeJS.ProcessEnv {
  // Neither the account nor the settings of another LocalStack reach this one.
  const inherited = Object.entries(process.env).filter(([name]) => !/^(AWS|LOCALSTACK|LSPE|PYTHON)/.test(name));
  return {
    ...Object.fromEntries(inherited),
    PYTHONPATH: PLUGIN,
    GATEWAY_LISTEN: `127.0.0.1:${port}`,
    LOCALSTACK_HOST: `localhost:${port}`,
    FILESYSTEM_ROOT: join(home, 'fs'),
    XDG_CACHE_HOME: join(home, 'cache'),
    DNS_ADDRESS: '0',
    SKIP_SSL_CERT_DOWNLOAD: '1',
    DISABLE_EVENTS: '1', // no news to LocalStack's makers
    SQS_ENDPOINT_STRATEGY: 'path',
    DYNAMODB_IN_MEMORY: '1',
    DYNAMODB_REMOVE_EXPIRED_ITEMS: '1',
    PROVIDER_OVERRIDE_DYNAMODB: 'v2',
    PROVIDER_OVERRIDE_DYNAMODBSTREAMS: 'v2',
    LAMBDA_RUNTIME_EXECUTOR: 'process',
    LAMBDA_RETRY_BASE_DELAY: '1',
    LSPE_DDB_LIB: installation.dynamodbLocal,
    LSPE_DDB_SERVER: DYNAMODB_SERVER,
    LSPE_NODE: process.execPath,
    NODE_NO_WARNINGS: '1',
    ...(proxy && { LSPE_ENDPOINT_PROXY: proxy }),
  };
}

/** A loopback port that nobody listens on now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}
