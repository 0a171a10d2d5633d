import type { AsyncInvoker } from '../events/model.js';
import type { Iam } from '../iam/model.js';
import type { Queue } from '../sqs/model.js';
import { offer } from '../sqs/offer.js';
import type { LambdaFunction } from './model.js';

/** A bus, as far as destinations know it. */
interface Bus {
  put(bus: string, event: { readonly source: string; readonly detailType: string; readonly detail: unknown }): void;
  /** @returns `undefined` if there is no such bus */
  busName(arn: string): string | undefined;
}

/** Topics, as far as destinations know them. */
interface TopicPublisher {
  has(arn: string): boolean;
  publish(arn: string, message: { readonly text: string }): void;
}

/** Services that may get what came of an invocation. */
export interface DestinationServices {
  readonly iam: Iam;
  readonly queues: ReadonlyMap<string, Queue>;
  readonly functions: ReadonlyMap<string, LambdaFunction>;
  readonly asynchronous: AsyncInvoker;
  readonly topics: TopicPublisher;
  readonly events: Bus;
}

/**
 * Sends something to a queue, a function, a topic or a bus, if the role of a function may do that. AWS Lambda Developer Guide, "Capturing
 * records of Lambda asynchronous invocations".
 * @param to ARN of the destination
 * @param body of a record, or the event as it was
 * @param outcome of an invocation, for a bus: the type of its event. @default the event as it was
 * @returns whether it was sent
 */
export function sendToDestination(
  { iam, queues, functions, asynchronous, topics, events }: DestinationServices,
  { role }: LambdaFunction,
  to: string,
  body: unknown,
  outcome: 'Success' | 'Failure' | undefined,
): boolean {
  const may = (action: string): boolean => iam.roleAllows(role, { action, resource: to });
  const text = JSON.stringify(body);
  const queue = queues.get(to);
  if (queue) {
    if (!may('sqs:SendMessage')) return false;
    return offer(queue, { body: text }) === undefined;
  }
  if (functions.has(to)) {
    if (!may('lambda:InvokeFunction')) return false;
    asynchronous.invokeAsync(to, body);
    return true;
  }
  if (topics.has(to)) {
    if (!may('sns:Publish')) return false;
    topics.publish(to, { text });
    return true;
  }
  const bus = outcome === undefined ? undefined : events.busName(to);
  if (bus === undefined || !may('events:PutEvents')) return false;
  events.put(bus, { source: 'lambda', detailType: `Lambda Function Invocation Result - ${outcome}`, detail: body });
  return true;
}
