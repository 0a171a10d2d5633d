import {
  CloudFormationClient,
  DescribeStacksCommand,
  GetTemplateCommand,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation';
import type { CommandContext } from '../cli/context.js';
import { clientConfig } from '../deployment/endpoint.js';
import { stackPrefix } from '../deployment/stacks.js';

/** A resource as its template wants it, under the name that it has. */
export interface DeployedResource {
  /** Last part of its stack's name. */
  readonly stack: string;
  readonly logicalId: string;
  readonly type: string;
  readonly physicalId: string;
  /** Time at which its newest deployment was through with it. ISO 8601, UTC. */
  readonly deployedAt?: string;
  /** As in the template: texts, numbers and truth values, and intrinsic functions as objects. */
  readonly properties: Readonly<Record<string, unknown>>;
}

/** A stack as CloudFormation describes it. */
export interface StackState {
  /** `UPDATE_COMPLETE` */
  readonly status: string;
  /** Whether CloudFormation refuses to delete it. */
  readonly terminationProtection: boolean;
}

/** Reads the states of an environment's stacks, by the last parts of their names. */
export async function readStackStates({
  app,
  environment,
  endpoint,
  stacks,
}: Pick<CommandContext, 'app' | 'environment' | 'endpoint' | 'stacks'>): Promise<ReadonlyMap<string, StackState>> {
  const client = new CloudFormationClient(clientConfig(endpoint));
  const read = async (stack: string): Promise<readonly [string, StackState]> => {
    const StackName = stackPrefix(app, environment) + stack;
    const { Stacks: [found] = [] } = await client.send(new DescribeStacksCommand({ StackName }));
    const { StackStatus: status = '', EnableTerminationProtection: terminationProtection = false } = found ?? {};
    return [stack, { status, terminationProtection }];
  };
  try {
    return new Map(await Promise.all(Object.keys(stacks).map(read)));
  } finally {
    client.destroy();
  }
}

/** Reads all resources of an environment's stacks, with their templates. */
export async function readResources({
  app,
  environment,
  endpoint,
  stacks,
}: Pick<CommandContext, 'app' | 'environment' | 'endpoint' | 'stacks'>): Promise<readonly DeployedResource[]> {
  const client = new CloudFormationClient(clientConfig(endpoint));
  const read = async (stack: string): Promise<readonly DeployedResource[]> => {
    const StackName = stackPrefix(app, environment) + stack;
    const { TemplateBody = '{}' } = await client.send(new GetTemplateCommand({ StackName }));
    const { Resources = {} } = JSON.parse(TemplateBody) as {
      Resources?: Readonly<
        Record<string, { readonly Type: string; readonly Properties?: DeployedResource['properties'] }>
      >;
    };
    const found: DeployedResource[] = [];
    for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName })) {
      for (const summary of StackResourceSummaries) {
        const { LogicalResourceId: logicalId = '', PhysicalResourceId: physicalId = '' } = summary;
        const { Type: type, Properties: properties = {} } = Resources[logicalId] ?? {};
        const deployedAt = summary.LastUpdatedTimestamp?.toISOString();
        if (type === undefined) continue;
        found.push({ stack, logicalId, type, physicalId, properties, ...(deployedAt !== undefined && { deployedAt }) });
      }
    }
    return found;
  };
  try {
    return (await Promise.all(Object.keys(stacks).map(read))).flat();
  } finally {
    client.destroy();
  }
}
