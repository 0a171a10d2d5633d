import { Api, type DomainSettings, developmentSettings, publicRoute } from '@orderly/kit/constructs';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { describe, expect, test } from 'vitest';
import { settingsFor } from '../../lib/settings.js';
import { resolveDomain } from '../../packages/kit/base/domain-settings.js';
import { type Json, newApp, noCode } from '../support/environments.js';

const CERTIFICATE = 'arn:aws:acm:eu-central-1:111122223333:certificate/6f7c1d0e-2f4b-4d9c-8f0a-1b2c3d4e5f60';
const ZONE = { id: 'Z0123456789ABCDEFGHIJ', name: 'example.org' };
const NAMED: DomainSettings = { name: 'api.example.org', certificateArn: CERTIFICATE };

/** Template of a small app with one route. */
function templateOf(domain?: DomainSettings, region = 'eu-central-1'): Json {
  const stack = new Stack(newApp(), 'Small', { env: { account: '111122223333', region } });
  const settings = developmentSettings({
    app: { name: 'small', roles: ['visitor'] },
    auth: { issuer: 'https://login.example.org', audience: 'small' },
    ...(domain && { domain }),
  });
  const common = { settings, bundles: noCode };
  const route = publicRoute(stack, 'Document', { ...common, method: 'GET', path: '/document', entry: 'document' });
  new Api(stack, 'Api', { ...common, services: [{ routes: [route] }], alarmTopic: new Topic(stack, 'Alarms') });
  return Template.fromStack(stack).toJSON();
}

const found = ({ Resources }: Json, type: string): readonly Json[] =>
  Object.values<Json>(Resources)
    .filter(({ Type }) => Type === type)
    .map(({ Properties }) => Properties);
const outputOf = ({ Outputs }: Json, key: string): Json => Outputs[key]?.Value;

describe('an API with a host name of its own', () => {
  const template = templateOf({ ...NAMED, hostedZone: ZONE });
  const [api] = found(template, 'AWS::ApiGateway::RestApi');
  const [host] = found(template, 'AWS::ApiGateway::DomainName');

  test('has the same TLS policy at both addresses, with strict access', () => {
    expect(host).toMatchObject({
      DomainName: 'api.example.org',
      RegionalCertificateArn: CERTIFICATE,
      EndpointConfiguration: { Types: ['REGIONAL'] },
      SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
      EndpointAccessMode: 'STRICT',
    });
    expect(api).toMatchObject({ SecurityPolicy: host.SecurityPolicy, EndpointAccessMode: host.EndpointAccessMode });
  });

  test('keeps the path of the stage, so that clients change the host only', () => {
    const [mapping] = found(template, 'AWS::ApiGateway::BasePathMapping');
    const [[stage]] = [
      Object.entries<Json>(template.Resources).filter(([, { Type }]) => Type === 'AWS::ApiGateway::Stage'),
    ];
    expect(mapping).toMatchObject({ BasePath: 'v1', Stage: { Ref: stage?.[0] } });
    expect(outputOf(template, 'ApiUrl')).toBe('https://api.example.org/v1/');
  });

  test('closes the address with the gateway’s id, unless a setting keeps it while clients move', () => {
    expect(api.DisableExecuteApiEndpoint).toBe(true);
    const moving = templateOf({ ...NAMED, keepsGatewayAddress: true });
    expect(found(moving, 'AWS::ApiGateway::RestApi')[0].DisableExecuteApiEndpoint).toBeUndefined();
  });

  test('has an alias record in the hosted zone', () => {
    const alias = found(template, 'AWS::Route53::RecordSet');
    expect(alias).toHaveLength(1);
    expect(alias[0]).toMatchObject({ Name: 'api.example.org.', Type: 'A', HostedZoneId: ZONE.id });
    expect(alias[0].AliasTarget.DNSName['Fn::GetAtt'][1]).toBe('RegionalDomainName');
    expect(alias[0].AliasTarget.HostedZoneId['Fn::GetAtt'][1]).toBe('RegionalHostedZoneId');
  });

  test('names the target of a record that is made elsewhere', () => {
    const elsewhere = templateOf(NAMED);
    expect(found(elsewhere, 'AWS::Route53::RecordSet')).toEqual([]);
    expect(outputOf(elsewhere, 'ApiDomainTarget')['Fn::GetAtt'][1]).toBe('RegionalDomainName');
  });
});

test('an API without the setting keeps the address of the gateway', () => {
  const template = templateOf();
  expect(found(template, 'AWS::ApiGateway::DomainName')).toEqual([]);
  expect(found(template, 'AWS::ApiGateway::RestApi')[0].DisableExecuteApiEndpoint).toBeUndefined();
  expect(outputOf(template, 'ApiDomainTarget')).toBeUndefined();
  expect(JSON.stringify(outputOf(template, 'ApiUrl'))).toContain('execute-api');
  for (const environment of ['dev', 'prod']) expect(settingsFor(environment).domain).toBeUndefined();
});

describe('the setting domain is refused', () => {
  test.each([
    ['https://api.example.org', 'without scheme'],
    ['api.example.org/v1', 'without scheme, path'],
    ['*.example.org', 'and *'],
    ['Api.example.org', 'in lower case'],
    ['localhost', 'such as api.example.org'],
    ['api.example.org.', 'such as api.example.org'],
    [`${'a'.repeat(64)}.example.org`, 'such as api.example.org'],
    [`${'a.'.repeat(125)}example.org`, 'such as api.example.org'],
  ])('with the name %s', (name, said) => {
    expect(() => resolveDomain({ domain: { ...NAMED, name } })).toThrow(said);
  });

  test.each([['6f7c1d0e'], ['arn:aws:iam::111122223333:server-certificate/api'], ['']])(
    'with the certificate "%s"',
    (certificateArn) => {
      expect(() => resolveDomain({ domain: { ...NAMED, certificateArn } })).toThrow(
        'expected the ARN of a certificate',
      );
    },
  );

  test('with a certificate of another Region', () => {
    expect(() => templateOf(NAMED, 'eu-west-1')).toThrow(
      'domain.certificateArn is of eu-central-1: expected a certificate of eu-west-1',
    );
  });

  test.each([
    [{ ...ZONE, id: '/hostedzone/Z0123' }, 'without /hostedzone/'],
    [{ ...ZONE, name: 'example.com' }, 'expected the zone of api.example.org'],
    [{ ...ZONE, name: 'ample.org' }, 'expected the zone of api.example.org'],
    [{ ...ZONE, name: 'example.org.' }, 'without a trailing dot'],
  ])('with the zone %j', (hostedZone, said) => {
    expect(() => resolveDomain({ domain: { ...NAMED, hostedZone } })).toThrow(said);
  });

  test('with no zone at all it is accepted, and so is the name of a zone itself', () => {
    expect(resolveDomain({ domain: NAMED }, 'eu-central-1')).toBe(NAMED);
    expect(() => resolveDomain({ domain: { ...NAMED, name: 'example.org', hostedZone: ZONE } })).not.toThrow();
  });
});
