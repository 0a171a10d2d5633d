import { type EventPattern, Match } from 'aws-cdk-lib/aws-events';
import { sourceOf } from '../aws/app-names.js';
import type { ServiceContract } from '../messages/contract.js';

/** Events of one publisher. */
export interface Subscription {
  readonly contract: ServiceContract;
  /** Event types, as in the publisher's contract. */
  readonly types: readonly string[];
}

/** All commands to one service from those who may command it. */
export interface CommandSubscription {
  /** Contract of the service that takes them. */
  readonly commandsOf: ServiceContract;
  /** Contracts of the services that may send them over the bus. */
  readonly from: readonly [ServiceContract, ...ServiceContract[]];
}

/** Commands reach whoever they are for; events whoever listens. */
export const isEvents = (subscription: Subscription | CommandSubscription): subscription is Subscription =>
  'contract' in subscription;

/** Construct id of a subscription's rule. */
export const ruleOf = (subscription: Subscription | CommandSubscription): string =>
  isEvents(subscription)
    ? `${capitalised(subscription.contract.service)}Events`
    : `${capitalised(subscription.commandsOf.service)}Commands`;

/** Names of the services whose commands are taken. */
export const commandersOf = (subscription: Subscription | CommandSubscription): readonly string[] =>
  isEvents(subscription) ? [] : subscription.from.map(({ service }) => service);

/** Pattern of the messages that a subscription hears, within one application. */
export function patternOf(app: string, subscription: Subscription | CommandSubscription): EventPattern {
  if (isEvents(subscription)) {
    const { contract, types } = subscription;
    return { source: [sourceOf(app, contract.service)], detailType: [...types] };
  }
  const { service, commands = {} } = subscription.commandsOf;
  const source = commandersOf(subscription).map((commander) => sourceOf(app, commander));
  return { source, detailType: Object.keys(commands), detail: { to: [service] } };
}

/** Pattern of the commands that a subscription refuses: to its service, from any other source. */
export const foreignTo = (app: string, subscription: CommandSubscription): EventPattern => ({
  source: Match.anythingBut(...commandersOf(subscription).map((commander) => sourceOf(app, commander))),
  detail: { to: [subscription.commandsOf.service] },
});

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
