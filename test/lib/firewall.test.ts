import { describe, expect, test } from 'vitest';
import { OrderlyEnvironment } from '../../lib/environment.js';
import { type Settings, settingsFor } from '../../lib/settings.js';
import { ANSWER_HEADERS } from '../../packages/kit/http/answer-headers.js';
import { MAX_BODY_BYTES } from '../../packages/kit/http/request-parsing.js';
import { type Json, newApp, noCode, referenced, synthesized } from '../support/environments.js';

const dev = synthesized('dev');
const prod = synthesized('prod');
const [acl] = prod.resources('Api', 'AWS::WAFv2::WebACL');
const rules: readonly Json[] = acl?.properties.Rules;
const rule = (name: string): Json => rules.find(({ Name }) => Name === name) ?? expect.fail(`no rule ${name}`);
const bodyOf = (key: string): Json => JSON.parse(acl?.properties.CustomResponseBodies[key].Content);

describe('the firewall', () => {
  test('protects prod only', () => {
    expect(dev.resources('Api', 'AWS::WAFv2::WebACL')).toEqual([]);
    expect(prod.resources('Api', 'AWS::WAFv2::WebACL')).toHaveLength(1);
    expect(prod.resources('Api', 'AWS::WAFv2::WebACLAssociation')).toHaveLength(1);
  });

  test('refuses declared bodies over 64 KB, and none below', () => {
    const refused = new RegExp(rule('BodySize').Statement.RegexMatchStatement.RegexString);
    const lengths = [
      0, 9, 9_999, 10_000, 59_999, 60_000, 64_999, 65_000, 65_535, 65_536, 65_537, 65_540, 65_600, 66_000, 69_999,
      70_000, 99_999, 100_000, 999_999, 1_000_000, 10_485_760,
    ];
    for (const length of lengths) expect(refused.test(String(length)), String(length)).toBe(length > MAX_BODY_BYTES);
    for (let length = 65_300; length < 66_100; length++)
      expect(refused.test(String(length))).toBe(length > MAX_BODY_BYTES);
  });

  test('gives its own answers the common headers', () => {
    const responses = rules.flatMap(({ Action }) => Action?.Block?.CustomResponse ?? []);
    expect(responses.length).toBeGreaterThanOrEqual(2);
    const wanted = Object.entries(ANSWER_HEADERS).map(([Name, Value]) => ({ Name, Value }));
    for (const { ResponseHeaders } of responses) expect(ResponseHeaders).toEqual(expect.arrayContaining(wanted));
  });

  test('inspects as much of a body as a handler takes, which is AWS’s maximum', () => {
    expect(MAX_BODY_BYTES).toBe(64 * 1024);
    expect(acl?.properties.AssociationConfig).toEqual({
      RequestBody: { API_GATEWAY: { DefaultSizeInspectionLimit: 'KB_64' } },
    });
  });

  test('counts each address and each token per minute, and answers with Retry-After above a limit', () => {
    expect(rule('AddressRate').Statement.RateBasedStatement).toEqual({
      AggregateKeyType: 'IP',
      EvaluationWindowSec: 60,
      Limit: 5000,
    });
    expect(rule('TokenRate').Statement.RateBasedStatement).toEqual({
      AggregateKeyType: 'CUSTOM_KEYS',
      // `Bearer` may be in any case; the token stays the same.
      CustomKeys: [{ Header: { Name: 'authorization', TextTransformations: [{ Priority: 0, Type: 'LOWERCASE' }] } }],
      EvaluationWindowSec: 60,
      Limit: 600,
    });
    for (const name of ['AddressRate', 'TokenRate']) {
      const { ResponseCode, CustomResponseBodyKey, ResponseHeaders } = rule(name).Action.Block.CustomResponse;
      expect(ResponseCode).toBe(429);
      expect(bodyOf(CustomResponseBodyKey)).toMatchObject({ type: 'urn:orderly:problem:throttled', status: 429 });
      expect(ResponseHeaders).toContainEqual({ Name: 'Retry-After', Value: '60' });
    }
  });

  test('uses AWS’s rules against bad addresses and attacks, except those that match legal requests', () => {
    const counted = (name: string) =>
      (rule(name).Statement.ManagedRuleGroupStatement.RuleActionOverrides ?? []).map(({ Name, ActionToUse }: Json) => {
        expect(ActionToUse).toEqual({ Count: {} });
        return Name;
      });
    expect(counted('AWSManagedRulesAmazonIpReputationList')).toEqual([]);
    expect(counted('AWSManagedRulesKnownBadInputsRuleSet')).toEqual([]);
    expect(counted('AWSManagedRulesCommonRuleSet')).toEqual([
      'SizeRestrictions_BODY',
      'NoUserAgent_HEADER',
      'RestrictedExtensions_URIPATH',
      'CrossSiteScripting_BODY',
    ]);
  });

  test('stays within the capacity that its price includes', () => {
    // AWS WAF Developer Guide: each rule group's page. A rate-based rule takes 2, and 30 for each key; a regular
    // expression takes 3; each text transformation takes 10.
    const capacity: Readonly<Record<string, number>> = {
      AddressRate: 2,
      TokenRate: 2 + 30 + 10,
      BodySize: 3 + 10,
      AWSManagedRulesAmazonIpReputationList: 25,
      AWSManagedRulesCommonRuleSet: 700,
      AWSManagedRulesKnownBadInputsRuleSet: 200,
    };
    expect(rules.map(({ Name }) => Name).toSorted()).toEqual(Object.keys(capacity).toSorted());
    expect(Object.values(capacity).reduce((sum, one) => sum + one)).toBeLessThanOrEqual(1_500);
    expect(new Set(rules.map(({ Priority }) => Priority)).size).toBe(rules.length);
  });
});

describe('data of requests that the firewall stores', () => {
  const [logging] = prod.resources('Api', 'AWS::WAFv2::LoggingConfiguration');
  const [group, ...others] = prod
    .resources('Api', 'AWS::Logs::LogGroup')
    .filter(({ properties }) => JSON.stringify(properties.LogGroupName ?? '').includes('aws-waf-logs-'));

  test('stored data has no token, no key, no session, no query and no body, in samples or in the log', () => {
    const hidden = acl?.properties.DataProtectionConfig.DataProtections;
    expect(hidden).toEqual([
      // The log must show which token was over its limit. A signature can't be guessed from its hash.
      { Field: { FieldType: 'SINGLE_HEADER', FieldKeys: ['authorization'] }, Action: 'HASH' },
      {
        Field: { FieldType: 'SINGLE_HEADER', FieldKeys: ['idempotency-key', 'session-id'] },
        Action: 'SUBSTITUTION',
      },
      { Field: { FieldType: 'QUERY_STRING' }, Action: 'SUBSTITUTION' },
      { Field: { FieldType: 'BODY' }, Action: 'SUBSTITUTION' },
    ]);
  });

  test('data is logged for requests that a rule matched, without paths, since they name customers', () => {
    expect(logging?.properties.ResourceArn).toEqual({ 'Fn::GetAtt': [acl?.id, 'Arn'] });
    expect(logging?.properties.RedactedFields).toEqual([{ UriPath: {} }, { QueryString: {} }]);
    expect(logging?.properties.LoggingFilter).toEqual({
      DefaultBehavior: 'DROP',
      Filters: [
        {
          Behavior: 'KEEP',
          Requirement: 'MEETS_ANY',
          Conditions: ['BLOCK', 'COUNT', 'EXCLUDED_AS_COUNT'].map((Action) => ({ ActionCondition: { Action } })),
        },
      ],
    });
  });

  test('goes to its own log group with a retention, whose name no earlier deployment has left behind', () => {
    expect(others).toEqual([]);
    expect(group?.properties.RetentionInDays).toBe(90);
    expect(group?.attributes).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' });
    const [, parts] = group?.properties.LogGroupName['Fn::Join'] ?? [];
    expect(parts[0]).toBe('aws-waf-logs-orderly-prod-Api-');
    expect(JSON.stringify(parts[1])).toContain('AWS::StackId');
    // AWS requires the group's ARN without the `:*` that GetAtt returns.
    const [arn, ...more] = logging?.properties.LogDestinationConfigs ?? [];
    expect(more).toEqual([]);
    const pieces: readonly Json[] = arn['Fn::Join'][1];
    expect(pieces.at(-2)).toContain(':log-group:');
    expect(referenced(pieces.at(-1))).toBe(group?.id);
  });
});

describe('settings of the firewall', () => {
  const withFirewall = (change: Partial<Settings>) => () =>
    new OrderlyEnvironment(newApp(), 'prod', { settings: { ...settingsFor('prod'), ...change }, bundles: noCode });
  const throttle = { rate: 500, burst: 1000 };

  test.each<[string, Partial<Settings>]>([
    [
      'one address may use a fifth of what the stage admits',
      { throttle, firewall: { requestsPerAddress: 6_000, requestsPerToken: 600 } },
    ],
    [
      'one address may use more of a smaller stage',
      { throttle: { rate: 100, burst: 100 }, firewall: { requestsPerAddress: 5_000, requestsPerToken: 600 } },
    ],
    [
      'one token may do more than one address',
      { throttle, firewall: { requestsPerAddress: 500, requestsPerToken: 501 } },
    ],
    ['AWS takes no limit that low', { throttle, firewall: { requestsPerAddress: 500, requestsPerToken: 9 } }],
  ])('settings are refused at synth if %s', (_, change) => expect(withFirewall(change)).toThrow('firewall:'));

  test('pass at the limits', () => {
    expect(withFirewall({ throttle, firewall: { requestsPerAddress: 5_999, requestsPerToken: 5_999 } })).not.toThrow();
    expect(withFirewall({ throttle, firewall: { requestsPerAddress: 10, requestsPerToken: 10 } })).not.toThrow();
  });
});
