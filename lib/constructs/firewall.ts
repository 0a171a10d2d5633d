import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';

export interface FirewallProps {
  readonly stage: Stage;
  /** Requests of one address within 5 minutes. */
  readonly requestsPerCaller: number;
}

/**
 * A `Content-Length` above 131072. The firewall itself reads no further than 64 KB into a body, so the length that the
 * caller declares is what it can judge; a body without one is the handler's to refuse.
 */
const OVER_128_KB =
  '^(13107[3-9]|1310[89][0-9]|131[1-9][0-9]{2}|13[2-9][0-9]{3}|1[4-9][0-9]{4}|[2-9][0-9]{5}|[0-9]{7,})$';

/** AWS's rules against what is never an order, a limit on bodies, and one on callers. */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, { stage, requestsPerCaller }: FirewallProps) {
    super(scope, id);
    // The firewall knows no problem+json and no ids; the gateway's own answer to a block would always be 403.
    const problem = (code: string, title: string, status: number, detail: string) => ({
      contentType: 'APPLICATION_JSON',
      content: JSON.stringify({ type: `urn:orderly:problem:${code}`, title, status, detail }),
    });
    const block = (key: string, responseCode: number, retryAfterSeconds?: number) => ({
      block: {
        customResponse: {
          responseCode,
          customResponseBodyKey: key,
          ...(retryAfterSeconds && { responseHeaders: [{ name: 'Retry-After', value: String(retryAfterSeconds) }] }),
        },
      },
    });
    const acl = new CfnWebACL(this, 'Rules', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visible('Firewall'),
      customResponseBodies: {
        TooLarge: problem('too-large', 'The request is too large', 413, 'A body may have up to 128 KB.'),
        Throttled: problem('throttled', 'Too many requests', 429, 'Try again in some minutes, less often.'),
      },
      rules: [
        {
          name: 'CallerRate',
          priority: 0,
          statement: { rateBasedStatement: { limit: requestsPerCaller, aggregateKeyType: 'IP' } },
          action: block('Throttled', 429, 300),
          visibilityConfig: visible('CallerRate'),
        },
        {
          name: 'BodySize',
          priority: 1,
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
        // Of the common rules, two refuse what is right here: bodies over 8 KB, and programs that don't say who they are.
        managed('AWSManagedRulesCommonRuleSet', 2, ['SizeRestrictions_BODY', 'NoUserAgent_HEADER']),
        managed('AWSManagedRulesKnownBadInputsRuleSet', 3),
      ],
    });
    new CfnWebACLAssociation(this, 'InFrontOfApi', { resourceArn: stage.stageArn, webAclArn: acl.attrArn });
  }
}

const visible = (metricName: string) => ({ cloudWatchMetricsEnabled: true, metricName, sampledRequestsEnabled: true });

const managed = (name: string, priority: number, onlyCounted: readonly string[] = []): CfnWebACL.RuleProperty => ({
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
});
