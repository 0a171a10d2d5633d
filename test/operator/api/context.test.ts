import { CloudFormationClient, type DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Output } from '../../../packages/kit/base/outputs.js';
import { functionContext } from '../../../packages/operator/api/context.js';
import { OperatorApiEnv } from '../../../packages/operator/api/contract.js';

const STACKS = ['shop-dev-Trips', 'shop-dev-Hotel', 'shop-dev-Audit'];

beforeEach(() => {
  vi.stubEnv(OperatorApiEnv.STACKS, JSON.stringify(STACKS));
  vi.stubEnv('APP', 'shop');
  vi.stubEnv('ENVIRONMENT', 'dev');
  vi.stubEnv('AWS_REGION', 'eu-west-1');
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const outputs = (name: string) =>
  Object.entries({
    [Output.SERVICE]: name,
    [Output.TABLE]: name,
    [Output.RECORDS]: `${name}-records`,
    [Output.RELAY]: `${name}-relay`,
    [Output.CONSUMERS]: '[]',
    [Output.FEED_SHARDS]: '[{"from":"1970-01-01T00:00:00.000Z","shards":1}]',
  }).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue }));

/** Lets CloudFormation know some stacks, and answer for the others with an error. */
function deployed(known: readonly string[], error: Error): void {
  vi.spyOn(CloudFormationClient.prototype, 'send').mockImplementation(async (command: unknown) => {
    const { StackName = '' } = (command as DescribeStacksCommand).input;
    if (!known.includes(StackName)) throw Object.assign(error, { message: error.message.replace('%', StackName) });
    return { Stacks: [{ StackName, Outputs: outputs(StackName.slice('shop-dev-'.length).toLowerCase()) }] };
  });
}
const failing = (name: string, message: string) => Object.assign(new Error(message), { name });

test('an environment without one of its stacks is the others, and names the one', async () => {
  deployed(['shop-dev-Trips', 'shop-dev-Audit'], failing('ValidationError', 'Stack with id % does not exist'));
  const { services, stacks, missingStacks } = await functionContext({ program: 'shop' })();
  expect(services.map(({ name }) => name)).toEqual(['audit', 'trips']);
  expect(Object.keys(stacks)).toEqual(['Trips', 'Audit']);
  expect(missingStacks).toEqual(['shop-dev-Hotel']);
});

test('an environment without a service is a fault, and so is any other error of CloudFormation', async () => {
  deployed([], failing('ValidationError', 'Stack with id % does not exist'));
  await expect(functionContext({ program: 'shop' })()).rejects.toThrow("No service of 'dev' is deployed.");
  vi.restoreAllMocks();
  deployed(['shop-dev-Trips'], failing('Throttling', 'Rate exceeded'));
  await expect(functionContext({ program: 'shop' })()).rejects.toThrow('Rate exceeded');
});
