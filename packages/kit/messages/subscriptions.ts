import type { EventOf, ServiceContract } from './contract.js';

/**
 * Subscription to events of one publisher. The handler's types follow from it, and the stack creates the bus rule from
 * it.
 */
export interface EventSubscription<C extends ServiceContract = ServiceContract, Type extends string = string> {
  readonly contract: C;
  /** Event types, as in the publisher's contract. */
  readonly types: readonly Type[];
  /**
   * Field of the events' `data` with the key that this subscriber's effects contend for.
   * @default the effects contend for the event's own aggregate
   */
  readonly contends?: string;
}

/** Subscription to all commands to one service, from the services that may send them. */
export interface CommandSubscription<C extends ServiceContract = ServiceContract> {
  /** Contract of the service that receives the commands. */
  readonly commandsOf: C;
  /** Contracts of the services that may send the commands over the bus. */
  readonly from: readonly [ServiceContract, ...ServiceContract[]];
}

/** Commands that a service sends to itself. Its timers and operators put them into its queue, past the bus. */
export interface OwnCommands<C extends ServiceContract = ServiceContract> {
  readonly ownCommandsOf: C;
}

/** Subscription that becomes a bus rule. */
export type Subscription = EventSubscription | CommandSubscription;

/** Names of the fields that any of these shapes has. */
type FieldOf<Data> = Data extends unknown ? keyof Data & string : never;

/**
 * Subscribes to events of a publisher.
 * @param contends field of the events' `data` with the key that the subscriber's effects contend for, for example
 *   `customerId` if each event changes its customer's account. A commands' contract names that of its commands.
 * @example
 * export const orderEnds = subscribe(ordersContract, ['OrderApproved', 'OrderCancelled']);
 * // in the handler: on(orderEnds, { OrderApproved: ..., OrderCancelled: ... })
 * // in the stack: service.addConsumer('OrderEnds', { subscribesTo: [orderEnds], ... })
 */
export const subscribe = <C extends ServiceContract, const Type extends EventOf<C>['type']>(
  contract: C,
  types: readonly Type[],
  { contends }: { readonly contends?: FieldOf<Extract<EventOf<C>, { type: Type }>['data']> } = {},
): EventSubscription<C, Type> => ({ contract, types, ...(contends === undefined ? {} : { contends }) });

/** Subscribes to every event of a publisher, also to types that a later release adds. */
export const subscribeToAll = <C extends ServiceContract>(contract: C): EventSubscription<C, EventOf<C>['type']> => ({
  contract,
  types: Object.keys(contract.events),
});

/**
 * Subscribes to all commands to a service, from the named services only.
 * @example
 * export const steps = commandsTo(inventoryContract, { from: [ordersContract] });
 * // in the handler: on(steps, { ReserveStock: ..., ReleaseStock: ... })
 * // in the stack: service.addConsumer('Commands', { subscribesTo: [steps], ... })
 */
export const commandsTo = <C extends ServiceContract>(
  commandsOf: C,
  { from }: { readonly from: CommandSubscription['from'] },
): CommandSubscription<C> => ({ commandsOf, from });

/** Subscribes to the commands that a service sends to itself. */
export const ownCommands = <C extends ServiceContract>(ownCommandsOf: C): OwnCommands<C> => ({ ownCommandsOf });

/**
 * Tells whether a subscription is for events. Commands go to the service that they name; events go to every subscriber.
 */
export const isEventSubscription = (subscription: Subscription): subscription is EventSubscription =>
  'contract' in subscription;
