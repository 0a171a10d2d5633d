import { type EvaluationResult, GetRoleCommand, IAMClient, paginateSimulatePrincipalPolicy } from '@aws-sdk/client-iam';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { Output } from '@orderly/kit/internal/base/outputs.js';
import type { CommandContext } from '../cli/context.js';
import { clientConfig } from '../deployment/endpoint.js';
import { parseFunctions } from '../deployment/functions.js';
import { type DeniedCommand, NotChecked } from './not-checked.js';

type Context = Pick<CommandContext, 'endpoint' | 'services' | 'stacks'>;

/** Kinds of resources that commands change. */
type Kind = 'tables' | 'records' | 'queues' | 'rebuilders' | 'relays' | 'functions' | 'mappings' | 'personalKeys';

/** ARNs of an environment's resources. */
export type ResourceArns = Readonly<Record<Kind, readonly string[]>>;

const AUDIT_LOG = { kind: 'tables', actions: ['dynamodb:PutItem', 'dynamodb:UpdateItem'] } as const;
const SEND = { kind: 'queues', actions: ['sqs:SendMessage'] } as const;
const INVOKE = ['lambda:InvokeFunction'] as const;
const RESTORE = [
  'dynamodb:RestoreTableToPointInTime',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:DeleteItem',
] as const;

interface Need {
  readonly kind: Kind;
  readonly actions: readonly string[];
}

/** Permissions that the commands need which change something, besides those to read. */
export const REQUIRED_PERMISSIONS: Readonly<Record<string, readonly Need[]>> = {
  'failures redrive, inbox retry': [
    SEND,
    AUDIT_LOG,
    { kind: 'relays', actions: INVOKE },
    { kind: 'records', actions: ['dynamodb:UpdateItem', 'dynamodb:DeleteItem'] },
  ],
  'failures discard, inbox discard': [
    { kind: 'records', actions: ['dynamodb:UpdateItem', 'dynamodb:PutItem'] },
    AUDIT_LOG,
  ],
  'sagas retry, sagas resolve': [SEND, AUDIT_LOG],
  'audit --resend': [SEND, AUDIT_LOG],
  replay: [SEND, AUDIT_LOG],
  'consumers pause, consumers resume': [
    { kind: 'mappings', actions: ['lambda:UpdateEventSourceMapping'] },
    { kind: 'tables', actions: ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'] },
  ],
  'projections rebuild': [{ kind: 'rebuilders', actions: INVOKE }],
  'person forget': [{ kind: 'personalKeys', actions: ['dynamodb:PutItem'] }],
  'restore apply': [
    { kind: 'tables', actions: RESTORE },
    { kind: 'records', actions: RESTORE },
    { kind: 'functions', actions: ['lambda:PutFunctionConcurrency', 'lambda:DeleteFunctionConcurrency'] },
    { kind: 'mappings', actions: ['lambda:UpdateEventSourceMapping'] },
  ],
};

/** Returns whether the caller may do something: AWS's decision for an action and a resource. */
export type SimulatePolicy = (actions: readonly string[], resources: readonly string[]) => Promise<ReadonlySet<string>>;

/** Name of a denied pair in the answer of {@link SimulatePolicy}. */
export const permissionKey = (action: string, resource: string): string => `${action} ${resource}`;

/**
 * Finds the commands that the caller has not all permissions for.
 * @throws {NotChecked} at an emulator; if the caller may not ask IAM; for a caller that IAM does not simulate
 */
export async function findDeniedCommands(context: Context): Promise<readonly DeniedCommand[]> {
  const { endpoint } = context;
  if (endpoint.url !== undefined) throw new NotChecked('an emulator has no permissions of people');
  const config = clientConfig(endpoint);
  const [iam, sts] = [new IAMClient(config), new STSClient(config)];
  try {
    const { Arn = '' } = await sts.send(new GetCallerIdentityCommand({}));
    const principal = await resolvePrincipal(Arn, async (RoleName) => {
      const { Role } = await iam.send(new GetRoleCommand({ RoleName }));
      return Role?.Arn ?? '';
    });
    if (principal === undefined) return [];
    const decide: SimulatePolicy = async (ActionNames, ResourceArns) => {
      const denied: string[] = [];
      const asked = { PolicySourceArn: principal, ActionNames: [...ActionNames], ResourceArns: [...ResourceArns] };
      for await (const { EvaluationResults = [] } of paginateSimulatePrincipalPolicy({ client: iam }, asked)) {
        denied.push(...listDeniedPairs(EvaluationResults, ResourceArns));
      }
      return new Set(denied);
    };
    return await judgePermissions(listResourceArns(context, Arn), decide);
  } catch (error) {
    if (error instanceof Error && /AccessDenied/.test(error.name))
      throw new NotChecked('the caller may not call iam:SimulatePrincipalPolicy or iam:GetRole', { cause: error });
    throw error;
  } finally {
    for (const client of [iam, sts]) client.destroy();
  }
}

/**
 * Returns the pairs that IAM does not allow: nothing allows them, or something forbids them. IAM answers once for an action; its
 * decision for each resource is inside, and where it is not, the answer is about all of them.
 * @param asked ARNs of the resources
 */
export const listDeniedPairs = (results: readonly EvaluationResult[], asked: readonly string[]): readonly string[] =>
  results.flatMap(({ EvalActionName = '', EvalDecision, ResourceSpecificResults = [] }) => {
    const denied =
      ResourceSpecificResults.length > 0
        ? ResourceSpecificResults.filter((one) => one.EvalResourceDecision !== 'allowed').map(
            ({ EvalResourceName = '' }) => EvalResourceName,
          )
        : asked.filter(() => EvalDecision !== 'allowed');
    return denied.map((resource) => permissionKey(EvalActionName, resource));
  });

/**
 * Returns the user or the role that IAM simulates; `undefined` for the root user, who may do everything.
 * @param arn of the caller, as STS says it
 * @param roleArn returns the ARN of a role, which may have a path that the caller's ARN leaves out
 * @throws {NotChecked} for another caller
 */
export async function resolvePrincipal(
  arn: string,
  roleArn: (name: string) => Promise<string>,
): Promise<string | undefined> {
  if (/^arn:[\w-]+:iam::\d+:root$/.test(arn)) return undefined;
  if (/^arn:[\w-]+:iam::\d+:user\//.test(arn)) return arn;
  const [, role] = /^arn:[\w-]+:sts::\d+:assumed-role\/([^/]+)\//.exec(arn) ?? [];
  if (role === undefined) throw new NotChecked(`IAM does not simulate ${arn}`);
  return roleArn(role);
}

/** Judges the commands by decisions of IAM: each action on each resource of its kind. */
export async function judgePermissions(arns: ResourceArns, decide: SimulatePolicy): Promise<readonly DeniedCommand[]> {
  const denied = new Map<string, ReadonlySet<string>>();
  for (const { kind, actions } of Object.values(REQUIRED_PERMISSIONS).flat()) {
    const key = `${kind} ${actions.join()}`;
    if (!denied.has(key)) denied.set(key, arns[kind].length === 0 ? new Set() : await decide(actions, arns[kind]));
  }
  return Object.entries(REQUIRED_PERMISSIONS).flatMap(([command, needs]) => {
    const missing = needs.flatMap(({ kind, actions }) =>
      actions.flatMap((action) => {
        const refused = denied.get(`${kind} ${actions.join()}`);
        const resource = arns[kind].find((arn) => refused?.has(permissionKey(action, arn)));
        return resource === undefined ? [] : [{ action, resource }];
      }),
    );
    const [first] = missing;
    if (!first) return [];
    return [{ command, actions: [...new Set(missing.map(({ action }) => action))], resource: first.resource }];
  });
}

/** @param caller ARN of the caller: its partition and account are those of the resources */
export function listResourceArns({ endpoint: { region }, services, stacks }: Context, caller: string): ResourceArns {
  const [, partition = 'aws', , , account = ''] = caller.split(':');
  const arn = (service: string) => (name: string) => `arn:${partition}:${service}:${region}:${account}:${name}`;
  const [table, queue, fn] = [arn('dynamodb'), arn('sqs'), arn('lambda')];
  const consumers = services.flatMap((service) => service.consumers);
  return {
    tables: services.map((one) => table(`table/${one.table}`)),
    records: services.map((one) => table(`table/${one.records}`)),
    queues: consumers.map(({ queueUrl }) => queue(queueUrl.slice(queueUrl.lastIndexOf('/') + 1))),
    rebuilders: consumers.flatMap(({ rebuild }) => (rebuild === undefined ? [] : [fn(`function:${rebuild}`)])),
    relays: services.map(({ relay }) => fn(`function:${relay}`)),
    functions: parseFunctions(stacks).map(({ name }) => fn(`function:${name}`)),
    // Their ids are in no output, and a role that restores may change all of them.
    mappings: [fn('event-source-mapping:*')],
    personalKeys: Object.values(stacks).flatMap((outputs) =>
      Object.entries(outputs)
        .filter(([key]) => key.endsWith(Output.PERSONAL_KEYS))
        .map(([, name]) => table(`table/${name}`)),
    ),
  };
}
