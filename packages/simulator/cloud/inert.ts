import type { Assembly, Resource } from '../assembly/assembly.js';
import { NOT_RUN } from '../assembly/custom-resources.js';
import type { JsonObject } from '../assembly/intrinsics.js';
import type { Obstacle } from '../assembly/obstacles.js';

/**
 * Resource types that have no effect in a history, each with the reason. `findEffects` looks for properties that would give them one. Any
 * other type without a model is an obstacle.
 */
export const INERT: Readonly<Record<string, string>> = {
  'AWS::Budgets::Budget': 'nobody pays for a history',
  'AWS::CDK::Metadata': 'for statistics of the CDK only',
  'AWS::Backup::BackupPlan': 'copies are made and restored by AWS, and no history restores one',
  'AWS::Backup::BackupSelection': 'as the plan',
  'AWS::Backup::BackupVault': 'as the plan',
  'AWS::CloudWatch::Alarm': 'nobody looks at alarms in a history; what they would show is asked of the models',
  'AWS::CloudWatch::CompositeAlarm': 'as the alarms of which it is made',
  'AWS::CloudWatch::Dashboard': 'nobody looks',
  'AWS::Logs::LogGroup': 'lines are collected without it',
  'AWS::Logs::LogStream': 'as the group',
  'AWS::Events::Archive': 'replays are made by hand, from what the bus has taken',
  'AWS::ApiGateway::Account': "API Gateway's right to write logs",
  'AWS::ApiGateway::Deployment': 'a snapshot of routes that are all there from the beginning',
  'AWS::ApiGateway::DomainName': 'a second address of an API, whose first one answers here',
  'AWS::ApiGateway::BasePathMapping': 'as the domain name',
  'AWS::ApiGatewayV2::ApiMapping': 'as the domain name of a REST API',
  'AWS::ApiGatewayV2::Deployment': 'a snapshot of routes that are all there from the beginning',
  'AWS::ApiGatewayV2::DomainName': 'as the domain name of a REST API',
  'AWS::Route53::RecordSet': 'points the world outside to a domain name',
  'AWS::Cognito::ManagedLoginBranding': 'the looks of pages on which people sign in',
  'AWS::Cognito::UserPoolUICustomizationAttachment': 'as the branding',
  'AWS::SES::ConfigurationSet': 'nothing is sent by it: a call that sends mail is an error that names it',
  'AWS::SES::EmailIdentity': 'as the configuration set',
  'AWS::SES::Template': 'as the configuration set',
  'AWS::WAFv2::WebACL': 'refuses what no scenario sends',
  'AWS::WAFv2::WebACLAssociation': 'as the ACL',
  'AWS::WAFv2::LoggingConfiguration': 'as the ACL',
  'AWS::Lambda::LayerVersionPermission': 'who else may use a layer',
  'AWS::CloudFormation::WaitConditionHandle': 'the address of a wait condition',
  ...NOT_RUN,
};

/** These may reach people too (a pager's endpoint), as long as only alarms publish: no alarm ever goes off here. */
const TO_PAGERS = ['http', 'https'];

/** Properties that would give an inert resource an effect, by its type. */
const WITH_EFFECT: Readonly<Record<string, readonly string[]>> = {
  'AWS::ApiGateway::Deployment': ['DeploymentCanarySettings', 'StageDescription', 'StageName'],
};

/** Finds what has no model and has an effect all the same: nothing may wait for a message that is never delivered. */
export const findEffects = (assembly: Assembly): readonly Obstacle[] => [
  ...assembly.resources.flatMap((resource) => {
    const effect = WITH_EFFECT[resource.type]?.find((name) => resource.properties[name] !== undefined);
    return effect === undefined ? [] : [carrier(resource, effect)];
  }),
  ...findDeliveries(assembly),
  ...findDestinations(assembly),
];

const carrier = ({ type, label }: Resource, what: string): Obstacle => ({ type, label, what, mayBeIgnored: false });

/** Finds rules whose topic has a subscription by HTTP: that may be a program, and no request to an endpoint is made here. */
function findDeliveries(assembly: Assembly): readonly Obstacle[] {
  const subscriptions = listSubscriptions(assembly);
  return assembly.findByType('AWS::Events::Rule').flatMap((rule) =>
    ((rule.properties.Targets ?? []) as readonly JsonObject[]).flatMap(({ Arn }) => {
      const pager = subscriptions.find(({ topic, protocol }) => topic === Arn && TO_PAGERS.includes(protocol));
      if (!pager) return [];
      const what = `its target ${String(Arn)} has a subscription by ${pager.protocol}, which may reach a program, and SNS sends no requests here`;
      return [carrier(rule, what)];
    }),
  );
}

/** Types to which Lambda can send what came of an invocation, or a dead letter. */
const DESTINATIONS = ['AWS::SQS::Queue', 'AWS::Lambda::Function', 'AWS::SNS::Topic', 'AWS::Events::EventBus'];

/** Finds destinations of invocations that are nothing of the assembly to which Lambda can send. */
function findDestinations(assembly: Assembly): readonly Obstacle[] {
  const invoked = assembly.findByType('AWS::Lambda::EventInvokeConfig').flatMap((config) => {
    const { OnSuccess, OnFailure } = (config.properties.DestinationConfig ?? {}) as Readonly<
      Record<string, { readonly Destination?: string }>
    >;
    return [OnSuccess, OnFailure].map((one) => ({ config, to: one?.Destination }));
  });
  const functions = assembly.findByType('AWS::Lambda::Function').map((config) => {
    const { TargetArn } = (config.properties.DeadLetterConfig ?? {}) as { TargetArn?: string };
    return { config, to: TargetArn };
  });
  return [...invoked, ...functions].flatMap(({ config, to }) =>
    to === undefined || DESTINATIONS.some((type) => assembly.findByType(type).some(({ arn }) => arn === to))
      ? []
      : [carrier(config, `the destination ${to} is no queue, function, topic or bus of this assembly`)],
  );
}

/** Returns the subscriptions of all topics. */
function listSubscriptions(assembly: Assembly) {
  const read = (topic: unknown, { Protocol }: JsonObject) => ({ topic, protocol: String(Protocol) });
  return [
    ...assembly.findByType('AWS::SNS::Subscription').map((one) => read(one.properties.TopicArn, one.properties)),
    ...assembly
      .findByType('AWS::SNS::Topic')
      .flatMap((topic) =>
        ((topic.properties.Subscription ?? []) as readonly JsonObject[]).map((one) => read(topic.arn, one)),
      ),
  ];
}
