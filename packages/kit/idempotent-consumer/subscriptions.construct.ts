import { type EventPattern, Match } from 'aws-cdk-lib/aws-events';
import { sourceOf } from '../messages/contract.js';
import { type CommandSubscription, isEvents, type Subscription } from '../messages/subscriptions.js';

/** Construct id of a subscription's rule. */
export const ruleOf = (subscription: Subscription): string =>
  isEvents(subscription)
    ? `${capitalised(subscription.contract.service)}Events`
    : `${capitalised(subscription.commandsOf.service)}Commands`;

/** Names of the services whose commands are taken. */
export const commandersOf = (subscription: Subscription): readonly string[] =>
  isEvents(subscription) ? [] : subscription.from.map(({ service }) => service);

/** Pattern of the messages that a subscription hears. */
export function patternOf(subscription: Subscription): EventPattern {
  if (isEvents(subscription)) {
    const { contract, types } = subscription;
    return { source: [sourceOf(contract.service)], detailType: [...types] };
  }
  const { service, commands = {} } = subscription.commandsOf;
  const source = commandersOf(subscription).map(sourceOf);
  return { source, detailType: Object.keys(commands), detail: { to: [service] } };
}

/** Pattern of the commands that a subscription refuses: to its service, from any other source. */
export const foreignTo = (subscription: CommandSubscription): EventPattern => ({
  source: Match.anythingBut(...commandersOf(subscription).map(sourceOf)),
  detail: { to: [subscription.commandsOf.service] },
});

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
