import type { Assembly, Resource } from '../../assembly/assembly.js';
import type { Json, JsonObject } from '../../assembly/intrinsics.js';
import { findManagedActions } from './managed-policies.js';

/** A part of a policy that isn't modelled: a guess would allow, or deny, what AWS doesn't. */
export class PolicyNotModelled extends Error {
  override readonly name = 'PolicyNotModelled';
}

/** Members of a statement that the model reads; `NotAction`, `NotResource` and `NotPrincipal` are not among them. */
const READ = new Set(['Sid', 'Effect', 'Action', 'Resource', 'Condition', 'Principal']);
const OPERATOR =
  /^(?:Null|(?:ForAllValues:|ForAnyValue:)?(?:StringEquals|StringNotEquals|StringLike|StringNotLike|ArnEquals|ArnLike|Bool)(?:IfExists)?)$/;

export interface Statement {
  readonly holder: string;
  /** Whether AWS wrote it: the app can't narrow it. @default false */
  readonly isManaged?: boolean;
  readonly allows: boolean;
  readonly actions: readonly Text[];
  readonly resources: readonly Text[];
  readonly services: readonly string[] | undefined;
  readonly conditions: readonly Condition[];
}

export interface Condition {
  readonly operator: string;
  readonly key: string;
  readonly values: readonly Text[];
}

/** A text of a policy and its meaning. */
interface Text {
  readonly text: string;
  fits(value: string): boolean;
}

/** The statements of an assembly's roles and resource policies, by their holders' ARNs; all runs share them. */
export class Policies {
  readonly byRole = new Map<string, Statement[]>();
  readonly byResource = new Map<string, Statement[]>();
  /** Condition keys that a role provides: `aws:PrincipalTag/<name>`. */
  readonly tagsOfRole = new Map<string, Readonly<Record<string, string>>>();
  /** What the model doesn't read: by whom, and what. */
  readonly unread: { readonly holder: string; readonly what: string }[] = [];
  private static readonly read = new WeakMap<Assembly, Policies>();

  static of(assembly: Assembly): Policies {
    const known = Policies.read.get(assembly) ?? new Policies(assembly);
    Policies.read.set(assembly, known);
    return known;
  }

  private constructor(assembly: Assembly) {
    for (const policy of assembly.findByType('AWS::IAM::Policy')) {
      const { Roles = [], PolicyDocument } = policy.properties;
      for (const role of Roles as readonly string[])
        this.add(this.byRole, assembly.findByArn(role).arn, policy, PolicyDocument);
    }
    for (const policy of assembly.findByType('AWS::IAM::ManagedPolicy')) {
      const { Roles = [], PolicyDocument } = policy.properties;
      for (const role of Roles as readonly string[])
        this.add(this.byRole, assembly.findByArn(role).arn, policy, PolicyDocument);
    }
    for (const role of assembly.findByType('AWS::IAM::Role')) {
      for (const policy of toList(role.properties.ManagedPolicyArns ?? [])) this.addManaged(role, policy, assembly);
      const tags = (role.properties.Tags ?? []) as readonly { readonly Key: string; readonly Value: string }[];
      this.tagsOfRole.set(
        role.arn,
        Object.fromEntries(tags.map(({ Key, Value }) => [`aws:PrincipalTag/${Key}`, Value])),
      );
      for (const { PolicyDocument } of (role.properties.Policies ?? []) as readonly JsonObject[]) {
        this.add(this.byRole, role.arn, role, PolicyDocument);
      }
    }
    for (const policy of assembly.findByType('AWS::SQS::QueuePolicy')) {
      for (const queue of policy.properties.Queues as readonly string[]) {
        this.add(this.byResource, assembly.findByArn(queue).arn, policy, policy.properties.PolicyDocument);
      }
    }
    for (const policy of assembly.findByType('AWS::SNS::TopicPolicy')) {
      for (const topic of policy.properties.Topics as readonly string[])
        this.add(this.byResource, assembly.findByArn(topic).arn, policy, policy.properties.PolicyDocument);
    }
    for (const policy of assembly.findByType('AWS::S3::BucketPolicy')) {
      const bucket = assembly.findByArn(policy.properties.Bucket);
      this.add(this.byResource, bucket.arn, policy, policy.properties.PolicyDocument);
    }
    for (const policy of assembly.findByType('AWS::Events::EventBusPolicy')) {
      const bus = assembly.findByArn(policy.properties.EventBusName);
      this.add(this.byResource, bus.arn, policy, { Statement: policy.properties.Statement ?? {} });
    }
    for (const key of assembly.findByType('AWS::KMS::Key')) {
      this.add(this.byResource, key.arn, key, key.properties.KeyPolicy);
    }
    for (const permission of assembly.findByType('AWS::Lambda::Permission')) {
      const { FunctionName, Action = null, Principal = null, SourceArn, SourceAccount } = permission.properties;
      const { FunctionUrlAuthType, InvokedViaFunctionUrl } = permission.properties;
      const equal = {
        ...(SourceAccount !== undefined && { 'aws:SourceAccount': SourceAccount }),
        ...(FunctionUrlAuthType !== undefined && { 'lambda:FunctionUrlAuthType': FunctionUrlAuthType }),
        ...(InvokedViaFunctionUrl === true && { 'lambda:InvokedViaFunctionUrl': 'true' }),
      };
      const target = assembly.findByArn(FunctionName);
      const conditions = {
        ...(SourceArn !== undefined && { ArnLike: { 'aws:SourceArn': SourceArn } }),
        ...(Object.keys(equal).length > 0 && { StringEquals: equal }),
      };
      const condition = Object.keys(conditions).length === 0 ? {} : { Condition: conditions };
      const statement = {
        Effect: 'Allow',
        Action,
        Principal: Principal === '*' ? Principal : { Service: Principal },
        Resource: target.arn,
        ...condition,
      };
      this.add(this.byResource, target.arn, permission, { Statement: [statement] });
    }
  }

  /** Adds a managed policy of AWS, or one of the assembly's own. */
  private addManaged(role: Resource, policy: Json, assembly: Assembly): void {
    const own = assembly.findByType('AWS::IAM::ManagedPolicy').find(({ ref }) => ref === policy);
    if (own) {
      this.add(this.byRole, role.arn, own, own.properties.PolicyDocument);
      return;
    }
    const actions = findManagedActions(String(policy));
    if (!actions) this.unread.push({ holder: role.label, what: `the managed policy ${String(policy)}` });
    if (!actions || actions.length === 0) return;
    const allowed = parseStatements(role.label, {
      Statement: [{ Effect: 'Allow', Action: [...actions], Resource: '*' }],
    }).map((statement) => ({ ...statement, isManaged: true }));
    this.byRole.set(role.arn, [...(this.byRole.get(role.arn) ?? []), ...allowed]);
  }

  private add(to: Map<string, Statement[]>, owner: string, { label }: Resource, document: Json | undefined): void {
    try {
      const statements = parseStatements(label, document);
      if (statements.length > 0) to.set(owner, [...(to.get(owner) ?? []), ...statements]);
    } catch (error) {
      if (!(error instanceof PolicyNotModelled)) throw error;
      this.unread.push({ holder: label, what: error.message.replace(`${label}: `, '') });
    }
  }
}

/** Reads a policy. @param holder what it belongs to, for people @throws {PolicyNotModelled} */
export function parseStatements(holder: string, document: Json | undefined): readonly Statement[] {
  const { Statement = [] } = (document ?? {}) as JsonObject;
  return (toList(Statement) as readonly JsonObject[]).map((statement) => {
    const unread = Object.keys(statement).find((name) => !READ.has(name));
    if (unread !== undefined) throw new PolicyNotModelled(`${holder}: ${unread} in a statement`);
    const { Effect, Action, Resource, Condition = {}, Principal } = statement;
    if (Action === undefined || Resource === undefined)
      throw new PolicyNotModelled(`${holder}: a statement without Action or Resource`);
    const unknown = Object.keys(Condition as JsonObject).find((operator) => !OPERATOR.test(operator));
    if (unknown !== undefined) throw new PolicyNotModelled(`${holder}: condition operator '${unknown}'`);
    const conditions = Object.entries(Condition as JsonObject).flatMap(([operator, keys]) =>
      Object.entries(keys as JsonObject).map(([key, values]) => ({
        operator,
        key,
        values: toList(values).map(parsePattern),
      })),
    );
    const { Service, AWS } = (Principal ?? {}) as JsonObject;
    const services = Service ?? (AWS === undefined || AWS === '*' ? undefined : AWS);
    return {
      holder,
      allows: Effect === 'Allow',
      actions: toList(Action).map(parsePattern),
      resources: toList(Resource).map(parsePattern),
      services: services === undefined ? undefined : toList(services).map(String),
      conditions,
    };
  });
}

function parsePattern(value: Json): Text {
  const text = String(value);
  if (!/[*?]/.test(text)) return { text, fits: (other) => other === text };
  const pattern = wildcard(text);
  return { text, fits: (other) => pattern.test(other) };
}

/** Returns a list: the value itself, or a list with the single value. */
export const toList = (value: Json): readonly Json[] => (Array.isArray(value) ? value : [value]);

const compiled = new Map<string, RegExp>();

/** Compiles a text of a policy: `*` matches any text, `?` one character; everything else matches itself. */
export function wildcard(text: string): RegExp {
  const known = compiled.get(text);
  if (known) return known;
  const escaped = text
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '[\\s\\S]*')
    .replaceAll('?', '[\\s\\S]');
  const made = new RegExp(`^${escaped}$`);
  compiled.set(text, made);
  return made;
}
