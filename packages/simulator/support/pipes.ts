import type { Json, JsonObject } from '../assembly/intrinsics.js';
import type { Cloud } from '../cloud/cloud.js';
import { allowStatement, arnOf } from './clouds.js';

/** ARN of the pipe that `pipeResource` makes. */
export const PIPE = 'arn:aws:pipes:eu-west-1:123456789012:pipe/mover';

/** A pipe with a role, as resources `Pipe`, `PipeRole`, `PipePolicy`. @param actions that its role allows. @default all */
export const pipeResource = (properties: { readonly [name: string]: Json }, actions: readonly string[] = ['*']) => ({
  Pipe: {
    Type: 'AWS::Pipes::Pipe',
    Properties: { Name: 'mover', RoleArn: arnOf('PipeRole'), Source: arnOf('Source'), ...properties },
  },
  PipeRole: { Type: 'AWS::IAM::Role', Properties: {} },
  PipePolicy: {
    Type: 'AWS::IAM::Policy',
    Properties: { Roles: [{ Ref: 'PipeRole' }], PolicyDocument: { Statement: [allowStatement(actions, '*')] } },
  },
});

/** A queue, and another one for what it gives up after two receives, as resources `Source` and `Dead`. */
export const SOURCE = {
  Dead: { Type: 'AWS::SQS::Queue' },
  Source: {
    Type: 'AWS::SQS::Queue',
    Properties: { VisibilityTimeout: 30, RedrivePolicy: { deadLetterTargetArn: arnOf('Dead'), maxReceiveCount: 2 } },
  },
};

/** Returns the messages of a queue, in the order of their texts. */
export const listMessages = (cloud: Cloud, queue: string): readonly JsonObject[] =>
  cloud
    .queue(`Shop/${queue}`)
    .save()
    .messages.map(({ body }) => body)
    .sort()
    .map((body) => JSON.parse(body) as JsonObject);
