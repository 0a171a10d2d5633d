import {
  type AddToPrincipalPolicyResult,
  PolicyDocument,
  type PolicyStatement,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/** Bytes of all inline policies of a role, without white space: "IAM and AWS STS quotas". */
const MAX_POLICY_BYTES = 10_240;
/** Text of the longest kind of reference: an ARN of a resource whose name CloudFormation makes. */
const REFERENCE = 'x'.repeat(140);
/** Texts of the pseudo parameters, as long as they get in the `aws` partition. */
const PSEUDO: Readonly<Record<string, string>> = {
  'AWS::Partition': 'aws',
  'AWS::AccountId': '111111111111',
  'AWS::Region': 'ap-southeast-1',
};

/**
 * Role of one function or rule, with its permissions in the role itself. CDK makes a resource of its own of the permissions
 * (`DefaultPolicy`), so that each function would need one resource more. A resource that refers to the role must not be named by its
 * permissions, because CloudFormation creates them together.
 */
export class InlineRole extends Role {
  private readonly document: PolicyDocument;

  /** @param service that assumes the role */
  constructor(scope: Construct, id: string, service = 'lambda.amazonaws.com') {
    const document = new PolicyDocument();
    super(scope, id, {
      assumedBy: new ServicePrincipal(service),
      inlinePolicies: { Permissions: document },
    });
    this.document = document;
    this.node.addValidation({ validate: () => this.findSizeErrors() });
  }

  override addToPrincipalPolicy(statement: PolicyStatement): AddToPrincipalPolicyResult {
    this.document.addStatements(statement);
    return { statementAdded: true, policyDependable: this };
  }

  override addToPolicy(statement: PolicyStatement): boolean {
    return this.addToPrincipalPolicy(statement).statementAdded;
  }

  /** IAM would refuse a larger policy in the middle of a deployment. */
  private findSizeErrors(): string[] {
    const bytes = Buffer.byteLength(JSON.stringify(render(this.stack.resolve(this.document))));
    if (bytes <= MAX_POLICY_BYTES) return [];
    return [
      `the permissions of ${this.node.path} have about ${bytes} bytes: expected at most ${MAX_POLICY_BYTES}, which IAM takes of one role`,
    ];
  }
}

/** Renders what CloudFormation would: references become texts of their length. */
function render(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(render);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [[name, argument] = []] = entries;
  if (name === 'Fn::Join' && Array.isArray(argument)) {
    const [separator, parts] = argument as [string, unknown[]];
    return parts.map(render).join(separator);
  }
  if (name === 'Ref') return PSEUDO[String(argument)] ?? REFERENCE;
  if (name?.startsWith('Fn::')) return REFERENCE;
  return Object.fromEntries(entries.map(([key, member]) => [key, render(member)]));
}
