import type { Cloud } from '../../packages/simulator/cloud/cloud.js';

/** Source of a function's invocations: it decides what a batch saves, and how long an invocation is estimated to take. */
export type Trigger = 'request' | 'authorizer' | 'queue' | 'stream' | 'schedule' | 'call';

/** Returns what invokes each function of a deployment, by the function's path. @throws {Error} if two kinds of sources do */
export function findTriggers(cloud: Cloud): ReadonlyMap<string, Trigger> {
  const { assembly } = cloud.deployment;
  const triggers = new Map<string, Trigger>();
  const labels = new Map([...cloud.functions.values()].map((fn) => [fn.resource.arn, fn.label]));
  const note = (label: string | undefined, trigger: Trigger): void => {
    if (label === undefined) return;
    const known = triggers.get(label);
    if (known !== undefined && known !== trigger && isBatched(known) !== isBatched(trigger))
      throw new Error(`${label} is invoked by a ${known} and by a ${trigger}: its batches can't be told apart`);
    triggers.set(label, trigger);
  };
  for (const rule of cloud.events.rules.list())
    for (const { Arn } of rule.reached) note(labels.get(Arn), rule.pattern ? 'call' : 'schedule');
  for (const { resource, fn } of cloud.sources)
    note(fn.label, /:table\//.test(String(resource.properties.EventSourceArn)) ? 'stream' : 'queue');
  const authorizers = new Set(
    assembly.findByType('AWS::ApiGateway::Authorizer').map(({ properties }) => functionArn(properties.AuthorizerUri)),
  );
  for (const api of cloud.apis)
    for (const arn of api.functionArns) note(labels.get(arn), authorizers.has(arn) ? 'authorizer' : 'request');
  return new Map([...labels.values()].map((label) => [label, triggers.get(label) ?? 'call']));
}

/** Whether several messages or records can share an invocation. */
export const isBatched = (trigger: Trigger): boolean => trigger === 'queue' || trigger === 'stream';

/** Returns the function's ARN in the address by which API Gateway invokes it. */
const functionArn = (uri: unknown): string => /\/functions\/(.+)\/invocations$/.exec(String(uri))?.[1] ?? String(uri);
