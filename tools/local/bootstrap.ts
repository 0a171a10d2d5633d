import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CloudFormationClient,
  CreateStackCommand,
  DescribeStackEventsCommand,
  DescribeStacksCommand,
} from '@aws-sdk/client-cloudformation';
import { clientConfig } from '@orderly/operator';
import { cdk } from './cdk.js';
import type { Endpoint } from './endpoint.js';
import { type Progress, runStep, waitUntil } from './progress.js';

const STACK = 'CDKToolkit';

/**
 * Bootstraps the account for CDK, unless it is bootstrapped already.
 *
 * In an emulator, CDK's own template is created directly: `cdk bootstrap` waits ten seconds there between two polls.
 * @throws {LocalRunError} if CDK fails
 */
export async function bootstrap(endpoint: Endpoint, progress: Progress): Promise<void> {
  const client = new CloudFormationClient(clientConfig(endpoint));
  try {
    if (await readStatus(client)) return;
    await runStep(progress, 'bootstrap', () => (endpoint.url ? create(client, endpoint) : bootstrapAccount(endpoint)));
  } finally {
    client.destroy();
  }
}

async function bootstrapAccount(endpoint: Endpoint): Promise<void> {
  const output = mkdtempSync(join(tmpdir(), 'orderly-bootstrap-'));
  try {
    await cdk(endpoint, ['bootstrap', '--output', output]);
  } finally {
    rmSync(output, { recursive: true, force: true });
  }
}

async function create(client: CloudFormationClient, endpoint: Endpoint): Promise<void> {
  const TemplateBody = await cdk(endpoint, ['bootstrap', '--show-template']);
  await client.send(new CreateStackCommand({ StackName: STACK, TemplateBody, Capabilities: ['CAPABILITY_NAMED_IAM'] }));
  let status: string | undefined;
  await waitUntil(
    async () => {
      status = await readStatus(client);
      if (/FAILED|ROLLBACK/.test(status ?? '')) throw new Error(`${STACK}: ${status}`);
      return status === 'CREATE_COMPLETE' || undefined;
    },
    { missing: () => `${STACK} is ${status}`, moved: () => countEvents(client) },
  );
}

/** Returns the number of the stack's events so far. */
async function countEvents(client: CloudFormationClient): Promise<number | undefined> {
  return (await client.send(new DescribeStackEventsCommand({ StackName: STACK }))).StackEvents?.length;
}

async function readStatus(client: CloudFormationClient): Promise<string | undefined> {
  try {
    return (await client.send(new DescribeStacksCommand({ StackName: STACK }))).Stacks?.[0]?.StackStatus;
  } catch (error) {
    if (error instanceof Error && error.name === 'ValidationError') return undefined; // the stack does not exist
    throw error;
  }
}
