import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalRunError } from './errors.js';
import { DYNAMODB_SERVER, freePort } from './localstack/localstack.js';
import { waitUntil } from './progress.js';

/** A request or an answer in DynamoDB's JSON. */
type WireObject = { readonly [member: string]: unknown };

export interface Answer {
  readonly status: number;
  readonly body: WireObject;
}

/** DynamoDB Local in memory, on a free loopback port. It ends with this process, even if this process is killed. */
export class DynamoDbLocal {
  private constructor(
    private readonly process: ChildProcess,
    readonly url: string,
  ) {}

  /**
   * Starts DynamoDB Local and waits until it answers.
   * @param folder jars of DynamoDB Local, as `install` downloads them
   * @throws {LocalRunError} with the end of its output, if it ends before it answers
   */
  static async start(folder: string): Promise<DynamoDbLocal> {
    const port = await freePort();
    const java = process.env.JAVA_HOME ? join(process.env.JAVA_HOME, 'bin', 'java') : 'java';
    const args = ['-Xmx256m', '-XX:TieredStopAtLevel=1', `-Djava.library.path=${folder}`, '-cp', `${folder}/*`];
    // It writes a telemetry file into its working directory. It ends when its stdin closes, which only this process
    // holds.
    const child = spawn(java, [...args, 'org.eclipse.jetty.xml.XmlConfiguration', `port=${port}`, DYNAMODB_SERVER], {
      stdio: ['pipe', 'ignore', 'pipe'],
      cwd: tmpdir(),
      env: { ...process.env, DDB_LOCAL_TELEMETRY: '0' },
    });
    let said = '';
    child.stderr.on('data', (chunk) => (said = (said + chunk).slice(-2000)));
    child.once('error', (error) => (said += error.message));
    const local = new DynamoDbLocal(child, `http://127.0.0.1:${port}/`);
    try {
      await waitUntil(
        async () => {
          if (child.pid === undefined || child.exitCode !== null) throw new Error('it has ended');
          return (await local.answers()) || undefined;
        },
        { missing: () => `${local.url} does not answer`, moved: () => said.length },
      );
    } catch (error) {
      local.stop();
      const why = (error as Error).message;
      throw new LocalRunError(`DynamoDB Local did not start (${why}):\n${said}`, { cause: error });
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

  /**
   * Creates a table.
   * @param table input of CreateTable
   */
  async createTable(table: WireObject): Promise<void> {
    const { status, body } = await this.call('CreateTable', table);
    if (status !== 200) throw new Error(JSON.stringify(body));
  }

  private async answers(): Promise<boolean> {
    try {
      return (await this.call('ListTables', {})).status === 200;
    } catch {
      return false;
    }
  }
}
