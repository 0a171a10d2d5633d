import {
  CloudFormationClient,
  DescribeStackEventsCommand,
  DescribeStackResourcesCommand,
  DescribeStacksCommand,
  GetTemplateCommand,
  ListStackResourcesCommand,
  ListStacksCommand,
  paginateDescribeStacks,
} from '@aws-sdk/client-cloudformation';
import { expect, test } from 'vitest';
import { awsApiOf } from '../../support/clients.js';
import { createCloud } from '../../support/clouds.js';

const StackName = 'Shop';
const resources = {
  Queue: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'a&b' } },
  Bucket: { Type: 'AWS::S3::Bucket' },
};
const client = () => new CloudFormationClient(awsApiOf(createCloud(resources)).config);

test('stacks are listed and described', async () => {
  const stacks: unknown[] = [];
  for await (const { Stacks = [] } of paginateDescribeStacks({ client: client() }, {})) stacks.push(...Stacks);
  expect(stacks).toMatchObject([
    { StackName, StackStatus: 'CREATE_COMPLETE', EnableTerminationProtection: false, Outputs: [] },
  ]);
  const { StackSummaries } = await client().send(new ListStacksCommand({ StackStatusFilter: ['CREATE_COMPLETE'] }));
  expect(StackSummaries).toMatchObject([{ StackName }]);
  const failed = await client().send(new ListStacksCommand({ StackStatusFilter: ['CREATE_FAILED'] }));
  expect(failed.StackSummaries ?? []).toEqual([]);
});

test("a stack's resources have their physical names", async () => {
  const url = 'https://sqs.eu-west-1.amazonaws.com/123456789012/a&b';
  const queue = { LogicalResourceId: 'Queue', PhysicalResourceId: url, ResourceType: 'AWS::SQS::Queue' };
  const listed = await client().send(new ListStackResourcesCommand({ StackName }));
  expect(listed.StackResourceSummaries).toMatchObject([queue, { LogicalResourceId: 'Bucket' }]);
  const one = await client().send(new DescribeStackResourcesCommand({ StackName, LogicalResourceId: 'Queue' }));
  expect(one.StackResources).toMatchObject([queue]);
  expect((await client().send(new DescribeStackEventsCommand({ StackName }))).StackEvents ?? []).toEqual([]);
});

test('the template of a stack is the one of the assembly', async () => {
  const { TemplateBody = '' } = await client().send(new GetTemplateCommand({ StackName }));
  expect(JSON.parse(TemplateBody)).toEqual({ Resources: resources });
});

test("a stack that doesn't exist is CloudFormation's error", async () => {
  const missing = client().send(new DescribeStacksCommand({ StackName: 'none' }));
  await expect(missing).rejects.toMatchObject({
    name: 'ValidationError',
    message: 'Stack with id none does not exist',
    $metadata: { httpStatusCode: 400 },
  });
});
