import type { EventOf, ServiceContract } from './contract.js';

/** Events of one publisher: the handler's types follow from it, and the stack makes the bus rule from it. */
export interface EventSubscription<C extends ServiceContract = ServiceContract, Type extends string = string> {
  readonly contract: C;
  /** Event types, as in the publisher's contract. */
  readonly types: readonly Type[];
}

/** All commands to one service from those who may command it. */
export interface CommandSubscription<C extends ServiceContract = ServiceContract> {
  /** Contract of the service that takes them. */
  readonly commandsOf: C;
  /** Contracts of the services that may send them over the bus. */
  readonly from: readonly [ServiceContract, ...ServiceContract[]];
}

/** Commands that a service sends to itself: its timers and its operators put them into its queue, past the bus. */
export interface OwnCommands<C extends ServiceContract = ServiceContract> {
  readonly ownCommandsOf: C;
}

/** What a bus rule brings to a consumer. */
export type Subscription = EventSubscription | CommandSubscription;

/**
 * Subscribes to events of a publisher.
 * @example
 * export const orderEnds = subscribe(ordersContract, ['OrderApproved', 'OrderCancelled']);
 * // in the handler: on(orderEnds, { OrderApproved: ..., OrderCancelled: ... })
 * // in the stack: this.consumer('OrderEnds', { hears: [orderEnds], ... })
 */
export const subscribe = <C extends ServiceContract, const Type extends EventOf<C>['type']>(
  contract: C,
  types: readonly Type[],
): EventSubscription<C, Type> => ({ contract, types });

/** Subscribes to every event of a publisher, also to types that a later release adds. */
export const subscribeToAll = <C extends ServiceContract>(contract: C): EventSubscription<C, EventOf<C>['type']> => ({
  contract,
  types: Object.keys(contract.events),
});

/** Takes all commands to a service, from the services that may command it and from no others. */
export const commandsTo = <C extends ServiceContract>(
  commandsOf: C,
  { from }: { readonly from: CommandSubscription['from'] },
): CommandSubscription<C> => ({ commandsOf, from });

/** Takes the commands of a contract from the service itself only. */
export const ownCommands = <C extends ServiceContract>(ownCommandsOf: C): OwnCommands<C> => ({ ownCommandsOf });

/** Commands reach the service that they name; events reach whoever listens. */
export const isEvents = (subscription: Subscription): subscription is EventSubscription => 'contract' in subscription;
