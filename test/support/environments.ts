import { readFileSync } from 'node:fs';
import { App, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { OrderlyEnvironment } from '../../lib/environment.js';
import { type Overrides, settingsFor } from '../../lib/settings.js';
import { type ConsumerDescription, type FunctionDescription, Output } from '../../packages/kit/base/outputs.js';

/** Stacks of services. */
export const SERVICES = [
  'Orders',
  'Inventory',
  'Accounts',
  'Payments',
  'Catalog',
  'Baskets',
  'Users',
  'Rewards',
  'Reports',
] as const;
export const STACKS = ['Platform', ...SERVICES, 'Api', 'Audit', 'Operations'] as const;
/** Stacks that a setting adds. */
export const STACKS_OF_SETTINGS = ['Webhooks'] as const;
export type StackName = (typeof STACKS)[number] | (typeof STACKS_OF_SETTINGS)[number];

/** Overrides with which `prod` has all stacks. With webhooks it reserves more than the quota of its settings. */
export const ALL_STACKS = { webhooks: 'on', concurrency: 'unreserved' } as const satisfies Overrides;

/** Bundles without content. Templates don't depend on it, so nothing is built for them. */
export const noCode = { code: () => Code.fromInline('exports.handler = async () => {};') };

/**
 * Creates an app with the flags of cdk.json, as the command line does. It leaves out what only people would read: the tree of
 * constructs, and where each was created, which takes a tenth of a synthesis.
 */
export const newApp = (): App => {
  const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));
  return new App({ context: { ...context, 'aws:cdk:disable-creation-stack-traces': true }, treeMetadata: false });
};

export function addEnvironment(app: App, environment: string, overrides: Overrides = {}): OrderlyEnvironment {
  return new OrderlyEnvironment(app, environment, { settings: settingsFor(environment, overrides), bundles: noCode });
}

export const stackOf = (stage: OrderlyEnvironment, name: StackName): Stack => stage.node.findChild(name) as Stack;

// biome-ignore lint/suspicious/noExplicitAny: a template is JSON of any shape, and assertions look into it
export type Json = any;

export interface Resource {
  readonly id: string;
  readonly type: string;
  readonly properties: Json;
  readonly attributes: Json;
}

type Synthesized = ReturnType<typeof synthesize>;
const cache = new Map<string, Synthesized>();

/**
 * Synthesizes one environment's templates, once for all test files of a process, with short access to their resources.
 */
export function synthesized(environment: string, overrides: Overrides = {}): Synthesized {
  const key = JSON.stringify([environment, overrides]);
  const known = cache.get(key) ?? synthesize(environment, overrides);
  cache.set(key, known);
  return known;
}

function synthesize(environment: string, overrides: Overrides) {
  const app = newApp();
  const stage = addEnvironment(app, environment, overrides);
  const stacks = [...STACKS, ...STACKS_OF_SETTINGS].filter((name) => stage.node.tryFindChild(name));
  const templates = new Map<StackName, Json>(
    stacks.map((name) => [name, Template.fromStack(stackOf(stage, name)).toJSON()]),
  );
  const resources = (stack: StackName, type?: string): readonly Resource[] =>
    Object.entries<Json>(templates.get(stack)?.Resources ?? {})
      .filter(([, resource]) => type === undefined || resource.Type === type)
      .map(([id, resource]) => ({
        id,
        type: resource.Type,
        properties: resource.Properties ?? {},
        attributes: resource,
      }));
  const everywhere = (type: string) =>
    stacks.flatMap((stack) => resources(stack, type).map((resource) => ({ stack, ...resource })));
  return { app, stage, stacks, template: (name: StackName): Json => templates.get(name), resources, everywhere };
}

/** A consumer, as the output of its service's stack describes it. Addresses and names of functions are logical ids. */
export interface Consumer extends ConsumerDescription {
  readonly stack: StackName;
  readonly service: string;
  /** Id of its construct, with which the logical ids of its queues, rules and alarms begin. */
  readonly id: string;
}

/** Returns all consumers of an environment, by the outputs of its stacks. */
export const consumersOf = (environment: Synthesized): readonly Consumer[] =>
  environment.stacks.flatMap((stack) => {
    const { Outputs } = environment.template(stack);
    const consumers = described(Outputs?.[Output.CONSUMERS]) as readonly ConsumerDescription[];
    return consumers.map((description) => ({
      ...description,
      stack,
      service: Outputs[Output.SERVICE].Value,
      id: description.queueUrl.replace(/Queue[0-9A-F]{8}$/, ''),
    }));
  });

/** Returns all functions of an environment, by the outputs of its stacks. Their names are logical ids. */
export const functionsOf = (
  environment: Synthesized,
): readonly (FunctionDescription & { readonly stack: StackName })[] =>
  environment.stacks.flatMap((stack) =>
    Object.entries<Json>(environment.template(stack).Outputs ?? {})
      .filter(([key]) => key.endsWith(Output.FUNCTIONS))
      .flatMap(([, output]) => described(output) as readonly FunctionDescription[])
      .map((description) => ({ ...description, stack })),
  );

/** Parses an output whose value is a JSON array. References become logical ids. */
function described(output: Json): readonly object[] {
  if (output === undefined) return [];
  const text = [output.Value['Fn::Join']?.[1] ?? output.Value]
    .flat()
    .map((part) => referenced(part) ?? part)
    .join('');
  return JSON.parse(text);
}

/** Returns the statements of a role's own policies. @param role properties of a role */
export const policyStatements = (role: Json): Json[] =>
  (role?.Policies ?? []).flatMap(({ PolicyDocument }: Json) => PolicyDocument.Statement);

/** Returns every statement of every role in an environment, with the role's logical id. */
export function statements(environment: ReturnType<typeof synthesized>) {
  return environment.everywhere('AWS::IAM::Role').flatMap(({ stack, id, properties }) =>
    policyStatements(properties).map((statement: Json) => ({
      stack,
      policy: id,
      actions: [statement.Action].flat() as string[],
      resources: [statement.Resource].flat() as Json[],
      condition: statement.Condition as Json,
    })),
  ) as readonly { stack: StackName; policy: string; actions: string[]; resources: Json[]; condition: Json }[];
}

/** Returns the metrics that an alarm watches, also those that it combines. @param alarm properties of an alarm */
export const metricsOf = (alarm: Json): readonly { name: string; label?: string; of: Json; stat: string }[] =>
  alarm.Metrics === undefined
    ? [{ name: alarm.MetricName, of: alarm.Dimensions, stat: alarm.Statistic }]
    : alarm.Metrics.filter(({ MetricStat }: Json) => MetricStat !== undefined).map(({ Label, MetricStat }: Json) => ({
        name: MetricStat.Metric.MetricName,
        label: Label,
        of: MetricStat.Metric.Dimensions,
        stat: MetricStat.Stat,
      }));

/** Returns the logical id that a `Ref` or `Fn::GetAtt` points to. */
export const referenced = (value: Json): string | undefined => value?.Ref ?? value?.['Fn::GetAtt']?.[0];

/**
 * Condition that limits access to items by their key prefixes, and excludes requests without keys. `ForAllValues` alone
 * would admit those.
 */
export const keyed = (...keys: string[]) => ({
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys },
  Null: { 'dynamodb:LeadingKeys': 'false' },
});

/** Finds resources of one stack's template by the beginning of their logical ids. */
export const propertiesIn = (Resources: Json) => {
  const found = (beginning: string, type: string): Json =>
    Object.entries<Json>(Resources).find(([id, { Type }]) => id.startsWith(beginning) && Type === type)?.[1].Properties;
  return {
    found,
    statementsOf: (role: string): Json[] => policyStatements(found(role, 'AWS::IAM::Role')),
  };
};
