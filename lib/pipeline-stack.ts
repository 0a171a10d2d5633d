import { Aws, CfnOutput, CliCredentialsStackSynthesizer, Duration, type IStackSynthesizer, Stack } from 'aws-cdk-lib';
import { CfnOIDCProvider, ManagedPolicy, PolicyStatement, Role, WebIdentityPrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { executionPermissions } from './execution-policy.js';

/** Issuer of the tokens of GitHub Actions. */
const GITHUB = 'token.actions.githubusercontent.com';

/**
 * Qualifier of the bootstrap that the pipeline deploys with. Its names contain it, so that it stands beside a bootstrap of other
 * applications, whose execution role may do anything.
 */
export const QUALIFIER = 'orderly';

/** Longest time that the credentials of a job are good for. Roles that it assumes with them have an hour each, and are assumed again. */
const LONGEST_JOB = Duration.hours(2);

export interface PipelineProps {
  /** Repository at GitHub: `owner/name`. */
  readonly repository: string;
  /** Name of the application, with which the names of its stacks begin. */
  readonly app: string;
  /** Environments that this account has, each with an environment of the same name at GitHub. */
  readonly environments: readonly string[];
  /** ARN of GitHub's identity provider, if the account has it: there is one of a URL. @default it is created */
  readonly provider?: string;
}

/** Error for arguments with which another repository could deploy, or none. */
export class PipelineError extends Error {
  override readonly name = 'PipelineError';
}

/**
 * Resources of a pipeline in GitHub Actions: an identity provider, a role for each environment, and the policy of
 * CloudFormation. There is no long-lived key: a job exchanges its token for credentials.
 *
 * A person deploys it, with their own credentials and before `cdk bootstrap`, since the bootstrap needs the policy. No role of
 * the pipeline can change it.
 */
export class PipelineStack extends Stack {
  constructor(scope: Construct, id: string, { repository, app, environments, provider }: PipelineProps) {
    super(scope, id, {
      stackName: `${app}-pipeline`,
      description: `Deployment of ${app} by ${repository}`,
      terminationProtection: true,
      // Its optional properties are typed in another way than those of the interface that it implements.
      synthesizer: new CliCredentialsStackSynthesizer({ qualifier: QUALIFIER }) as IStackSynthesizer,
    });
    if (!/^[A-Za-z0-9-]+\/[A-Za-z0-9._-]+$/.test(repository)) {
      throw new PipelineError(`repository is '${repository}': expected one repository, owner/name, without *`);
    }
    if (environments.length === 0 || environments.some((name) => !/^[a-z][a-z0-9-]*$/.test(name))) {
      throw new PipelineError(`environments are '${environments.join(', ')}': expected names such as dev or prod`);
    }
    const github =
      provider ??
      new CfnOIDCProvider(this, 'GitHub', { url: `https://${GITHUB}`, clientIdList: ['sts.amazonaws.com'] }).attrArn;
    const isSentBy = (subject: string) =>
      new WebIdentityPrincipal(github, {
        StringEquals: { [`${GITHUB}:aud`]: 'sts.amazonaws.com', [`${GITHUB}:sub`]: `repo:${repository}:${subject}` },
      });
    for (const name of environments) {
      const title = name.replace(/(^|-)(\w)/g, (_, __, letter: string) => letter.toUpperCase());
      const role = new Role(this, `Deploy${title}`, {
        description: `Deploys ${app} ${name}: jobs of the environment ${name} of ${repository}`,
        assumedBy: isSentBy(`environment:${name}`),
        maxSessionDuration: LONGEST_JOB,
      });
      role.addToPolicy(assumeBootstrapRoles(['deploy-role', 'file-publishing-role', 'lookup-role']));
      for (const statement of readAccount(app)) role.addToPolicy(statement);
      new CfnOutput(this, `Deploy${title}RoleArn`, { value: role.roleArn });
    }
    const reader = new Role(this, 'Compare', {
      description: `Compares templates of ${app} with what is deployed: jobs of the branch main of ${repository}`,
      assumedBy: isSentBy('ref:refs/heads/main'),
    });
    // It reads templates. The bootstrap denies it to decrypt.
    reader.addToPolicy(assumeBootstrapRoles(['lookup-role']));
    for (const statement of readAccount(app)) reader.addToPolicy(statement);
    new CfnOutput(this, 'CompareRoleArn', { value: reader.roleArn });
    const policy = new ManagedPolicy(this, 'Execution', {
      description: `What CloudFormation may do when ${app} is deployed`,
      statements: executionPermissions(app).map(
        ({ actions, resources, condition }) =>
          new PolicyStatement({
            actions: [...actions],
            resources: resources.map(here),
            ...(condition && { conditions: resolved(condition) }),
          }),
      ),
    });
    new CfnOutput(this, 'ExecutionPolicyArn', { value: policy.managedPolicyArn });
  }
}

const assumeBootstrapRoles = (names: readonly string[]): PolicyStatement =>
  new PolicyStatement({
    actions: ['sts:AssumeRole'],
    resources: names.map((name) => here(`iam::<account>:role/cdk-${QUALIFIER}-${name}-<account>-<region>`)),
  });

/**
 * Permissions for what `orderly doctor --before` reads: quotas and settings of the account, and the stacks of the application. Where the resource is `*`,
 * AWS knows no other one for the action (Service Authorization Reference), or it is a trail of the organization's account.
 */
const readAccount = (app: string): readonly PolicyStatement[] => [
  new PolicyStatement({
    actions: [
      'backup:DescribeRegionSettings',
      'cloudformation:DescribeStacks',
      'cloudtrail:DescribeTrails',
      'cloudtrail:GetEventSelectors',
      'cloudtrail:GetTrailStatus',
      'lambda:GetAccountSettings',
      'servicequotas:ListServiceQuotas',
      'ssm:DescribeParameters',
    ],
    resources: ['*'],
  }),
  new PolicyStatement({
    actions: ['cloudformation:GetTemplate', 'cloudformation:ListStackResources'],
    resources: [here(`cloudformation:<region>:<account>:stack/${app}-*`)],
  }),
  new PolicyStatement({
    actions: ['events:DescribeEventBus'],
    resources: [here(`events:<region>:<account>:event-bus/${app}*`)],
  }),
  new PolicyStatement({ actions: ['apigateway:GET'], resources: [here('apigateway:<region>::/account')] }),
];

/** Makes an ARN of this account and Region. */
const here = (resource: string): string =>
  resource === '*'
    ? resource
    : `arn:${Aws.PARTITION}:${resource.replaceAll('<account>', Aws.ACCOUNT_ID).replaceAll('<region>', Aws.REGION)}`;

/** Makes ARNs of the values that are compared with ARNs. */
const resolved = (condition: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>) =>
  Object.fromEntries(
    Object.entries(condition).map(([operator, keys]) => [
      operator,
      Object.fromEntries(
        Object.entries(keys).map(([key, values]) => [
          key,
          [values].flat().map((value) => (operator.startsWith('Arn') ? here(value) : value)),
        ]),
      ),
    ]),
  );
