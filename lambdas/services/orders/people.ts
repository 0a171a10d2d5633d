import { KMSClient } from '@aws-sdk/client-kms';
import { aggregateKey } from '../../patterns/event-store/commit.js';
import type { Loaded } from '../../patterns/event-store/event-store.js';
import { PersonalKeys } from '../../patterns/personal-data/personal-keys.js';
import type { Caller } from '../../platform/auth.js';
import { documents, SOCKET_TIMEOUT_MS } from '../../platform/dynamodb.js';
import { Env } from '../../platform/environment.js';
import { required } from '../../platform/read-environment.js';
import type { OrderView } from './contract.js';
import type { Order } from './domain/order.js';
import { ORDER, visibleTo } from './order-store.js';

/** The keys of the people whose data is in orders. */
export const people = new PersonalKeys({
  table: required(Env.PERSONAL_KEYS),
  kmsKey: required(Env.PERSONAL_DATA_KEY),
  documents,
  kms: new KMSClient({ requestHandler: { socketTimeout: SOCKET_TIMEOUT_MS } }),
});

/**
 * The order with all that is in it, as its owner or an operator may see it.
 * @throws {Problem} 404, as {@link visibleTo}
 */
export async function shownTo(caller: Caller, loaded: Loaded<Order> | undefined): Promise<OrderView> {
  const view = visibleTo(caller, loaded);
  const sealed = loaded && 'deliverTo' in loaded.state ? loaded.state.deliverTo : undefined;
  if (!sealed) return view;
  const place = { aggregate: aggregateKey(ORDER, view.orderId), field: 'deliverTo' };
  const deliverTo = await people.open(view.customerId, sealed, place);
  return { ...view, deliverTo: deliverTo as NonNullable<OrderView['deliverTo']> };
}
