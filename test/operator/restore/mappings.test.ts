import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { expect, test } from 'vitest';
import { createApplyAccess } from '../../../packages/operator/restore/apply-access.js';

const arn = (name: string) => `arn:aws:lambda:eu-west-1:111111111111:function:${name}`;

test('the mappings of a function are those that invoke it, and those that invoke an alias of it', async () => {
  const lambda = new LambdaClient({ region: 'eu-west-1' });
  const EventSourceMappings = [
    { UUID: '1', State: 'Enabled', FunctionArn: arn('orders-saga') },
    { UUID: '2', State: 'Enabled', FunctionArn: arn('orders-saga:live') },
    { UUID: '3', State: 'Enabled', FunctionArn: arn('orders-saga-drain') },
  ];
  lambda.send = async () => ({ EventSourceMappings }) as never;
  const context = { documents: {} as never, endpoint: {} as never };
  const access = createApplyAccess(context, lambda, new CloudWatchClient({ region: 'eu-west-1' }));
  expect((await access.listMappings('orders-saga')).map(({ id }) => id)).toEqual(['1', '2']);
});
