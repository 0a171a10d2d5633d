import { createHash } from 'node:crypto';
import type { Bundles, ServiceGraph } from '@orderly/kit/constructs';
import { Metric, Platform, stackProps } from '@orderly/kit/constructs';
import { Annotations, CfnParameter, CfnRule, Fn, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { OrdersMetric } from '../lambdas/orders/metrics.js';
import { PaymentsMetric } from '../lambdas/payments/metrics.js';
import { PLACEHOLDER_ISSUER, type Settings } from './settings.js';

export interface PlatformStackProps {
  readonly settings: Settings;
  /** For the function that exports traces. */
  readonly bundles: Pick<Bundles, 'code'>;
}

/** Graphs of this app. The second one replaces the kit's graph of sagas. */
const GRAPHS: readonly ServiceGraph[] = [
  { title: 'Orders placed', metrics: [OrdersMetric.ORDERS_PLACED] },
  {
    title: 'Sagas that are stuck, refunds that failed, by service',
    metrics: [Metric.SAGAS_STUCK, PaymentsMetric.REFUNDS_FAILED],
  },
];

/** Resources that all services share. The stack can't be deployed before the token issuer is configured. */
export class PlatformStack extends Stack {
  readonly platform: Platform;

  constructor(scope: Construct, id: string, { settings, bundles }: PlatformStackProps) {
    super(scope, id, stackProps(settings, id, 'bus, archive, keys of people, alarms, dashboard'));
    this.platform = new Platform(this, 'Default', { settings, bundles, graphs: GRAPHS });
    this.refusePlaceholder(settings);
  }

  /**
   * Adds a rule by which CloudFormation refuses to create or update this stack with the placeholder. The other stacks depend
   * on this one. The placeholder is valid in a template, so anyone can synthesize and read `prod`.
   *
   * A rule reads parameters only. The parameter's name contains the issuer's hash, because a deployment keeps the previous
   * value of a parameter: the valid issuer of the last deployment would let a placeholder pass.
   */
  private refusePlaceholder({ auth, environment }: Settings): void {
    const hash = createHash('sha256').update(auth.issuer).digest('hex').slice(0, 8);
    const issuer = new CfnParameter(this, `TokenIssuer${hash}`, {
      default: auth.issuer,
      description: 'Shown for the rule below; set in lib/settings.ts, where the functions get it from.',
    });
    new CfnRule(this, 'IssuerIsConfigured', {
      assertions: [
        {
          assert: Fn.conditionNot(Fn.conditionEquals(issuer.valueAsString, PLACEHOLDER_ISSUER)),
          assertDescription: `The token issuer of '${environment}' is still the placeholder: set auth.issuer and auth.audience in lib/settings.ts`,
        },
      ],
    });
    if (auth.issuer === PLACEHOLDER_ISSUER) {
      Annotations.of(this).addWarningV2(
        'orderly:placeholder-issuer',
        `the token issuer of '${environment}' is the placeholder: CloudFormation will refuse this stack until lib/settings.ts names yours`,
      );
    }
  }
}
