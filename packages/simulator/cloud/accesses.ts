import type { AccountAndRegion } from '../assembly/identity.js';
import { requiredTableAccesses } from '../services/dynamodb/access.js';
import type { DynamoDbModel } from '../services/dynamodb/model.js';
import { type Entry, requiredAccess } from '../services/events/put-events.js';
import type { Access } from '../services/iam/model.js';
import type { Kms } from '../services/kms/model.js';
import { groupOf } from '../services/scheduler/api.js';
import type { Secrets } from '../services/secretsmanager/model.js';
import { arnOf } from '../services/ssm/model.js';
import { machineOfToken } from '../services/states/api.js';
import type { AwsError, WireRequest } from '../wire/request.js';

/** Parts of an account that know which resources a request names. */
interface Asked {
  readonly dynamodb: DynamoDbModel;
  readonly kms: Kms;
  readonly secrets: Secrets;
  readonly home: AccountAndRegion;
}

/** Returns the accesses that a request needs; none for a service whose resources have no policies here. */
export function requiredAccesses(
  { service, operation, input }: WireRequest,
  { dynamodb, kms, secrets, home }: Asked,
): readonly Access[] {
  switch (service) {
    case 'dynamodb':
      return requiredTableAccesses(operation, input, (table) => dynamodb.partitionKeyOf(table), home);
    case 'events':
      return operation === 'PutEvents'
        ? ((input.Entries ?? []) as readonly Entry[]).map((entry) => requiredAccess(entry, home))
        : [];
    case 'sqs': {
      // It names no queue, so no resource can be compared.
      if (operation === 'ListQueues') return [{ action: 'sqs:ListQueues', resource: '*' }];
      const name = String(input.QueueUrl).split('/').at(-1) ?? '';
      // A batch needs the permission of its parts.
      return [{ action: `sqs:${operation.replace(/Batch$/, '')}`, resource: home.arn('sqs', name) }];
    }
    case 'sns':
      return [
        { action: `sns:${operation.replace(/Batch$/, '')}`, resource: String(input.TopicArn ?? input.TargetArn) },
      ];
    case 'kinesis': {
      const { StreamARN, StreamName } = input;
      const named = StreamName === undefined ? '*' : home.arn('kinesis', `stream/${String(StreamName)}`);
      return [{ action: `kinesis:${operation}`, resource: String(StreamARN ?? named) }];
    }
    case 'secretsmanager':
      return [
        {
          action: `secretsmanager:${operation}`,
          resource: input.SecretId === undefined ? '*' : secrets.arnOf(String(input.SecretId)),
        },
      ];
    case 'scheduler': {
      // EventBridge Scheduler User Guide, "Identity-based policies": whoever creates a schedule passes its role on.
      const { RoleArn } = (input.Target ?? {}) as { readonly RoleArn?: string };
      const context = { 'iam:PassedToService': 'scheduler.amazonaws.com' };
      const name = input.Name === undefined ? '*' : `${groupOf(input)}/${String(input.Name)}`;
      return [
        { action: `scheduler:${operation}`, resource: home.arn('scheduler', `schedule/${name}`) },
        ...(RoleArn === undefined ? [] : [{ action: 'iam:PassRole', resource: RoleArn, context }]),
      ];
    }
    case 'states':
      return [{ action: `states:${operation}`, resource: findStatesResource(input) }];
    case 'kms': {
      const { key, context } = kms.requiredAccess(input);
      return [{ action: `kms:${operation}`, resource: key, context }];
    }
    case 'ssm': {
      const names = (input.Names ?? [input.Name ?? input.Path]) as readonly unknown[];
      return names.map((name) => ({ action: `ssm:${operation}`, resource: arnOf(String(name), home) }));
    }
    case 'lambda': {
      const name = String(input.FunctionName).replace(/^.*function:/, '');
      return [
        {
          action: `lambda:${operation === 'Invoke' ? 'InvokeFunction' : operation}`,
          resource: home.arn('lambda', `function:${name}`),
        },
      ];
    }
    case 'cognito-idp': {
      // Amazon Cognito, "Operations that don't need credentials": what a user does for himself. Of a pool's ARN, the id is known.
      if (!/^(Admin|List|Describe)|Group$/.test(operation)) return [];
      const resource =
        input.UserPoolId === undefined ? '*' : home.arn('cognito-idp', `userpool/${String(input.UserPoolId)}`);
      return [{ action: `cognito-idp:${operation}`, resource }];
    }
    case 'cloudformation': {
      // Of a request without a name every stack is asked.
      const resource =
        input.StackName === undefined ? '*' : home.arn('cloudformation', `stack/${String(input.StackName)}/simulated`);
      return [{ action: `cloudformation:${operation}`, resource }];
    }
    case 'monitoring':
      // Service Authorization Reference, "Amazon CloudWatch": GetMetricData has no resource; DescribeAlarms is asked for all.
      return [{ action: `cloudwatch:${operation}`, resource: '*' }];
    case 'logs': {
      // Service Authorization Reference, "Amazon CloudWatch Logs": the result of a query has no resource.
      const { logGroupNames, logGroupName } = input;
      const names =
        operation === 'GetQueryResults' || operation === 'DescribeLogGroups' ? [] : (logGroupNames ?? [logGroupName]);
      const groups = (names as readonly unknown[]).map((name) => home.arn('logs', `log-group:${String(name)}`));
      return (groups.length > 0 ? groups : ['*']).map((resource) => ({ action: `logs:${operation}`, resource }));
    }
    case 's3': {
      // "GetObject": reading a version by its id needs a separate permission, and not that of the current version.
      const action = `${OBJECT_RIGHTS[operation] ?? operation}${input.VersionId === undefined ? '' : 'Version'}`;
      const object = input.Key === undefined ? '' : `/${String(input.Key)}`;
      return [{ action: `s3:${action}`, resource: `arn:aws:s3:::${String(input.Bucket)}${object}` }];
    }
    default:
      return [];
  }
}

/** Service Authorization Reference, "AWS Step Functions": the right to answer a task is one on its state machine. */
const findStatesResource = ({ stateMachineArn, executionArn, taskToken }: WireRequest['input']): string =>
  String(stateMachineArn ?? executionArn ?? machineOfToken(taskToken) ?? '*');

/** Rights whose names aren't those of their operations. Amazon S3 User Guide, "Required permissions for API operations". */
const OBJECT_RIGHTS: Readonly<Record<string, string>> = {
  HeadObject: 'GetObject',
  HeadBucket: 'ListBucket',
  ListObjectsV2: 'ListBucket',
  ListBuckets: 'ListAllMyBuckets',
};

/** Returns the error for a caller that lacks a right. @param user its ARN */
export function accessDenied({ service }: WireRequest, user: string, access: Access): AwsError {
  const message = `User: ${user} is not authorized to perform: ${access.action} on resource: ${access.resource}`;
  if (service === 's3') return { status: 403, code: 'AccessDenied', message };
  const code = service === 'dynamodb' ? 'com.amazon.coral.service#AccessDeniedException' : 'AccessDeniedException';
  return { status: 400, code, message };
}
