import { ArnFormat, Aws, Fn, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnLoggingConfiguration, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { problemType } from '../aws/app-names.js';
import {
  checkFirewall,
  type EnvironmentSettings,
  FIREWALL_WINDOW,
  type FirewallSettings,
} from '../service/settings.js';
import { ANSWER_HEADERS } from './answer-headers.js';

export interface FirewallProps {
  readonly stage: Stage;
  readonly settings: EnvironmentSettings;
  readonly limits: FirewallSettings;
}

/**
 * A `Content-Length` above 131072. The firewall reads the first 64 KB of a body, which is as far as it can, so the length
 * that the caller declares is what it judges; the handler refuses a longer body that declares none.
 */
const OVER_128_KB =
  '^(13107[3-9]|1310[89][0-9]|131[1-9][0-9]{2}|13[2-9][0-9]{3}|1[4-9][0-9]{4}|[2-9][0-9]{5}|[0-9]{7,})$';

/**
 * Common rules that match legal requests; they are counted, and refuse nothing. Bodies may be over 8 KB, programs need not
 * say who they are, a SKU may end in `.ini` or `.log`, and an address may look like HTML: the API answers JSON only.
 */
const ONLY_COUNTED = [
  'SizeRestrictions_BODY',
  'NoUserAgent_HEADER',
  'RestrictedExtensions_URIPATH',
  'CrossSiteScripting_BODY',
];

/**
 * Web application firewall in front of a stage: limits per address and per token, a limit on bodies, and AWS's rules
 * against bad addresses and attacks. All rules together need at most 982 of the 1,500 capacity units (WCU) that the price
 * of a list includes.
 *
 * AWS estimates the rates: a burst is seen after seconds, usually less than 30 ("Rate-based rule caveats"). The
 * stage's own throttle holds until then.
 */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, { stage, settings, limits }: FirewallProps) {
    super(scope, id);
    checkFirewall(settings);
    const answer = problem(settings.app.name);
    const acl = new CfnWebACL(this, 'Rules', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visible('Firewall'),
      associationConfig: { requestBody: { API_GATEWAY: { defaultSizeInspectionLimit: 'KB_64' } } },
      dataProtectionConfig: { dataProtections: PROTECTED },
      customResponseBodies: {
        TooLarge: answer('too-large', 'Request too large', 413, 'A body may have at most 128 KB.'),
        Throttled: answer('throttled', 'Too many requests', 429, 'Try again in a minute, less often.'),
      },
      rules: rulesOf(limits),
    });
    new CfnWebACLAssociation(this, 'InFrontOfApi', { resourceArn: stage.stageArn, webAclArn: acl.attrArn });
    this.log(acl, settings);
  }

  /**
   * Logs the requests that a rule has refused or counted. Their paths are left out, since a path may name a customer and a log
   * outlives a person's wish to be forgotten; the access log has the route, by the same request id.
   *
   * AWS adds the log group to the account's resource policy for delivered logs by itself, when logging is set up. A policy of
   * our own would take one of the ten that an account has per region.
   */
  private log(acl: CfnWebACL, { logRetention, keepsData }: EnvironmentSettings): void {
    const stack = Stack.of(this);
    const group = new LogGroup(this, 'Log', {
      // AWS insists on the beginning. The rest of the stack's id is new with each stack, so that a later deployment doesn't
      // meet the group that an earlier one has left behind.
      logGroupName: `aws-waf-logs-${stack.stackName}-${Fn.select(2, Fn.split('/', Aws.STACK_ID))}`,
      retention: logRetention,
      removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    const action = (Action: string) => ({ ActionCondition: { Action } });
    new CfnLoggingConfiguration(this, 'Logging', {
      resourceArn: acl.attrArn,
      // The group's own `logGroupArn` ends in `:*`, which isn't a destination.
      logDestinationConfigs: [
        stack.formatArn({
          service: 'logs',
          resource: 'log-group',
          resourceName: group.logGroupName,
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        }),
      ],
      redactedFields: [{ uriPath: {} }, { queryString: {} }],
      // CDK has no names of its own for what is in here.
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
 * What neither a sampled request nor the log shows, also not as the detail of a match. Of a token there is a hash: it tells
 * which one is over its limit, and can't be guessed. A client's own idempotency key could be.
 */
const PROTECTED: CfnWebACL.DataProtectProperty[] = [
  { field: { fieldType: 'SINGLE_HEADER', fieldKeys: ['authorization'] }, action: 'HASH' },
  { field: { fieldType: 'SINGLE_HEADER', fieldKeys: ['idempotency-key', 'session-id'] }, action: 'SUBSTITUTION' },
  { field: { fieldType: 'QUERY_STRING' }, action: 'SUBSTITUTION' },
  { field: { fieldType: 'BODY' }, action: 'SUBSTITUTION' },
];

const rulesOf = ({ requestsPerAddress, requestsPerToken }: FirewallSettings): CfnWebACL.RuleProperty[] => [
  rateRule('AddressRate', 0, { aggregateKeyType: 'IP', limit: requestsPerAddress }),
  // A request without a token is counted by its address only. The header is read whole, wherever it stands. A customer with
  // several tokens has as many budgets; what a customer may do is the domain's to limit.
  rateRule('TokenRate', 1, {
    aggregateKeyType: 'CUSTOM_KEYS',
    // The scheme may be written in any case; the authorizer sees to it that a token can be written in one way only.
    customKeys: [{ header: { name: 'authorization', textTransformations: [{ priority: 0, type: 'LOWERCASE' }] } }],
    limit: requestsPerToken,
  }),
  {
    name: 'BodySize',
    priority: 2,
    statement: {
      regexMatchStatement: {
        fieldToMatch: { singleHeader: { Name: 'content-length' } },
        regexString: OVER_128_KB,
        textTransformations: [{ priority: 0, type: 'NONE' }],
      },
    },
    action: block('TooLarge', 413),
    visibilityConfig: visible('BodySize'),
  },
  managed('AWSManagedRulesAmazonIpReputationList', 3),
  managed('AWSManagedRulesCommonRuleSet', 4, ONLY_COUNTED),
  managed('AWSManagedRulesKnownBadInputsRuleSet', 5),
];

function rateRule(
  name: string,
  priority: number,
  counted: Omit<CfnWebACL.RateBasedStatementProperty, 'evaluationWindowSec'>,
): CfnWebACL.RuleProperty {
  const evaluationWindowSec = FIREWALL_WINDOW.toSeconds();
  return {
    name,
    priority,
    statement: { rateBasedStatement: { ...counted, evaluationWindowSec } },
    action: block('Throttled', 429, evaluationWindowSec),
    visibilityConfig: visible(name),
  };
}

// The firewall knows no problem+json and no ids; the gateway's own answer to a block is always 403.
const problem =
  (app: string) =>
  (code: string, title: string, status: number, detail: string): CfnWebACL.CustomResponseBodyProperty => ({
    contentType: 'APPLICATION_JSON',
    content: JSON.stringify({ type: problemType(app, code), title, status, detail }),
  });

function block(customResponseBodyKey: string, responseCode: number, retryAfterSeconds?: number) {
  const headers = { ...ANSWER_HEADERS, ...(retryAfterSeconds && { 'Retry-After': String(retryAfterSeconds) }) };
  const responseHeaders = Object.entries(headers).map(([name, value]) => ({ name, value }));
  return { block: { customResponse: { responseCode, customResponseBodyKey, responseHeaders } } };
}

function visible(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { cloudWatchMetricsEnabled: true, metricName, sampledRequestsEnabled: true };
}

function managed(name: string, priority: number, onlyCounted: readonly string[] = []): CfnWebACL.RuleProperty {
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
    visibilityConfig: visible(name),
  };
}
