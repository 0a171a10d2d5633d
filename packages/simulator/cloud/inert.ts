import type { Assembly, Resource } from '../assembly/assembly.js';
import type { JsonObject } from '../assembly/intrinsics.js';

/**
 * Resource types that have no effect in a history, each with the reason. `checkInert` checks that their properties give them none. Any other type without a model is an error.
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
  'AWS::SNS::Topic': 'reaches people only, which is checked',
  'AWS::SNS::TopicPolicy': 'as the topic',
  'AWS::SNS::Subscription': 'as the topic',
  'AWS::Events::Archive': 'replays are made by hand, from what the bus has taken',
  'AWS::ApiGateway::Account': "API Gateway's right to write logs",
  'AWS::ApiGateway::Deployment': 'a snapshot of routes that are all there from the beginning',
  'AWS::ApiGateway::DomainName': 'a second address of an API, whose first one answers here',
  'AWS::ApiGateway::BasePathMapping': 'as the domain name',
  'AWS::Route53::RecordSet': 'points the world outside to a domain name',
  'AWS::WAFv2::WebACL': 'refuses what no scenario sends',
  'AWS::WAFv2::WebACLAssociation': 'as the ACL',
  'AWS::WAFv2::LoggingConfiguration': 'as the ACL',
};

/** A resource that is inert only as long as nothing but people receives it, and that is wired to more than people. */
export class DeliveryNotModelled extends Error {
  override readonly name = 'DeliveryNotModelled';
}

/** Protocols of SNS by which people are reached. Amazon SNS API Reference, "Subscribe". */
const TO_PEOPLE = ['email', 'email-json', 'sms'];
/** These may reach people too (a pager's endpoint), as long as only alarms publish: no alarm ever goes off here. */
const TO_PAGERS = ['http', 'https'];

/** Properties that would give an inert resource an effect, by its type. */
const WITH_EFFECT: Readonly<Record<string, readonly string[]>> = {
  'AWS::ApiGateway::Deployment': ['DeploymentCanarySettings', 'StageDescription', 'StageName'],
};

/**
 * Checks that what has no model has no effect either: nothing may wait for a message that is never delivered.
 * @throws {DeliveryNotModelled} names the resource and what isn't modelled
 */
export function checkInert(assembly: Assembly): void {
  for (const { type, label, properties } of assembly.resources) {
    const effect = WITH_EFFECT[type]?.find((name) => properties[name] !== undefined);
    if (effect !== undefined) throw new DeliveryNotModelled(`${type} (${label}): ${effect}`);
  }
  const subscriptions = listSubscriptions(assembly);
  for (const { holder, protocol } of subscriptions)
    if (![...TO_PEOPLE, ...TO_PAGERS].includes(protocol))
      throw new DeliveryNotModelled(
        `${holder.type} (${holder.label}): SNS delivers nothing here, and protocol '${protocol}' reaches a program; ` +
          `topics may have subscriptions of people (${TO_PEOPLE.join(', ')}) and of pagers (${TO_PAGERS.join(', ')})`,
      );
  for (const rule of assembly.findByType('AWS::Events::Rule'))
    for (const { Arn } of (rule.properties.Targets ?? []) as readonly JsonObject[]) {
      const pager = subscriptions.find(({ topic, protocol }) => topic === Arn && TO_PAGERS.includes(protocol));
      if (pager)
        throw new DeliveryNotModelled(
          `${rule.type} (${rule.label}): its target ${String(Arn)} has a subscription by ${pager.protocol}, ` +
            'which may reach a program, and SNS delivers nothing here',
        );
    }
  const invoked = assembly.findByType('AWS::Lambda::EventInvokeConfig').map((config) => {
    const { OnFailure } = (config.properties.DestinationConfig ?? {}) as { OnFailure?: { Destination?: string } };
    return { config, to: OnFailure?.Destination };
  });
  const functions = assembly.findByType('AWS::Lambda::Function').map((config) => {
    const { TargetArn } = (config.properties.DeadLetterConfig ?? {}) as { TargetArn?: string };
    return { config, to: TargetArn };
  });
  for (const { config, to } of [...invoked, ...functions]) {
    if (to !== undefined && !assembly.findByType('AWS::SQS::Queue').some(({ arn }) => arn === to))
      throw new DeliveryNotModelled(
        `${config.type} (${config.label}): the destination ${to} is no queue of this assembly`,
      );
  }
}

/** Returns the subscriptions of all topics, with the resource that holds each. */
function listSubscriptions(assembly: Assembly) {
  const read = (holder: Resource, topic: unknown, { Protocol }: JsonObject) => ({
    holder,
    topic,
    protocol: String(Protocol),
  });
  return [
    ...assembly.findByType('AWS::SNS::Subscription').map((one) => read(one, one.properties.TopicArn, one.properties)),
    ...assembly
      .findByType('AWS::SNS::Topic')
      .flatMap((topic) =>
        ((topic.properties.Subscription ?? []) as readonly JsonObject[]).map((one) => read(topic, topic.arn, one)),
      ),
  ];
}
