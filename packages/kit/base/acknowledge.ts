import { CfnElement, Stack, Validations } from 'aws-cdk-lib';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { ServiceFunction } from './service-function.construct.js';

/**
 * Acknowledges one wildcard in the permissions of a function, with the reason why it can't be narrower.
 *
 * @param of resource whose ARN the wildcard begins with
 * @param rest rest of the wildcard after the ARN, for example `/stream/*`
 */
export function acknowledgeWildcard(handler: ServiceFunction, of: Construct, rest: string, reason: string): void {
  const cfn = of.node.defaultChild;
  if (!CfnElement.isCfnElement(cfn))
    throw new Error(`${of.node.path} has no CloudFormation resource: expected an L2 construct with a default child`);
  const id = `AwsSolutions-IAM5[Resource::<${Stack.of(of).resolve(cfn.logicalId)}.Arn>${rest}]`;
  Validations.of(handler).acknowledge({ id, reason });
}

/** Prefixes of the rule ids of the compliance packs. */
const COMPLIANCE_PACKS = ['NIST.800.53.R5', 'PCI.DSS.321', 'HIPAA.Security'];

/**
 * Acknowledges rules that the compliance packs share, for all resources below a construct.
 * @param reasons reason by rule
 */
export function acknowledgeCompliance(scope: Construct, reasons: Readonly<Record<string, string>>): void {
  for (const [rule, reason] of Object.entries(reasons)) {
    for (const pack of COMPLIANCE_PACKS) Validations.of(scope).acknowledge({ id: `${pack}-${rule}`, reason });
  }
}

/** Acknowledges that a dead-letter queue has no dead-letter queue of its own. */
export function acknowledgeIsDeadLetterQueue(queue: Queue): void {
  const reason = 'It is a dead-letter queue itself, for 14 days and with an alarm.';
  Validations.of(queue).acknowledge({ id: 'AwsSolutions-SQS3', reason });
  Validations.of(queue).acknowledge({ id: 'Serverless-SQSRedrivePolicy', reason });
}

/** Acknowledges that the event source mapping of a queue has no on-failure destination. */
export function acknowledgeQueueSource(handler: ServiceFunction): void {
  Validations.of(handler).acknowledge({
    id: 'Serverless-LambdaEventSourceMappingDestination',
    reason: 'Lambda has no on-failure destination for a queue: the queue redrives what fails to its dead-letter queue.',
  });
}
