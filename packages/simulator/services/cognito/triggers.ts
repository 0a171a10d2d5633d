import type { AccountAndRegion } from '../../assembly/identity.js';
import type { EventLoop } from '../../engine/event-loop.js';
import { Refused } from '../../wire/operation.js';
import type { Iam } from '../iam/model.js';
import type { InvocationResult, LambdaFunction } from '../lambda/model.js';
import type { UserPool } from './pool.js';
import type { User } from './users.js';

/** Parts of an account that the functions of a pool need. */
export interface TriggerSurroundings {
  readonly world: EventLoop;
  readonly iam: Iam;
  readonly functions: ReadonlyMap<string, LambdaFunction>;
  readonly home: AccountAndRegion;
}

/** A moment at which a pool calls a function, by its name in a template. */
export type Trigger = 'PreSignUp' | 'PostConfirmation' | 'PreTokenGeneration';

/** "Your Lambda function must respond within 5 seconds. After three unsuccessful attempts, the function times out." */
const PATIENCE = 5_000;
const ATTEMPTS = 3;

/**
 * Calls the function of a pool for a moment, if it has one. Amazon Cognito, "Customizing user pool workflows with Lambda triggers": a
 * function that takes longer than 5 s is called again, so it may do its work up to three times.
 * @param source `PreSignUp_SignUp`, and what else this moment has in its `request`
 * @returns the member `response` of what the function returns; an empty object without a function
 * @throws {Refused} if the function fails
 */
export async function callTrigger(
  around: TriggerSurroundings,
  pool: UserPool,
  trigger: Trigger,
  {
    source,
    user,
    clientId,
    request = {},
  }: { readonly source: string; readonly user: User; readonly clientId: string; readonly request?: object },
): Promise<Readonly<Record<string, unknown>>> {
  const arn = ((pool.resource.properties.LambdaConfig ?? {}) as Readonly<Record<string, string>>)[trigger];
  if (arn === undefined) return {};
  const fn = around.functions.get(arn);
  const access = {
    action: 'lambda:InvokeFunction',
    resource: arn,
    context: { 'aws:SourceArn': pool.resource.arn },
    service: 'cognito-idp.amazonaws.com',
  };
  if (!fn || !around.iam.resourceAllows(arn, access))
    throw new Refused('UnexpectedLambdaException', `${trigger} invocation failed due to error AccessDeniedException.`);
  const event = {
    version: '1',
    region: around.home.region,
    userPoolId: pool.id,
    userName: user.username,
    callerContext: { awsSdkVersion: 'aws-sdk-unknown-unknown', clientId },
    triggerSource: source,
    request: { userAttributes: { sub: user.sub, ...Object.fromEntries(user.attributes) }, ...request },
    response: {},
  };
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const result = await invoke(around.world, fn, event);
    if (result === 'timeout') continue;
    if (result.kind === 'returned')
      return (result.value as { readonly response?: Readonly<Record<string, unknown>> } | undefined)?.response ?? {};
    const why = result.kind === 'throttled' ? 'TooManyRequestsException' : result.message;
    throw new Refused('UserLambdaValidationException', `${trigger} failed with error ${why}.`);
  }
  throw new Refused('UnexpectedLambdaException', `${trigger} invocation failed due to configuration: it timed out.`);
}

const invoke = (world: EventLoop, fn: LambdaFunction, event: object): Promise<InvocationResult | 'timeout'> =>
  new Promise((resolve) => {
    // The world waits until the promise has moved.
    const end = (result: InvocationResult | 'timeout'): void => {
      world.enter();
      limit.cancel();
      resolve(result);
    };
    const limit = world.after(PATIENCE, () => end('timeout'));
    fn.invoke(event, end);
  });
