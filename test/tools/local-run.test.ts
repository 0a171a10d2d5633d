import { describe, expect, test } from 'vitest';
import { leftOut } from '../../tools/local/deploy.js';
import { endpointEnvironment, findEndpoint } from '../../tools/local/endpoint.js';

const skipping = (type: string) =>
  `WARN --- No resource provider found for "${type}". To find out if it is supported\n`;

describe('a type that the emulator skipped', () => {
  test('a skipped type is listed once if it is known to be harmless', () => {
    const log = skipping('AWS::Events::Archive') + skipping('AWS::CloudWatch::Dashboard').repeat(2);
    expect(leftOut(log)).toEqual(['AWS::CloudWatch::Dashboard', 'AWS::Events::Archive']);
  });

  test('fails the deployment with its name otherwise', () => {
    expect(() => leftOut(skipping('AWS::CloudWatch::Dashboard') + skipping('AWS::Pipes::Pipe'))).toThrow(
      'AWS::Pipes::Pipe',
    );
  });

  test('fails the deployment if its update was ignored', () => {
    expect(() => leftOut('Unable to update resource type "AWS::Lambda::Url", id "x"')).toThrow('AWS::Lambda::Url');
  });
});

describe('an endpoint', () => {
  test.each(['nonsense', 'ftp://localhost'])('%s is refused with the expected form', async (named) => {
    await expect(findEndpoint(named)).rejects.toThrow(/expected http/);
  });

  test('an endpoint is refused if nothing answers', async () => {
    await expect(findEndpoint('http://127.0.0.1:1')).rejects.toThrow('Nothing answers at http://127.0.0.1:1');
  });

  test('an endpoint of an emulator never gets real credentials', () => {
    process.env.AWS_SESSION_TOKEN = 'real';
    const environment = endpointEnvironment({ url: 'http://127.0.0.1:1', region: 'eu-west-1', kind: 'localstack' });
    delete process.env.AWS_SESSION_TOKEN;
    expect(environment).toMatchObject({ AWS_ACCESS_KEY_ID: 'test', AWS_REGION: 'eu-west-1' });
    expect(environment).not.toHaveProperty('AWS_SESSION_TOKEN');
  });
});
