import { CfnElement, Stack, Validations } from 'aws-cdk-lib';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { ServiceFunction } from './service-function.construct.js';

/**
 * One wildcard in the rights of a function, with the reason why it can't be narrower.
 *
 * @param of the resource whose ARN it begins with
 * @param rest what follows, as `/stream/*`
 */
export function acknowledgeWildcard(handler: ServiceFunction, of: Construct, rest: string, reason: string): void {
  const cfn = of.node.defaultChild;
  if (!CfnElement.isCfnElement(cfn)) throw new Error(`${of.node.path} has no resource of its own`);
  const id = `AwsSolutions-IAM5[Resource::<${Stack.of(of).resolve(cfn.logicalId)}.Arn>${rest}]`;
  Validations.of(handler).acknowledge({ id, reason });
}

/** What rules of these packs are called before their own names. */
const COMPLIANCE_PACKS = ['NIST.800.53.R5', 'PCI.DSS.321', 'HIPAA.Security'];

/** Rules that the compliance packs share, for all resources below a construct; by rule, the reason. */
export function acknowledgeCompliance(scope: Construct, reasons: Readonly<Record<string, string>>): void {
  for (const [rule, reason] of Object.entries(reasons)) {
    for (const pack of COMPLIANCE_PACKS) Validations.of(scope).acknowledge({ id: `${pack}-${rule}`, reason });
  }
}

/** A queue at the end of the way: what it holds has nowhere further to go. */
export function acknowledgeIsDeadLetterQueue(queue: Queue): void {
  const reason = 'It is a dead-letter queue itself, for 14 days and with an alarm.';
  Validations.of(queue).acknowledge({ id: 'AwsSolutions-SQS3', reason });
  Validations.of(queue).acknowledge({ id: 'Serverless-SQSRedrivePolicy', reason });
}

/** A function that reads a queue by an event source mapping. */
export function acknowledgeQueueSource(handler: ServiceFunction): void {
  Validations.of(handler).acknowledge({
    id: 'Serverless-LambdaEventSourceMappingDestination',
    reason: 'Lambda has no on-failure destination for a queue: the queue redrives what fails to its dead-letter queue.',
  });
}
