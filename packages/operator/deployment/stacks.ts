import {
  CloudFormationClient,
  DescribeStacksCommand,
  type Output,
  paginateDescribeStacks,
} from '@aws-sdk/client-cloudformation';
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
export const readStacks = async (endpoint: Endpoint, app: string, environment: string): Promise<StackOutputs> =>
  (await readDeployment(endpoint, app, environment)).stacks;

/** The stacks of an environment, and the account that they are in: their ARNs name it. */
export interface Deployment {
  readonly stacks: StackOutputs;
  readonly account: string | undefined;
}

/** Does the same, and says in which account the stacks are. @throws {Error} */
export async function readDeployment(endpoint: Endpoint, app: string, environment: string): Promise<Deployment> {
  const client = new CloudFormationClient(clientConfig(endpoint));
  const prefix = stackPrefix(app, environment);
  const outputs: Record<string, StackOutputs[string]> = {};
  let account: string | undefined;
  try {
    for await (const { Stacks = [] } of paginateDescribeStacks({ client }, {})) {
      for (const { StackName = '', StackId = '', Outputs = [] } of Stacks) {
        const name = StackName.slice(prefix.length);
        // The last part has no hyphen: `shop-dev-eu-Orders` does not belong to `dev`.
        if (!StackName.startsWith(prefix) || name.includes('-')) continue;
        account ??= StackId.split(':')[4];
        outputs[name] = toOutputs(Outputs);
      }
    }
  } finally {
    client.destroy();
  }
  return { stacks: outputs, account };
}

/**
 * Reads the outputs of the stacks with these names. The caller needs no permission to see any other stack.
 * @returns the outputs by the stacks' whole names
 * @throws {Error} if CloudFormation cannot be reached, refuses the access, or knows no such stack
 */
export async function readStacksNamed(client: CloudFormationClient, names: readonly string[]): Promise<StackOutputs> {
  const read = names.map(async (StackName) => {
    const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand({ StackName }));
    return [StackName, toOutputs(stack?.Outputs)] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}

/** The stacks of some names that exist. */
export interface StacksFound {
  /** Outputs by the stacks' whole names. */
  readonly stacks: StackOutputs;
  /** Names of the stacks that don't exist. */
  readonly missing: readonly string[];
}

/** Does the same with the stacks that exist. @throws {Error} if CloudFormation cannot be reached, or refuses the access */
export async function findStacksNamed(client: CloudFormationClient, names: readonly string[]): Promise<StacksFound> {
  const found = await Promise.all(
    names.map(async (name) => {
      try {
        return { name, stacks: await readStacksNamed(client, [name]) };
      } catch (error) {
        if (doesNotExist(error)) return { name };
        throw error;
      }
    }),
  );
  return {
    stacks: Object.assign({}, ...found.map(({ stacks = {} }) => stacks)),
    missing: found.flatMap(({ name, stacks }) => (stacks ? [] : [name])),
  };
}

/** CloudFormation has one name for all refusals of a request, and says this one in words: `Stack with id x does not exist`. */
const doesNotExist = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ValidationError' && error.message.includes('does not exist');

const toOutputs = (outputs: readonly Output[] = []): StackOutputs[string] =>
  Object.fromEntries(outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]));
