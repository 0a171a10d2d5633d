import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/** A request or an answer in DynamoDB's JSON. */
type WireObject = { readonly [member: string]: unknown };

const START_MS = 60_000;

/** The folder of DynamoDB Local's jars, as `tools/local` installs them; undefined where it hasn't. */
export function installedAt(): string | undefined {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'orderly');
  const folders = existsSync(cache) ? readdirSync(cache).sort() : [];
  return folders
    .filter((name) => name.startsWith('localstack-') && existsSync(join(cache, name, 'done')))
    .map((name) => join(cache, name, 'dynamodb-local'))
    .find((folder) => existsSync(folder));
}

export interface Answer {
  readonly status: number;
  readonly body: WireObject;
}

/** DynamoDB Local in memory, on a free port of this machine. */
export class DynamoDbLocal {
  private constructor(
    private readonly process: ChildProcess,
    readonly url: string,
  ) {}

  static async start(folder: string): Promise<DynamoDbLocal> {
    const port = await freePort();
    const java = process.env.JAVA_HOME ? join(process.env.JAVA_HOME, 'bin', 'java') : 'java';
    const main = 'com.amazonaws.services.dynamodbv2.local.main.ServerRunner';
    const args = ['-Xmx256m', '-XX:TieredStopAtLevel=1', `-Djava.library.path=${folder}`, '-cp', `${folder}/*`, main];
    // It writes a file about itself where it stands.
    const options = { stdio: 'ignore', cwd: tmpdir(), env: { ...process.env, DDB_LOCAL_TELEMETRY: '0' } } as const;
    const child = spawn(java, [...args, '-inMemory', '-port', String(port)], options);
    const local = new DynamoDbLocal(child, `http://127.0.0.1:${port}/`);
    const limit = Date.now() + START_MS;
    while (!(await local.answers())) {
      if (Date.now() > limit || child.exitCode !== null) {
        local.stop();
        throw new Error('DynamoDB Local did not start');
      }
    }
    return local;
  }

  stop(): void {
    this.process.kill('SIGKILL');
  }

  async call(operation: string, input: WireObject): Promise<Answer> {
    const answer = await fetch(this.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `DynamoDB_20120810.${operation}`,
        authorization: 'AWS4-HMAC-SHA256 Credential=test/20260101/eu-west-1/dynamodb/aws4_request, Signature=0',
      },
      body: JSON.stringify(input),
    });
    return { status: answer.status, body: JSON.parse(await answer.text()) as WireObject };
  }

  /** @param table as CreateTable takes it */
  async createTable(table: WireObject): Promise<void> {
    const { status, body } = await this.call('CreateTable', table);
    if (status !== 200) throw new Error(JSON.stringify(body));
  }

  private async answers(): Promise<boolean> {
    try {
      return (await this.call('ListTables', {})).status === 200;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
      return false;
    }
  }
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
