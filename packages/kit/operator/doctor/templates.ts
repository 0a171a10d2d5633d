import { CloudFormationClient, GetTemplateCommand, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import type { CommandContext } from '../context.js';
import { clientConfig } from '../endpoint.js';
import { stackPrefix } from '../stacks.js';

/** A resource as its template wants it, under the name that it has. */
export interface DeployedResource {
  /** Last part of its stack's name. */
  readonly stack: string;
  readonly logicalId: string;
  readonly type: string;
  readonly physicalId: string;
  /** As in the template: texts, numbers and truth values, and intrinsic functions as objects. */
  readonly properties: Readonly<Record<string, unknown>>;
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
      for (const { LogicalResourceId: logicalId = '', PhysicalResourceId: physicalId = '' } of StackResourceSummaries) {
        const { Type: type, Properties: properties = {} } = Resources[logicalId] ?? {};
        if (type !== undefined) found.push({ stack, logicalId, type, physicalId, properties });
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
