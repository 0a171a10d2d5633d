import { ArnFormat, Aws, Fn, Stack } from 'aws-cdk-lib';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnLoggingConfiguration, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { problemType } from '../aws/app-names.js';
import { resolveCorsOrigins } from '../base/cors-settings.js';
import { removalPolicyOf } from '../base/retention.js';
import { checkFirewall, type EnvironmentSettings, FIREWALL_WINDOW, type FirewallSettings } from '../base/settings.js';
import { ANSWER_HEADERS } from './answer-headers.js';
import { singleOriginCorsHeaders } from './cors.construct.js';

export interface FirewallProps {
  readonly stage: Stage;
  readonly settings: EnvironmentSettings;
  readonly limits: FirewallSettings;
}

/**
 * Matches a `Content-Length` above 65536, the largest body that a handler takes. The handler refuses a longer body that
 * declares no length. The firewall reads the first 64 KB of a body, which is AWS's maximum, so the rules read every body
 * that is processed.
 */
const OVER_64_KB = '^(6553[7-9]|655[4-9][0-9]|65[6-9][0-9]{2}|6[6-9][0-9]{3}|[7-9][0-9]{4}|[1-9][0-9]{5}|[0-9]{7,})$';

/**
 * Common rules that match legal requests. The firewall counts their matches and refuses nothing by them.
 *
 * - Bodies may be over 8 KB.
 * - Programs need not send a `User-Agent`.
 * - A SKU may end in `.ini` or `.log`.
 * - An address may look like HTML, since the API answers JSON only.
 */
const COUNTED_ONLY_RULES = [
  'SizeRestrictions_BODY',
  'NoUserAgent_HEADER',
  'RestrictedExtensions_URIPATH',
  'CrossSiteScripting_BODY',
];

/**
 * Web application firewall in front of a stage: limits per address and per token, a limit on bodies, and AWS's rules
 * against bad addresses and attacks.
 *
 * All rules together need at most 982 of the 1,500 capacity units (WCU) that the price of a web ACL includes. AWS
 * estimates the rates: the firewall detects a burst after seconds, usually less than 30 ("Rate-based rule caveats").
 * Until then, the stage's own throttle limits it.
 */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, { stage, settings, limits }: FirewallProps) {
    super(scope, id);
    checkFirewall(settings);
    const answer = problemBody(settings.app.name);
    const acl = new CfnWebACL(this, 'Rules', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visibilityConfig('Firewall'),
      associationConfig: { requestBody: { API_GATEWAY: { defaultSizeInspectionLimit: 'KB_64' } } },
      dataProtectionConfig: { dataProtections: PROTECTED },
      customResponseBodies: {
        TooLarge: answer('too-large', 'Request too large', 413, 'A body may have at most 64 KB.'),
        Throttled: answer('throttled', 'Too many requests', 429, 'Try again in a minute, less often.'),
      },
      rules: buildRules(limits, { ...ANSWER_HEADERS, ...singleOriginCorsHeaders(resolveCorsOrigins(settings)) }),
    });
    new CfnWebACLAssociation(this, 'InFrontOfApi', { resourceArn: stage.stageArn, webAclArn: acl.attrArn });
    this.addLog(acl, settings);
  }

  /**
   * Logs the requests that a rule has refused or counted.
   *
   * The log leaves out paths, since a path may name a customer, and a log can't be erased when a person is to be
   * forgotten. The access log has the route, under the same request id.
   *
   * AWS adds the log group to the account's resource policy for delivered logs when logging is set up. A policy of this
   * stack would use up one of the ten that an account has per region.
   */
  private addLog(acl: CfnWebACL, settings: EnvironmentSettings): void {
    const stack = Stack.of(this);
    const group = new LogGroup(this, 'Log', {
      // AWS requires this prefix. The last part of the stack's id is unique per stack, so a later deployment doesn't
      // collide with a log group that an earlier one has retained.
      logGroupName: `aws-waf-logs-${stack.stackName}-${Fn.select(2, Fn.split('/', Aws.STACK_ID))}`,
      retention: settings.logRetention,
      removalPolicy: removalPolicyOf(settings),
    });
    const action = (Action: string) => ({ ActionCondition: { Action } });
    new CfnLoggingConfiguration(this, 'Logging', {
      resourceArn: acl.attrArn,
      // The group's own `logGroupArn` ends in `:*` and is not a valid destination.
      logDestinationConfigs: [
        stack.formatArn({
          service: 'logs',
          resource: 'log-group',
          resourceName: group.logGroupName,
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        }),
      ],
      redactedFields: [{ uriPath: {} }, { queryString: {} }],
      // CDK has no typed properties for this object.
      loggingFilter: {
        DefaultBehavior: 'DROP',
        Filters: [
          {
            Behavior: 'KEEP',
            Requirement: 'MEETS_ANY',
            Conditions: [action('BLOCK'), action('COUNT'), action('EXCLUDED_AS_COUNT')],
          },
        ],
      },
    });
  }
}

/**
 * Data that sampled requests and the log must not show, not even in the detail of a match. A token is hashed: the hash
 * shows which token exceeds its limit, and a token can't be guessed from it. A client's own idempotency key could be
 * guessed from a hash, so it is substituted.
 */
const PROTECTED: CfnWebACL.DataProtectProperty[] = [
  { field: { fieldType: 'SINGLE_HEADER', fieldKeys: ['authorization'] }, action: 'HASH' },
  { field: { fieldType: 'SINGLE_HEADER', fieldKeys: ['idempotency-key', 'session-id'] }, action: 'SUBSTITUTION' },
  { field: { fieldType: 'QUERY_STRING' }, action: 'SUBSTITUTION' },
  { field: { fieldType: 'BODY' }, action: 'SUBSTITUTION' },
];

type Headers = Readonly<Record<string, string>>;

const buildRules = (
  { requestsPerAddress, requestsPerToken }: FirewallSettings,
  headers: Headers,
): CfnWebACL.RuleProperty[] => [
  rateRule('AddressRate', 0, headers, { aggregateKeyType: 'IP', limit: requestsPerAddress }),
  // A request without a token is counted by its address only. The firewall reads the whole header, wherever it stands.
  // A customer with several tokens has several budgets; limits per customer belong to the domain.
  rateRule('TokenRate', 1, headers, {
    aggregateKeyType: 'CUSTOM_KEYS',
    // The scheme may be in any case. The authorizer accepts only one way to write a token.
    customKeys: [{ header: { name: 'authorization', textTransformations: [{ priority: 0, type: 'LOWERCASE' }] } }],
    limit: requestsPerToken,
  }),
  {
    name: 'BodySize',
    priority: 2,
    statement: {
      regexMatchStatement: {
        fieldToMatch: { singleHeader: { Name: 'content-length' } },
        regexString: OVER_64_KB,
        textTransformations: [{ priority: 0, type: 'NONE' }],
      },
    },
    action: blockAction('TooLarge', 413, headers),
    visibilityConfig: visibilityConfig('BodySize'),
  },
  managedRule('AWSManagedRulesAmazonIpReputationList', 3),
  managedRule('AWSManagedRulesCommonRuleSet', 4, COUNTED_ONLY_RULES),
  managedRule('AWSManagedRulesKnownBadInputsRuleSet', 5),
];

function rateRule(
  name: string,
  priority: number,
  headers: Headers,
  counted: Omit<CfnWebACL.RateBasedStatementProperty, 'evaluationWindowSec'>,
): CfnWebACL.RuleProperty {
  const evaluationWindowSec = FIREWALL_WINDOW.toSeconds();
  return {
    name,
    priority,
    statement: { rateBasedStatement: { ...counted, evaluationWindowSec } },
    action: blockAction('Throttled', 429, { ...headers, 'Retry-After': String(evaluationWindowSec) }),
    visibilityConfig: visibilityConfig(name),
  };
}

// The firewall can send neither problem+json nor ids. The gateway's own answer to a block would always be 403.
const problemBody =
  (app: string) =>
  (code: string, title: string, status: number, detail: string): CfnWebACL.CustomResponseBodyProperty => ({
    contentType: 'APPLICATION_JSON',
    content: JSON.stringify({ type: problemType(app, code), title, status, detail }),
  });

function blockAction(customResponseBodyKey: string, responseCode: number, headers: Headers) {
  const responseHeaders = Object.entries(headers).map(([name, value]) => ({ name, value }));
  return { block: { customResponse: { responseCode, customResponseBodyKey, responseHeaders } } };
}

function visibilityConfig(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { cloudWatchMetricsEnabled: true, metricName, sampledRequestsEnabled: true };
}

function managedRule(name: string, priority: number, onlyCounted: readonly string[] = []): CfnWebACL.RuleProperty {
  return {
    name,
    priority,
    statement: {
      managedRuleGroupStatement: {
        vendorName: 'AWS',
        name,
        ruleActionOverrides: onlyCounted.map((rule) => ({ name: rule, actionToUse: { count: {} } })),
      },
    },
    overrideAction: { none: {} },
    visibilityConfig: visibilityConfig(name),
  };
}
