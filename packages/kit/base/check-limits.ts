import { CfnOutput, CfnResource, Reference, Stack, Tokenization } from 'aws-cdk-lib';
import { CfnResource as ApiPath } from 'aws-cdk-lib/aws-apigateway';
import { CfnRule } from 'aws-cdk-lib/aws-events';
import { CfnPolicy } from 'aws-cdk-lib/aws-iam';
import type { Construct, IConstruct } from 'constructs';
import { describeExcess, findExcess } from './limits.js';
import { estimateJsonBytes } from './text-length.js';

/** Regions in which a bus has at most 100 rules. In every other one it has 300. */
const REGIONS_WITH_FEW_RULES = ['af-south-1', 'eu-south-1'];

/**
 * Refuses at synth what AWS would refuse in the middle of a deployment, after minutes and by a logical id: sizes of names,
 * policies and patterns, and numbers of rules, paths, outputs and indexes. It checks all stacks of the app, once.
 *
 * The CDK itself refuses more than 500 resources of a stack when it writes the template, and says from 400 on that a stack
 * comes close (`Stack.maxResources`). It divides a role's own policy above 10,000 characters into managed policies.
 * `ServiceFunction` checks the variables of its function.
 */
export function checkLimits(scope: Construct): void {
  const { root } = scope.node;
  if (CHECKED.has(root)) return;
  CHECKED.add(root);
  root.node.addValidation({ validate: () => findAllExcess(root) });
}

const CHECKED = new WeakSet<IConstruct>();

function findAllExcess(root: IConstruct): string[] {
  const constructs = root.node.findAll();
  const resources = constructs.filter((construct) => CfnResource.isCfnResource(construct));
  return [
    ...resources.flatMap(findExcess),
    ...findOutputs(constructs),
    ...findRules(resources),
    ...findPaths(resources),
    ...findPolicies(resources),
  ];
}

const findOutputs = (constructs: readonly IConstruct[]): readonly string[] =>
  countBy(constructs.filter((one) => one instanceof CfnOutput).map((output) => Stack.of(output).node.path))
    .filter(([, size]) => size > 200)
    .map(([stack, size]) =>
      describeExcess(stack, size, {
        of: 'outputs',
        most: 200,
        source: 'CloudFormation quotas',
        remedy: 'divide the stack: each endpoint is one output, which the API imports',
      }),
    );

function findRules(resources: readonly CfnResource[]): readonly string[] {
  const rules = resources.filter((resource) => resource instanceof CfnRule);
  return countBy(rules.map((rule) => findBus(rule))).flatMap(([bus, size]) => {
    const few = rules.some((rule) => findBus(rule) === bus && REGIONS_WITH_FEW_RULES.includes(rule.stack.region));
    const most = few ? 100 : 300;
    if (size <= most) return [];
    return describeExcess(`bus ${bus}`, size, {
      of: 'rules',
      most,
      source: 'Amazon EventBridge quotas, adjustable',
      remedy:
        'let consumers share subscriptions, since each subscription of a consumer is one rule, or deploy two buses',
    });
  });
}

/** Returns the path of a rule's bus, or its name if the bus is not of this app. */
function findBus({ eventBusName, stack }: CfnRule): string {
  if (eventBusName === undefined) return `default of ${stack.account} ${stack.region}`;
  const [token] = Tokenization.reverseString(eventBusName).tokens;
  return token !== undefined && Reference.isReference(token) ? token.target.node.path : eventBusName;
}

const findPaths = (resources: readonly CfnResource[]): readonly string[] =>
  countBy(
    resources
      .filter((resource) => resource instanceof ApiPath)
      .map((path) => `${path.stack.node.path} ${JSON.stringify(path.stack.resolve(path.restApiId))}`),
  )
    .filter(([, size]) => size > 300)
    .map(([api, size]) =>
      describeExcess(`API of ${api}`, size, {
        of: 'paths',
        most: 300,
        source: 'API Gateway quotas, adjustable',
        remedy: 'serve some services by another API',
      }),
    );

/** Returns an error for each role whose own policies are too large together. */
function findPolicies(resources: readonly CfnResource[]): readonly string[] {
  const sizes = new Map<string, number>();
  for (const policy of resources.filter((resource) => resource instanceof CfnPolicy)) {
    const size = estimateJsonBytes(policy.stack.resolve(policy.policyDocument));
    for (const role of (policy.stack.resolve(policy.roles) ?? []) as readonly unknown[]) {
      const name = `${policy.stack.node.path} ${JSON.stringify(role)}`;
      sizes.set(name, (sizes.get(name) ?? 0) + size);
    }
  }
  return [...sizes]
    .filter(([, size]) => size > 10_240)
    .map(([role, size]) =>
      describeExcess(`role ${role}`, size, {
        of: 'characters of its own policies',
        most: 10_240,
        source: 'IAM and AWS STS quotas',
        remedy: 'divide the function, or grant by a managed policy',
      }),
    );
}

function countBy(names: readonly string[]): readonly (readonly [name: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts];
}
