import { type EventPattern, Match } from 'aws-cdk-lib/aws-events';
import { eventSource } from '../aws/app-names.js';
import { type CommandSubscription, isEventSubscription, type Subscription } from '../messages/subscriptions.js';

/** Returns the construct id of a subscription's rule. */
export const ruleId = (subscription: Subscription): string =>
  isEventSubscription(subscription)
    ? `${capitalize(subscription.contract.service)}Events`
    : `${capitalize(subscription.commandsOf.service)}Commands`;

/** Returns the names of the services whose commands are accepted. */
export const listCommanders = (subscription: Subscription): readonly string[] =>
  isEventSubscription(subscription) ? [] : subscription.from.map(({ service }) => service);

/** Returns the pattern of the messages that a subscription matches, within one application. */
export function buildPattern(app: string, subscription: Subscription): EventPattern {
  if (isEventSubscription(subscription)) {
    const { contract, types } = subscription;
    return { source: [eventSource(app, contract.service)], detailType: [...types] };
  }
  const { service, commands = {} } = subscription.commandsOf;
  const source = listCommanders(subscription).map((commander) => eventSource(app, commander));
  return { source, detailType: Object.keys(commands), detail: { to: [service] } };
}

/** Returns the pattern of the commands that a subscription refuses: commands to its service from any other source. */
export const buildForeignPattern = (app: string, subscription: CommandSubscription): EventPattern => ({
  source: Match.anythingBut(...listCommanders(subscription).map((commander) => eventSource(app, commander))),
  detail: { to: [subscription.commandsOf.service] },
});

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
