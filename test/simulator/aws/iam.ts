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
  readonly actions: readonly Text[];
  readonly resources: readonly Text[];
  readonly services: readonly string[] | undefined;
  readonly conditions: readonly Condition[];
}

interface Condition {
  readonly operator: string;
  readonly key: string;
  readonly values: readonly Text[];
}

/** A text of a policy, and what it stands for. */
interface Text {
  readonly text: string;
  fits(value: string): boolean;
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

/** The statements of an assembly's roles and resource policies, by their holders' ARNs; shared by all runs. */
class Policies {
  readonly byRole = new Map<string, Statement[]>();
  readonly byResource = new Map<string, Statement[]>();
  private static readonly read = new WeakMap<Assembly, Policies>();

  static of(assembly: Assembly): Policies {
    const known = Policies.read.get(assembly) ?? new Policies(assembly);
    Policies.read.set(assembly, known);
    return known;
  }

  private constructor(assembly: Assembly) {
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
          values: many(values).map(textOf),
        })),
      );
      const { Service, AWS } = (Principal ?? {}) as JsonObject;
      const services = Service ?? (AWS === undefined || AWS === '*' ? undefined : AWS);
      to.set(owner, [
        ...(to.get(owner) ?? []),
        {
          holder: label,
          allows: Effect === 'Allow',
          actions: many(Action).map(textOf),
          resources: many(Resource).map(textOf),
          services: services === undefined ? undefined : many(services).map(String),
          conditions,
        },
      ]);
    }
  }
}

/**
 * Roles and resource policies of the templates. AWS, "Policy evaluation logic": denied unless allowed, and a denial
 * outranks.
 */
export class Iam {
  private readonly policies: Policies;
  /** Actions of statements that allowed something. */
  private readonly used = new Map<Statement, Set<string>>();

  constructor(assembly: Assembly) {
    this.policies = Policies.of(assembly);
  }

  /** Whether a function's role allows it. */
  roleAllows(roleArn: string, access: Access): boolean {
    return this.decide(this.policies.byRole.get(roleArn) ?? [], access);
  }

  /** Whether a queue's, bucket's or function's own policy lets a service do it. @param owner ARN of that resource */
  resourceAllows(owner: string, access: Access): boolean {
    return this.decide(this.policies.byResource.get(owner) ?? [], access);
  }

  /**
   * Whether a key's policy lets the account's roles have rights on it by policies of their own. AWS KMS, "Key policies":
   * without that a role's right means nothing.
   */
  keyLetsRolesDecide(access: Access): boolean {
    return this.decide(this.policies.byResource.get(access.resource) ?? [], { ...access, service: ACCOUNT_ROOT });
  }

  /** Whether the resource's own policy denies it to anybody. */
  resourceDenies(owner: string, access: Access): boolean {
    return (this.policies.byResource.get(owner) ?? []).some(
      (statement) => !statement.allows && covers(statement, access),
    );
  }

  /** Actions that were granted and that nothing has used so far: `<policy's construct>: <action>`. */
  unused(): readonly string[] {
    const names = [...this.policies.byRole.values(), ...this.policies.byResource.values()]
      .flat()
      .flatMap((statement) =>
        statement.allows
          ? statement.actions
              .filter(({ text }) => !this.used.get(statement)?.has(text) && !TAKEN_FOR_USED.has(text))
              .map(({ text }) => `${statement.holder}: ${text}`)
          : [],
      );
    return [...new Set(names)].sort();
  }

  /** Adds what another run of the same assembly has used. */
  usedBy(other: Iam): void {
    for (const [statement, actions] of other.used) for (const action of actions) this.note(statement, action);
  }

  private decide(statements: readonly Statement[], access: Access): boolean {
    const covering = statements.filter((statement) => covers(statement, access));
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

function covers({ actions, resources, services, conditions, allows }: Statement, access: Access): boolean {
  if (!actions.some(({ fits }) => fits(access.action))) return false;
  if (!resources.some(({ fits }) => fits(access.resource))) return false;
  if (allows && services && !services.includes(access.service ?? '')) return false;
  return conditions.every((condition) => holds(condition, access.context ?? {}));
}

/** AWS, "IAM JSON policy elements: Condition operators" and "multivalued context keys". */
function holds({ operator, key, values }: Condition, context: NonNullable<Access['context']>): boolean {
  const [, set, name] = /^(?:(ForAllValues|ForAnyValue):)?(\w+)$/.exec(operator) ?? [];
  // All that is sent here is sent over TLS.
  const given = key === 'aws:SecureTransport' ? 'true' : key === 'aws:SourceAccount' ? '123456789012' : context[key];
  const present = given === undefined ? [] : many(given as Json).map(String);
  const literally = name === 'StringEquals' || name === 'Bool';
  const one = (value: string): boolean => values.some(({ text, fits }) => (literally ? text === value : fits(value)));
  if (set === 'ForAllValues') return present.every(one);
  return present.some(one);
}

function textOf(value: Json): Text {
  const text = String(value);
  if (!/[*?]/.test(text)) return { text, fits: (other) => other === text };
  const pattern = wildcard(text, true);
  return { text, fits: (other) => pattern.test(other) };
}

const many = (value: Json): readonly Json[] => (Array.isArray(value) ? value : [value]);
