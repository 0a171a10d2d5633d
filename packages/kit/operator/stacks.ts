import { CloudFormationClient, paginateDescribeStacks } from '@aws-sdk/client-cloudformation';
import { clientConfig, type Endpoint } from './endpoint.js';

/** Outputs of an environment's stacks, by the last part of the stack's name (`Orders`), then by their own names. */
export type StackOutputs = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Prefix of the names of an environment's stacks: `shop-dev-`. */
export const stackPrefix = (app: string, environment: string): string => `${app}-${environment}-`;

/**
 * Reads the outputs of all stacks of an environment.
 * @param app name of the application
 * @throws {Error} if CloudFormation cannot be reached, or refuses the access
 */
export async function readStacks(endpoint: Endpoint, app: string, environment: string): Promise<StackOutputs> {
  const client = new CloudFormationClient(clientConfig(endpoint));
  const prefix = stackPrefix(app, environment);
  const outputs: Record<string, Record<string, string>> = {};
  try {
    for await (const { Stacks = [] } of paginateDescribeStacks({ client }, {})) {
      for (const { StackName = '', Outputs = [] } of Stacks) {
        const name = StackName.slice(prefix.length);
        // The last part has no hyphen: `shop-dev-eu-Orders` does not belong to `dev`.
        if (!StackName.startsWith(prefix) || name.includes('-')) continue;
        const pairs = Outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]);
        outputs[name] = Object.fromEntries(pairs);
      }
    }
  } finally {
    client.destroy();
  }
  return outputs;
}
