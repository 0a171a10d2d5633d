import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, test } from 'vitest';
import { DynamoDbLocal } from '../../tools/local/dynamodb-local.js';
import { installed } from '../../tools/local/localstack/install.js';
import { waitUntil } from '../../tools/local/progress.js';

const folder = installed()?.dynamodbLocal;
const elsewhere = Object.values(networkInterfaces())
  .flat()
  .find((address) => address && !address.internal && address.family === 'IPv4')?.address;

async function listens(host: string, url: string): Promise<boolean> {
  const socket = connect(Number(new URL(url).port), host);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

describe.skipIf(folder === undefined)('DynamoDB Local (where LocalStack is installed)', () => {
  let local: DynamoDbLocal | undefined;
  afterEach(() => local?.stop());

  test.skipIf(elsewhere === undefined)(
    'listens on the loopback interface only (skipped where the machine has no other interface)',
    async () => {
      local = await DynamoDbLocal.start(folder!);
      expect(await listens('127.0.0.1', local.url)).toBe(true);
      expect(await listens(elsewhere!, local.url)).toBe(false);
    },
  );

  test('ends when the process that started it is killed', async () => {
    const module = new URL('../../tools/local/dynamodb-local.ts', import.meta.url).href;
    const code = `const { DynamoDbLocal } = await import('${module}');
      process.stdout.write((await DynamoDbLocal.start('${folder}')).url);`;
    const parent = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [said] = (await once(parent.stdout, 'data')) as [Buffer];
    expect(await listens('127.0.0.1', String(said))).toBe(true);
    parent.kill('SIGKILL');
    await waitUntil(async () => !(await listens('127.0.0.1', String(said))) || undefined, {
      missing: () => `${said} still answers`,
    });
  });
});
