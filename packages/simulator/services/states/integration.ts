import type { Json, JsonObject } from '../../assembly/intrinsics.js';
import { NotModelled } from '../../wire/operation.js';
import { type CalledService, readSdkAction } from './sdk-integration.js';

/** When a task ends: with the answer, when its token comes back, or when what it started has ended. */
type Pattern = 'answer' | 'token' | 'job';

/** What a task calls. */
export type Integration =
  /** A function; `isWrapped` if its name and payload stand in the parameters, and the result has more than what it returned. */
  | { readonly kind: 'function'; readonly arn: string | undefined; readonly pattern: Pattern }
  | { readonly kind: 'execution'; readonly pattern: Pattern }
  | {
      readonly kind: 'service';
      /** Name with which requests to it are signed. */
      readonly service: CalledService;
      readonly operation: string;
      /** Beginning of its errors. */
      readonly prefix: string;
      /** Whether it is called as the SDK calls it (`aws-sdk:`), without what Step Functions makes easier. */
      readonly isSdk: boolean;
      readonly pattern: Pattern;
    };

/** Optimized integrations that are modelled. AWS Step Functions Developer Guide, "Integrating services with Step Functions". */
const SERVICES: Readonly<Record<string, CalledService>> = {
  'sqs:sendMessage': 'sqs',
  'sns:publish': 'sns',
  'events:putEvents': 'events',
  'dynamodb:getItem': 'dynamodb',
  'dynamodb:putItem': 'dynamodb',
  'dynamodb:updateItem': 'dynamodb',
  'dynamodb:deleteItem': 'dynamodb',
};
/** Beginnings of the errors of optimized integrations. */
const PREFIXES: Readonly<Record<string, string>> = {
  dynamodb: 'DynamoDB',
  events: 'EventBridge',
  sns: 'SNS',
  sqs: 'SQS',
};
const PATTERNS: Readonly<Record<string, Pattern>> = { '': 'answer', '.waitForTaskToken': 'token', '.sync:2': 'job' };
const OF_FUNCTION = ['FunctionName', 'Payload', 'InvocationType', 'Qualifier', 'ClientContext', 'LogType'];
const OF_EXECUTION = ['StateMachineArn', 'Input', 'Name'];

/** The machine that has a task, and what tasks can call. */
interface Around {
  readonly isExpress: boolean;
  readonly hasFunction: (name: string) => boolean;
  readonly hasMachine: (arn: string) => boolean;
}

/** Name of a function in its name, its ARN or a qualified ARN. */
export const functionNameOf = (text: string): string => text.replace(/^.*:function:/, '').replace(/:.*$/, '');

/** Reads the resource of a task. @throws {NotModelled} */
export function readIntegration(resource: string, parameters: JsonObject, around: Around): Integration {
  if (/^arn:[\w-]+:lambda:/.test(resource)) {
    refuseUnknownFunction(resource, around);
    return { kind: 'function', arn: resource, pattern: 'answer' };
  }
  const [, action = '', suffix = ''] = /^arn:[\w-]+:states:::([\w-]+(?::\w+)+)(\..+)?$/.exec(resource) ?? [];
  const pattern = Object.hasOwn(PATTERNS, suffix) ? PATTERNS[suffix] : undefined;
  if (pattern === undefined) throw new NotModelled(`the resource ${resource}`);
  // "Service integration patterns": Express workflows support the request and its response only.
  if (pattern !== 'answer' && around.isExpress) throw new NotModelled(`${suffix} in an Express workflow`);
  const names = Object.keys(parameters).map((name) => name.replace(/\.\$$/, ''));
  if (action === 'lambda:invoke' && pattern !== 'job') {
    refuseOthers(names, OF_FUNCTION);
    refuseUnknownFunction(parameters.FunctionName, around);
    return { kind: 'function', arn: undefined, pattern };
  }
  if (action === 'states:startExecution') {
    refuseOthers(names, OF_EXECUTION);
    const { StateMachineArn: arn } = parameters;
    if (arn !== undefined && !around.hasMachine(String(arn)))
      throw new NotModelled(`there is no state machine ${String(arn)}`);
    return { kind: 'execution', pattern };
  }
  if (action.startsWith('aws-sdk:')) {
    // "Service integration patterns": an SDK integration waits for a token, but for no job.
    if (pattern === 'job') throw new NotModelled(`the resource ${resource}`);
    return { kind: 'service', isSdk: true, pattern, ...readSdkAction(resource, action, names) };
  }
  const service = Object.hasOwn(SERVICES, action) ? SERVICES[action] : undefined;
  const mayWait = service !== 'dynamodb';
  if (service === undefined || pattern === 'job' || (pattern === 'token' && !mayWait))
    throw new NotModelled(`the resource ${resource}`);
  const operation = action.replace(/^\w+:(.)/, (_, first: string) => first.toUpperCase());
  return { kind: 'service', service, operation, pattern, prefix: PREFIXES[service] ?? service, isSdk: false };
}

function refuseOthers(names: readonly string[], known: readonly string[]): void {
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new NotModelled(`the parameter ${unknown.join(', ')}`);
}

/** @param name absent if the input has it */
function refuseUnknownFunction(name: Json | undefined, { hasFunction }: Around): void {
  if (name !== undefined && !hasFunction(functionNameOf(String(name))))
    throw new NotModelled(`there is no function ${String(name)}`);
}
