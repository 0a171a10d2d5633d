import {
  DeleteParameterCommand,
  DescribeParametersCommand,
  GetParameterCommand,
  GetParametersByPathCommand,
  GetParametersCommand,
  ParameterAlreadyExists,
  ParameterNotFound,
  PutParameterCommand,
  SSMClient,
} from '@aws-sdk/client-ssm';
import { expect, test } from 'vitest';
import { awsApiOf } from '../../support/clients.js';
import { allowStatement, CLIENT, createCloud, functionResource } from '../../support/clouds.js';

const ARN = 'arn:aws:ssm:eu-west-1:123456789012:parameter/shop/key';
const READS = `${CLIENT}
exports.handler = (Name) => call('AmazonSSM.GetParameter', { Name, WithDecryption: true });`;

function shop() {
  const cloud = createCloud(
    { ...functionResource('Work', [allowStatement(['ssm:GetParameter'], ARN)]) },
    { Work: READS },
  );
  return { cloud, ssm: new SSMClient(awsApiOf(cloud).config) };
}

test('parameters are put, read, listed and deleted', async () => {
  const { ssm } = shop();
  const put = (Name: string, Value: string, more: object = {}) =>
    ssm.send(new PutParameterCommand({ Name, Value, Type: 'String', ...more }));
  await put('/shop/key', 'a', { Type: 'SecureString' });
  await put('/shop/deep/other', 'b');
  await expect(put('/shop/key', 'c')).rejects.toThrow(ParameterAlreadyExists);
  expect((await put('/shop/key', 'c', { Overwrite: true })).Version).toBe(2);
  const read = async (WithDecryption: boolean) =>
    (await ssm.send(new GetParameterCommand({ Name: '/shop/key', WithDecryption }))).Parameter?.Value;
  expect([await read(true), await read(false)]).toEqual(['c', 'encrypted']);
  const some = await ssm.send(new GetParametersCommand({ Names: ['/shop/deep/other', 'none'] }));
  expect([some.Parameters?.map(({ Value }) => Value), some.InvalidParameters]).toEqual([['b'], ['none']]);
  const below = async (Recursive: boolean) =>
    (await ssm.send(new GetParametersByPathCommand({ Path: '/shop', Recursive }))).Parameters?.map(({ Name }) => Name);
  expect([await below(false), await below(true)]).toEqual([['/shop/key'], ['/shop/deep/other', '/shop/key']]);
  const { Parameters, NextToken } = await ssm.send(new DescribeParametersCommand({ MaxResults: 1 }));
  expect([Parameters?.map(({ Name }) => Name), NextToken]).toEqual([['/shop/deep/other'], '1']);
  await ssm.send(new DeleteParameterCommand({ Name: '/shop/key' }));
  await expect(read(true)).rejects.toThrow(ParameterNotFound);
});

test('a function reads the parameters that its role names, and no others', async () => {
  const { ssm, cloud } = shop();
  const Type = 'SecureString';
  for (const Name of ['/shop/key', '/shop/other']) await ssm.send(new PutParameterCommand({ Name, Value: 'a', Type }));
  const read = async (name: string) => {
    const results: unknown[] = [];
    cloud.fn('Shop/Work').invoke(name, (result) => results.push(result));
    await cloud.world.settle();
    return results[0];
  };
  expect(await read('/shop/key')).toMatchObject({ value: { status: 200, body: { Parameter: { Value: 'a' } } } });
  expect(await read('/shop/other')).toMatchObject({
    value: { status: 400, body: { __type: 'AccessDeniedException' } },
  });
});
