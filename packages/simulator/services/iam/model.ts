import type { Assembly } from '../../assembly/assembly.js';
import type { AccountAndRegion } from '../../assembly/identity.js';
import type { Json } from '../../assembly/intrinsics.js';
import { type Condition, Policies, parseStatements, type Statement, toList } from './policies.js';

/** An access to be checked. */
export interface Access {
  /** `dynamodb:PutItem` */
  readonly action: string;
  readonly resource: string;
  /** Condition keys and their values: `dynamodb:LeadingKeys`, `aws:SourceArn`. */
  readonly context?: Readonly<Record<string, string | readonly string[]>>;
  /** Service that acts, for resource policies: `events.amazonaws.com`. */
  readonly service?: string;
}

/** Permissions that only the platform around a function needs; no call here uses them. */
const TAKEN_FOR_USED = new Set([
  'logs:CreateLogStream',
  'logs:PutLogEvents',
  'dynamodb:DescribeStream',
  'dynamodb:ListStreams',
  'sqs:GetQueueUrl',
  's3:ListBucket',
]);

/** The same of a state machine: its logs and traces, and the rule by which AWS learns that an execution has ended. */
const OF_STATE_MACHINES =
  /^(logs:\w*(LogDelivery|LogDeliveries|ResourcePolic\w+)|xray:\w+|events:(PutTargets|PutRule|DescribeRule))$/;

/** Also covers everything that administrators may do with a key. */
const isTakenForUsed = (action: string): boolean =>
  TAKEN_FOR_USED.has(action) || OF_STATE_MACHINES.test(action) || /^kms:(?!(Decrypt|GenerateDataKey|\*)$)/.test(action);

/**
 * Roles and resource policies of the templates. AWS, "Policy evaluation logic": access is denied unless allowed, and an
 * explicit denial takes precedence.
 */
export class Iam {
  private readonly policies: Policies;
  /** Actions that each statement has allowed so far. */
  private readonly used = new Map<Statement, Set<string>>();

  /** Policies that a caller from outside has given to resources, in the place of the templates'. */
  private readonly replaced = new Map<
    string,
    { readonly document: Json | undefined; readonly statements: readonly Statement[] }
  >();

  constructor(private readonly assembly: Assembly) {
    this.policies = Policies.of(assembly);
  }

  /**
   * Replaces the policy of a resource in this account.
   * @param owner ARN of the resource
   * @param document `undefined` removes the policy
   * @throws {PolicyNotModelled}
   */
  replacePolicy(owner: string, document: Json | undefined): void {
    this.replaced.set(owner, { document, statements: document === undefined ? [] : parseStatements(owner, document) });
  }

  /** Returns the policy of a queue as JSON; `undefined` if it has none. @param owner ARN of the queue */
  findPolicy(owner: string): Json | undefined {
    const replaced = this.replaced.get(owner);
    if (replaced) return replaced.document;
    const policies = this.assembly.findByType('AWS::SQS::QueuePolicy');
    const own = policies.filter(({ properties: { Queues } }) =>
      (Queues as readonly string[]).some((queue) => this.assembly.findByArn(queue).arn === owner),
    );
    return own.at(-1)?.properties.PolicyDocument;
  }

  private ofResource(owner: string): readonly Statement[] {
    return this.replaced.get(owner)?.statements ?? this.policies.byResource.get(owner) ?? [];
  }

  /** Checks whether a function's role allows an access. */
  roleAllows(roleArn: string, access: Access): boolean {
    return this.decide(this.policies.byRole.get(roleArn) ?? [], this.asRole(roleArn, access));
  }

  /**
   * Checks whether a queue's, bucket's or function's own policy allows an access of a service.
   * @param owner ARN of that resource
   */
  resourceAllows(owner: string, access: Access): boolean {
    return this.decide(this.ofResource(owner), access);
  }

  /**
   * Checks whether a key's policy lets a role of the account have permissions on it by its own policies. AWS KMS, "Key
   * policies": without that, a role's permission has no effect.
   */
  keyDelegatesToRole(roleArn: string, access: Access): boolean {
    // As a principal it represents the account: the account's own policies decide.
    const { root } = this.assembly.home;
    return this.decide(this.ofResource(access.resource), { ...this.asRole(roleArn, access), service: root });
  }

  /** AWS, "AWS global condition context keys": each request carries the tags of the caller's role. */
  private asRole(roleArn: string, access: Access): Access {
    return { ...access, context: { ...access.context, ...this.policies.tagsOfRole.get(roleArn) } };
  }

  /** Checks whether the policy of the resource, or of an object's bucket, denies the access to everyone. */
  resourceDenies(access: Access): boolean {
    const { resource } = access;
    const owner = /^arn:\w+:s3:::/.test(resource) ? resource.replace(/\/.*/, '') : resource;
    return this.ofResource(owner).some(
      (statement) => !statement.allows && covers(statement, access, this.assembly.home),
    );
  }

  /** Returns actions that were granted and never used so far: `<policy's construct>: <action>`. */
  listUnused(): readonly string[] {
    const names = [...this.policies.byRole.values(), ...this.policies.byResource.values()]
      .flat()
      .flatMap((statement) =>
        statement.allows && !statement.isManaged
          ? statement.actions
              .filter(({ text }) => !this.used.get(statement)?.has(text) && !isTakenForUsed(text))
              .map(({ text }) => `${statement.holder}: ${text}`)
          : [],
      );
    return [...new Set(names)].sort();
  }

  /** Adds the actions that another run of the same assembly has used. */
  addUsageOf(other: Iam): void {
    for (const [statement, actions] of other.used) for (const action of actions) this.note(statement, action);
  }

  private decide(statements: readonly Statement[], access: Access): boolean {
    const covering = statements.filter((statement) => covers(statement, access, this.assembly.home));
    if (covering.some(({ allows }) => !allows)) return false;
    for (const statement of covering) {
      for (const { text, fits } of statement.actions) if (fits(access.action)) this.note(statement, text);
    }
    return covering.length > 0;
  }

  private note(statement: Statement, action: string): void {
    const used = this.used.get(statement) ?? new Set();
    this.used.set(statement, used.add(action));
  }
}

function covers(
  { actions, resources, services, conditions, allows }: Statement,
  access: Access,
  { account }: AccountAndRegion,
): boolean {
  if (!actions.some(({ fits }) => fits(access.action))) return false;
  if (!resources.some(({ fits }) => fits(access.resource))) return false;
  if (allows && services && !services.includes(access.service ?? '')) return false;
  return conditions.every((condition) => holds(condition, { 'aws:SourceAccount': account, ...access.context }));
}

/**
 * Evaluates a condition. AWS, "IAM JSON policy elements: Condition operators" and "Set operators for multivalued
 * context keys". A missing key matches a negated operator and `ForAllValues`, and only `Null` tests for it. Without a
 * set operator, several values match nothing, as EventBridge's user guide documents for `events:source`. A missing key
 * matches an operator that ends in `IfExists`.
 */
function holds({ operator, key, values }: Condition, context: NonNullable<Access['context']>): boolean {
  const [, set, name = '', ifExists] = /^(?:(ForAllValues|ForAnyValue):)?(\w+?)(IfExists)?$/.exec(operator) ?? [];
  // All requests here are sent over TLS.
  const given = key === 'aws:SecureTransport' ? 'true' : context[key];
  const present = given === undefined ? [] : toList(given as Json).map(String);
  if (ifExists !== undefined && present.length === 0) return true;
  if (name === 'Null') return values.some(({ text }) => text === String(present.length === 0));
  const literally = /^(String(Not)?Equals|Bool)$/.test(name);
  const matches = (value: string): boolean =>
    values.some(({ text, fits }) => (literally ? text === value : fits(value)));
  const negated = name.startsWith('StringNot');
  if (set === 'ForAllValues') return present.every((value) => matches(value) !== negated);
  if (set === 'ForAnyValue') return present.some((value) => matches(value) !== negated);
  return (present.length === 1 && present.every(matches)) !== negated;
}
