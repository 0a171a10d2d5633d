import type { Assembly, Resource, Stack } from '../../assembly/assembly.js';
import type { Json } from '../../assembly/intrinsics.js';
import type { EventLoop } from '../../engine/event-loop.js';
import { type Operations, paginate, Refused } from '../../wire/operation.js';
import type { Input } from '../../wire/request.js';

const STATUS = 'CREATE_COMPLETE';
const PAGE = 100;

/** Parts of an account that its stacks need. */
interface Account {
  readonly deployment: { readonly assembly: Assembly };
  readonly world: EventLoop;
  readonly customResources: { fill(value: Json): Json };
}

/** The deployed stacks. AWS CloudFormation API Reference, "Actions". */
export function cloudformationApi({ deployment: { assembly }, world, customResources }: Account): Operations {
  const CreationTime = new Date(world.begins).toISOString();
  const described = (stack: Stack) => ({
    StackId: idOf(stack, assembly),
    StackName: stack.name,
    ...(typeof stack.template.Description === 'string' && { Description: stack.template.Description }),
    CreationTime,
    StackStatus: STATUS,
    DisableRollback: false,
    EnableTerminationProtection: stack.terminationProtection,
    Capabilities: ['CAPABILITY_IAM', 'CAPABILITY_NAMED_IAM'],
    Outputs: stack.outputs.map(({ key, value, description, exportName }) => ({
      OutputKey: key,
      OutputValue: String(customResources.fill(value)),
      Description: description,
      ExportName: exportName,
    })),
    DriftInformation: { StackDriftStatus: 'NOT_CHECKED' },
  });
  const resources = (input: Input) => {
    const stack = findStack(assembly, input);
    return listResources(assembly, stack).map((resource) => ({
      StackId: idOf(stack, assembly),
      StackName: stack.name,
      LogicalResourceId: resource.logicalId,
      PhysicalResourceId: resource.ref,
      ResourceType: resource.type,
      Timestamp: CreationTime,
      ResourceStatus: STATUS,
    }));
  };
  return {
    DescribeStacks: (input) => {
      const { page, next } = paginate(
        input.StackName === undefined ? assembly.stacks : [findStack(assembly, input)],
        input.NextToken,
        PAGE,
      );
      return { Stacks: page.map(described), NextToken: next };
    },
    ListStacks: ({ StackStatusFilter, NextToken }) => {
      const shown = StackStatusFilter === undefined || (StackStatusFilter as readonly string[]).includes(STATUS);
      const { page, next } = paginate(shown ? assembly.stacks : [], NextToken, PAGE);
      const StackSummaries = page.map((stack) => {
        const { StackId, StackName, StackStatus, DriftInformation } = described(stack);
        return { StackId, StackName, CreationTime, StackStatus, DriftInformation };
      });
      return { StackSummaries, NextToken: next };
    },
    ListStackResources: (input) => {
      const { page, next } = paginate(resources(input), input.NextToken, PAGE);
      const StackResourceSummaries = page.map(({ StackId, StackName, Timestamp, ...resource }) => ({
        ...resource,
        LastUpdatedTimestamp: Timestamp,
      }));
      return { StackResourceSummaries, NextToken: next };
    },
    DescribeStackResources: (input) => {
      const { LogicalResourceId } = input;
      const StackResources = resources(input).filter(
        (resource) => LogicalResourceId === undefined || resource.LogicalResourceId === LogicalResourceId,
      );
      return { StackResources };
    },
    DescribeStackEvents: (input) => {
      findStack(assembly, input);
      return { StackEvents: [] };
    },
    GetTemplate: (input) => ({
      TemplateBody: JSON.stringify(findStack(assembly, input).template),
      StagesAvailable: ['Original', 'Processed'],
    }),
  };
}

const idOf = ({ name }: Stack, { home }: Assembly): string => home.arn('cloudformation', `stack/${name}/simulated`);

const listResources = (assembly: Assembly, { name }: Stack): readonly Resource[] =>
  assembly.resources.filter(({ stack }) => stack === name);

/** @throws {Refused} if there is no such stack: CloudFormation's form of "not found" */
function findStack(assembly: Assembly, { StackName }: Input): Stack {
  const found = assembly.stacks.find((stack) => stack.name === StackName || idOf(stack, assembly) === StackName);
  if (!found) throw new Refused('ValidationError', `Stack with id ${String(StackName)} does not exist`);
  return found;
}
