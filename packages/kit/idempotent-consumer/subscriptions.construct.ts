import { type EventPattern, Match } from 'aws-cdk-lib/aws-events';
import { sourceOf } from '../aws/app-names.js';
import { type CommandSubscription, isEvents, type Subscription } from '../messages/subscriptions.js';

/** Returns the construct id of a subscription's rule. */
export const ruleOf = (subscription: Subscription): string =>
  isEvents(subscription)
    ? `${capitalised(subscription.contract.service)}Events`
    : `${capitalised(subscription.commandsOf.service)}Commands`;

/** Returns the names of the services whose commands are accepted. */
export const commandersOf = (subscription: Subscription): readonly string[] =>
  isEvents(subscription) ? [] : subscription.from.map(({ service }) => service);

/** Returns the pattern of the messages that a subscription matches, within one application. */
export function patternOf(app: string, subscription: Subscription): EventPattern {
  if (isEvents(subscription)) {
    const { contract, types } = subscription;
    return { source: [sourceOf(app, contract.service)], detailType: [...types] };
  }
  const { service, commands = {} } = subscription.commandsOf;
  const source = commandersOf(subscription).map((commander) => sourceOf(app, commander));
  return { source, detailType: Object.keys(commands), detail: { to: [service] } };
}

/** Returns the pattern of the commands that a subscription refuses: commands to its service from any other source. */
export const foreignTo = (app: string, subscription: CommandSubscription): EventPattern => ({
  source: Match.anythingBut(...commandersOf(subscription).map((commander) => sourceOf(app, commander))),
  detail: { to: [subscription.commandsOf.service] },
});

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
