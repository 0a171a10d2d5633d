import type { ServiceFunction } from '@orderly/kit/internal/base/service-function.construct.js';
import type { Service } from '@orderly/kit/internal/service/service.construct.js';
import { Aws, Stack, Validations } from 'aws-cdk-lib';
import type { Conditions } from 'aws-cdk-lib/aws-iam';

/** Part of a stack's name with which the physical names of its resources begin in any case: CloudFormation shortens long ones. */
const SURE_LENGTH = 24;

/** Returns the beginning of the physical names of a stack's resources, as a pattern of IAM. */
export const namePattern = (stack: string): string => `${stack.slice(0, SURE_LENGTH)}*`;

/**
 * Returns a stack whose resources have names that may also begin those of another one, so that a permission would reach too far.
 * @param prefix beginning of the names of all stacks of the environment
 */
export const findIndistinctStack = (
  stacks: readonly string[],
  others: readonly string[],
  prefix: string,
): string | undefined =>
  stacks.find((name) => {
    const sure = name.slice(0, SURE_LENGTH);
    return sure.length <= prefix.length || others.some((other) => !stacks.includes(other) && other.startsWith(sure));
  });

/** Returns the names of the stacks that contain services, their tables and their records. */
export const listStackNames = (services: readonly Service[]): readonly string[] => [
  ...new Set(
    services.flatMap((service) =>
      [service, service.table, service.records].map((construct) => Stack.of(construct).stackName),
    ),
  ),
];

/** Permission on resources of some stacks, whose physical names begin with their stacks' names. */
export interface StackPermission {
  readonly actions: string[];
  /** Part of the resources' ARNs: `dynamodb`. */
  readonly service: string;
  /** Returns the end of the resources' ARN of one stack, or of all whose names begin so: `table/shop-dev-Board*`. */
  readonly resource: (stack: string) => string;
  /** @default none */
  readonly conditions?: Conditions;
}

/**
 * Allows a function to use resources of some stacks without a reference to them, so that no stack depends on another one for
 * it. Names that a template gives by itself are not found.
 * @param stacks their names, or beginnings of their names
 * @param why reason for which the resources are named by their beginnings, for the rules that are acknowledged
 */
export function grantInStacks(
  handler: ServiceFunction,
  stacks: readonly string[],
  { actions, service, resource, conditions = {} }: StackPermission,
  why: string,
): void {
  const named = stacks.map((stack) => `${service}:${Aws.REGION}:${Aws.ACCOUNT_ID}:${resource(stack)}`);
  handler.grantActionsWhere(conditions, actions, ...named.map((name) => `arn:${Aws.PARTITION}:${name}`));
  for (const stack of stacks) {
    const found = `arn:<AWS::Partition>:${service}:<AWS::Region>:<AWS::AccountId>:${resource(stack)}`;
    Validations.of(handler).acknowledge({ id: `AwsSolutions-IAM5[Resource::${found}]`, reason: why });
  }
}
