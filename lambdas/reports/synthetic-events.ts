import type { CollectedMessage } from '@orderly/kit/inbox';
import type { Role } from '../app.js';
import type { CountedEvent } from './domain/tally.js';

const CUSTOMER: Role = 'customer';

/**
 * Tells whether a message is about an order of the synthetic customer. A rejection names no customer, so the caller for whom the services
 * act says whose order it is; and an operator may cancel an order, so the customer in the event says it, too.
 *
 * Payments always count, whoever pays: a report never leaves out money.
 * @param customerId of the synthetic customer; `undefined` in an environment without one
 */
export function isSynthetic(
  { event, envelope }: Pick<CollectedMessage<CountedEvent>, 'event' | 'envelope'>,
  customerId: string | undefined,
): boolean {
  if (customerId === undefined || event.type === 'PaymentCharged' || event.type === 'PaymentRefunded') return false;
  const named = 'customerId' in event.data ? event.data.customerId : undefined;
  return named === customerId || (envelope.onbehalfof ?? envelope.actor) === `${CUSTOMER}:${customerId}`;
}
