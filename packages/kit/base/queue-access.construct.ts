import { Lazy, RemovalPolicy } from 'aws-cdk-lib';
import { CfnRule, type IRuleTarget } from 'aws-cdk-lib/aws-events';
import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnQueuePolicy, Queue, type QueuePolicy, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { Construct, IConstruct } from 'constructs';
import type { EnvironmentSettings } from './settings.js';

const OWNERS = new WeakMap<IConstruct, QueueAccess>();

/** Returns the access to the queues of the service that a construct is part of, or of a construct that stands alone. */
export const queueAccess = (scope: Construct, settings: EnvironmentSettings): QueueAccess => {
  const owner = scope.node.scopes.toReversed().find((one) => OWNERS.has(one));
  return (owner && OWNERS.get(owner)) ?? new QueueAccess(scope, settings);
};

/**
 * Policies of the queues of one service. Only rules of the service may send to them, and everybody needs TLS.
 *
 * All queues have one policy, whose statements name the resource `*`: the queue that has the policy. With `queuePolicies: 'queue'`,
 * each queue has its own. The rules are one list in one condition, because SQS takes 10 conditions of a policy ("Amazon SQS policy
 * quotas").
 *
 * Each policy is kept when it leaves its stack. CloudFormation deletes what has left a template after it has updated the rest, and
 * deletes what it has created when it rolls back: either would clear the policy that a queue has by then, and EventBridge could no longer
 * send to the queue. A queue takes its policy along when it is deleted.
 */
export class QueueAccess {
  private readonly queues: Queue[] = [];
  /** ARNs of the rules that may send to a queue, or to all queues of a shared policy. */
  private readonly senders = new Map<Queue | QueueAccess, string[]>();
  private shared: { readonly document: PolicyDocument; readonly policy: CfnQueuePolicy } | undefined;

  constructor(
    private readonly scope: Construct,
    private readonly settings: EnvironmentSettings,
  ) {
    OWNERS.set(scope, this);
  }

  private get isShared(): boolean {
    return (this.settings.queuePolicies ?? 'service') === 'service';
  }

  /** Creates a queue to which nobody sends without TLS. */
  createQueue(scope: Construct, id: string, props: QueueProps): Queue {
    const queue = new Queue(scope, id, { ...props, ...(!this.isShared && { enforceSSL: true }) });
    this.queues.push(queue);
    if (this.isShared) {
      this.shared ??= this.createShared();
      // A list and no token: rule packs look for the queue in it.
      this.shared.policy.queues = this.queues.map(({ queueUrl }) => queueUrl);
    } else (queue.node.findChild('Policy') as QueuePolicy).applyRemovalPolicy(RemovalPolicy.RETAIN);
    return queue;
  }

  /** Adds the queues to which the target of a rule, or what it could not deliver, is sent. @returns the target */
  target(target: IRuleTarget, ...queues: readonly Queue[]): IRuleTarget {
    return {
      bind: (rule, id) => {
        for (const queue of queues) this.allow(CfnRule.arnForRule(rule), queue);
        return target.bind(rule, id);
      },
    };
  }

  private allow(ruleArn: string, queue: Queue): void {
    const owner = this.isShared ? this : queue;
    const known = this.senders.get(owner);
    if (known) {
      if (!known.includes(ruleArn)) known.push(ruleArn);
      return;
    }
    const senders = [ruleArn];
    this.senders.set(owner, senders);
    const statement = new PolicyStatement({
      actions: ['sqs:SendMessage'],
      principals: [new ServicePrincipal('events.amazonaws.com')],
      resources: [this.isShared ? '*' : queue.queueArn],
      conditions: { ArnEquals: { 'aws:SourceArn': Lazy.list({ produce: () => senders }) } },
    });
    if (this.shared) this.shared.document.addStatements(statement);
    else queue.addToResourcePolicy(statement);
  }

  private createShared(): { readonly document: PolicyDocument; readonly policy: CfnQueuePolicy } {
    const document = new PolicyDocument();
    document.addStatements(
      new PolicyStatement({
        effect: Effect.DENY,
        actions: ['sqs:*'],
        principals: [new AnyPrincipal()],
        resources: ['*'],
        conditions: { Bool: { 'aws:SecureTransport': 'false' } },
      }),
    );
    const policy = new CfnQueuePolicy(this.scope, 'QueuePolicy', { queues: [], policyDocument: document });
    policy.applyRemovalPolicy(RemovalPolicy.RETAIN);
    return { document, policy };
  }
}
