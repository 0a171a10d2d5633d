import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LocalRunError } from '../errors.js';
import { waitUntil } from '../progress.js';
import type { Installation } from './install.js';

/** Configuration that starts DynamoDB Local on the loopback interface. */
export const DYNAMODB_SERVER = fileURLToPath(new URL('../dynamodb-local.xml', import.meta.url));
const PLUGIN = fileURLToPath(new URL('plugin', import.meta.url));

export interface LocalStackOptions {
  readonly installation: Installation;
  /** Folder of this instance only, for its log and its functions' files. It is created if it is missing. */
  readonly home: string;
  /** Loopback port. @default a free one */
  readonly port?: number;
  /** Address (`http://127.0.0.1:<port>`) that functions call instead of the endpoint, as `/<function>/<pid>/...`. */
  readonly functionsCall?: string;
}

/** Running LocalStack. It ends with this process, even if this process is killed. */
export interface LocalStack {
  readonly endpoint: string;
  readonly pid: number;
  /** Returns the log so far. */
  log(): string;
  /** Ends LocalStack, DynamoDB Local and every function. Resolves when the port is free. It may be called twice. */
  stop(): Promise<void>;
}

/**
 * Starts LocalStack on 127.0.0.1 and resolves when it answers (after about 2 s).
 * @throws {LocalRunError} with the end of its log, if it ends, or neither answers nor logs anything for 60 s
 */
export async function start({ installation, home, port, functionsCall }: LocalStackOptions): Promise<LocalStack> {
  mkdirSync(home, { recursive: true });
  const logFile = join(home, 'localstack.log');
  const listen = port ?? (await freePort());
  const out = openSync(logFile, 'w');
  // LocalStack ends when its stdin closes, which only this process holds. It has its own process group, since this
  // process handles Ctrl-C.
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
    await awaitReady(child, localStack);
  } catch (error) {
    const tail = localStack.log().slice(-2000);
    await localStack.stop();
    throw new LocalRunError(`LocalStack did not start (${(error as Error).message}):\n${tail}`, { cause: error });
  }
  return localStack;
}

async function awaitReady(child: ChildProcess, { endpoint, log }: LocalStack): Promise<void> {
  let failed: Error | undefined;
  child.once('error', (error) => (failed = error));
  child.stdin?.on('error', () => {}); // the child has ended; its exit code is read below
  await waitUntil(
    async () => {
      if (failed) throw failed;
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
      return (await isAnswering(endpoint)) || undefined;
    },
    { missing: () => `${endpoint} does not answer`, moved: () => log().length },
  );
}

/** Tells whether a LocalStack answers at this endpoint. */
export async function isAnswering(endpoint: string): Promise<boolean> {
  try {
    return (await fetch(`${endpoint}/_localstack/health`, { signal: AbortSignal.timeout(2000) })).ok;
  } catch {
    return false;
  }
}

function environment(installation: Installation, home: string, port: number, proxy?: string): NodeJS.ProcessEnv {
  // Neither the account nor the settings of another LocalStack may reach this one.
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
    DISABLE_EVENTS: '1', // no usage data to LocalStack's makers
    IN_MEMORY_CLIENT: '1', // its services call each other without HTTP
    SQS_ENDPOINT_STRATEGY: 'path',
    SQS_DISABLE_CLOUDWATCH_METRICS: '1', // nobody reads them, and each message costs a query
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

/** Finds a loopback port that is free now. */
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
