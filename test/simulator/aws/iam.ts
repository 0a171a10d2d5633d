import type { Assembly, Resource } from '../assembly/assembly.js';
import { ACCOUNT, PARTITION } from '../assembly/identity.js';
import type { Json, JsonObject } from '../assembly/intrinsics.js';
import { wildcard } from './event-pattern.js';

/** What somebody wants to do. */
export interface Access {
  /** `dynamodb:PutItem` */
  readonly action: string;
  readonly resource: string;
  /** Condition keys and their values: `dynamodb:LeadingKeys`, `aws:SourceArn`. */
  readonly context?: Readonly<Record<string, string | readonly string[]>>;
  /** Who acts, for resource policies: `events.amazonaws.com`. */
  readonly service?: string;
}

/** Something in a policy that isn't modelled: guessing would let through, or deny, what AWS doesn't. */
export class PolicyNotModelled extends Error {
  override readonly name = 'PolicyNotModelled';
}

/** Members of a statement that are read; `NotAction`, `NotResource` and `NotPrincipal` are not among them. */
const READ = new Set(['Sid', 'Effect', 'Action', 'Resource', 'Condition', 'Principal']);
const OPERATOR = /^(ForAllValues:|ForAnyValue:)?(StringEquals|StringLike|ArnEquals|ArnLike|Bool)$/;
/** AWS's own policies that aren't read: of what holds no function's role. */
const UNREAD_POLICY = /:policy\/service-role\/AmazonAPIGatewayPushToCloudWatchLogs$/;

interface Statement {
  readonly holder: string;
  readonly allows: boolean;
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly services: readonly string[] | undefined;
  readonly conditions: readonly Condition[];
  readonly used: Set<string>;
}

interface Condition {
  readonly operator: string;
  readonly key: string;
  readonly values: readonly string[];
}

/** As principal it stands for the account: its own policies decide. */
const ACCOUNT_ROOT = `arn:${PARTITION}:iam::${ACCOUNT}:root`;

/** Rights that only the platform around a function needs: nobody calls them here. */
const TAKEN_FOR_USED = new Set([
  'logs:CreateLogStream',
  'logs:PutLogEvents',
  'dynamodb:DescribeStream',
  'dynamodb:ListStreams',
  'sqs:GetQueueUrl',
  's3:ListBucket',
]);

/**
 * Roles and resource policies of the templates. AWS, "Policy evaluation logic": denied unless allowed, and a denial
 * outranks.
 */
export class Iam {
  private readonly byRole = new Map<string, Statement[]>();
  private readonly byResource = new Map<string, Statement[]>();

  constructor(assembly: Assembly) {
    for (const policy of assembly.ofType('AWS::IAM::Policy')) {
      const { Roles = [], PolicyDocument } = policy.properties;
      for (const role of Roles as readonly string[])
        this.add(this.byRole, assembly.byArn(role).arn, policy, PolicyDocument);
    }
    for (const role of assembly.ofType('AWS::IAM::Role')) {
      const unread = many(role.properties.ManagedPolicyArns ?? []).find((arn) => !UNREAD_POLICY.test(String(arn)));
      if (unread !== undefined) throw new PolicyNotModelled(`${role.label}: ${String(unread)}`);
      for (const { PolicyDocument } of (role.properties.Policies ?? []) as readonly JsonObject[]) {
        this.add(this.byRole, role.arn, role, PolicyDocument);
      }
    }
    for (const policy of assembly.ofType('AWS::SQS::QueuePolicy')) {
      for (const queue of policy.properties.Queues as readonly string[]) {
        this.add(this.byResource, assembly.byArn(queue).arn, policy, policy.properties.PolicyDocument);
      }
    }
    for (const policy of assembly.ofType('AWS::S3::BucketPolicy')) {
      const bucket = assembly.byArn(policy.properties.Bucket);
      this.add(this.byResource, bucket.arn, policy, policy.properties.PolicyDocument);
    }
    for (const key of assembly.ofType('AWS::KMS::Key')) {
      this.add(this.byResource, key.arn, key, key.properties.KeyPolicy);
    }
    for (const permission of assembly.ofType('AWS::Lambda::Permission')) {
      const { FunctionName, Action = null, Principal = null, SourceArn } = permission.properties;
      const target = assembly.byArn(FunctionName);
      const condition = SourceArn === undefined ? {} : { Condition: { ArnLike: { 'aws:SourceArn': SourceArn } } };
      const statement = {
        Effect: 'Allow',
        Action,
        Principal: { Service: Principal },
        Resource: target.arn,
        ...condition,
      };
      this.add(this.byResource, target.arn, permission, { Statement: [statement] });
    }
  }

  /** Whether a function's role allows it. */
  roleAllows(roleArn: string, access: Access): boolean {
    return decide(this.byRole.get(roleArn) ?? [], access);
  }

  /** Whether a queue's, bucket's or function's own policy lets a service do it. @param owner ARN of that resource */
  resourceAllows(owner: string, access: Access): boolean {
    return decide(this.byResource.get(owner) ?? [], access);
  }

  /**
   * Whether a key's policy lets the account's roles have rights on it by policies of their own. AWS KMS, "Key policies":
   * without that a role's right means nothing.
   */
  keyLetsRolesDecide(access: Access): boolean {
    return decide(this.byResource.get(access.resource) ?? [], { ...access, service: ACCOUNT_ROOT });
  }

  /** Whether the resource's own policy denies it to anybody. */
  resourceDenies(owner: string, access: Access): boolean {
    return (this.byResource.get(owner) ?? []).some((statement) => !statement.allows && covers(statement, access));
  }

  /** Actions that were granted and that nothing has used so far: `<policy's construct>: <action>`. */
  unused(): readonly string[] {
    const names = [...this.byRole.values(), ...this.byResource.values()]
      .flat()
      .flatMap((statement) =>
        statement.allows
          ? statement.actions
              .filter((action) => !statement.used.has(action) && !TAKEN_FOR_USED.has(action))
              .map((action) => `${statement.holder}: ${action}`)
          : [],
      );
    return [...new Set(names)].sort();
  }

  /** Adds what another run has used. */
  usedBy(other: Iam): void {
    for (const [mine, theirs] of [
      [this.byRole, other.byRole],
      [this.byResource, other.byResource],
    ] as const) {
      for (const [owner, statements] of mine) {
        for (const [at, { used }] of statements.entries()) {
          for (const action of theirs.get(owner)?.[at]?.used ?? []) used.add(action);
        }
      }
    }
  }

  private add(to: Map<string, Statement[]>, owner: string, { label }: Resource, document: Json | undefined): void {
    const { Statement = [] } = (document ?? {}) as JsonObject;
    for (const statement of many(Statement) as readonly JsonObject[]) {
      const unread = Object.keys(statement).find((name) => !READ.has(name));
      if (unread !== undefined) throw new PolicyNotModelled(`${label}: ${unread} in a statement`);
      const { Effect, Action, Resource, Condition = {}, Principal } = statement;
      if (Action === undefined || Resource === undefined)
        throw new PolicyNotModelled(`${label}: a statement without Action or Resource`);
      const unknown = Object.keys(Condition as JsonObject).find((operator) => !OPERATOR.test(operator));
      if (unknown !== undefined) throw new PolicyNotModelled(`${label}: condition operator '${unknown}'`);
      const conditions = Object.entries(Condition as JsonObject).flatMap(([operator, keys]) =>
        Object.entries(keys as JsonObject).map(([key, values]) => ({
          operator,
          key,
          values: many(values).map(String),
        })),
      );
      const { Service, AWS } = (Principal ?? {}) as JsonObject;
      const services = Service ?? (AWS === undefined || AWS === '*' ? undefined : AWS);
      to.set(owner, [
        ...(to.get(owner) ?? []),
        {
          holder: label,
          allows: Effect === 'Allow',
          actions: many(Action).map(String),
          resources: many(Resource).map(String),
          services: services === undefined ? undefined : many(services).map(String),
          conditions,
          used: new Set(),
        },
      ]);
    }
  }
}

function decide(statements: readonly Statement[], access: Access): boolean {
  const covering = statements.filter((statement) => covers(statement, access));
  if (covering.some(({ allows }) => !allows)) return false;
  for (const { used, actions } of covering) {
    for (const action of actions) if (wildcard(action, true).test(access.action)) used.add(action);
  }
  return covering.length > 0;
}

function covers({ actions, resources, services, conditions, allows }: Statement, access: Access): boolean {
  if (!actions.some((action) => wildcard(action, true).test(access.action))) return false;
  if (!resources.some((resource) => wildcard(resource, true).test(access.resource))) return false;
  if (allows && services && !services.includes(access.service ?? '')) return false;
  return conditions.every((condition) => holds(condition, access.context ?? {}));
}

/** AWS, "IAM JSON policy elements: Condition operators" and "multivalued context keys". */
function holds({ operator, key, values }: Condition, context: NonNullable<Access['context']>): boolean {
  const [, set, name] = /^(?:(ForAllValues|ForAnyValue):)?(\w+)$/.exec(operator) ?? [];
  // All that is sent here is sent over TLS.
  const given = key === 'aws:SecureTransport' ? 'true' : key === 'aws:SourceAccount' ? '123456789012' : context[key];
  const present = given === undefined ? [] : many(given as Json).map(String);
  const one = (value: string): boolean => values.some((wanted) => compare(name ?? '', wanted, value));
  if (set === 'ForAllValues') return present.every(one);
  return present.some(one);
}

function compare(operator: string, wanted: string, value: string): boolean {
  return operator === 'StringEquals' || operator === 'Bool' ? wanted === value : wildcard(wanted, true).test(value);
}

const many = (value: Json): readonly Json[] => (Array.isArray(value) ? value : [value]);
