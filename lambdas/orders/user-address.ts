import type { Table } from '@orderly/kit/aws';
import type { Effect } from '@orderly/kit/idempotent-consumer';
import { aggregateKey, type Envelope } from '@orderly/kit/messages';
import type { PersonalKeys } from '@orderly/kit/personal-data';
import { usersContract } from '../users/contract.js';
import type { SealedData } from './contract.js';
import type { Order } from './domain/order.js';
import type { Addresses, Place } from './domain/review.js';
import { ORDER } from './keys.js';
import { copyEffect, copyKey } from './user-copy.js';

const [USER] = usersContract.aggregatesOfPeople;

/**
 * Returns the write that stores the address of a user's profile, unless a newer one is stored. It is stored as the users
 * service sealed it: it opens with the user's own key, and for its place in their profile only.
 * @param address absent if the profile has none, or the user is forgotten
 */
export const addressEffect = (
  table: Table,
  userId: string,
  address: SealedData | undefined,
  envelope: Pick<Envelope, 'sequence' | 'epoch'>,
): Promise<Effect> => copyEffect(table, copyKey(userId, 'ADDRESS'), address ? { address } : {}, envelope);

/** Data keys, for reading addresses. */
export type AddressReader = Pick<PersonalKeys, 'openAll'>;

/**
 * Opens the address of an order, and the one in its user's profile as this service knows it. It asks for the user's key
 * only if both are there to compare. The addresses stay in memory and in no log.
 * @returns nothing if one of them is missing, or the user is forgotten
 * @throws what {@link PersonalKeys.openAll} throws
 */
export async function readAddresses(
  personalKeys: AddressReader,
  table: Table,
  { orderId, customerId, deliverTo }: Exclude<Order, { status: 'NONE' }>,
): Promise<Addresses> {
  if (!deliverTo) return {};
  const copy = (await table.read(copyKey(customerId, 'ADDRESS'))) as { readonly address?: SealedData } | undefined;
  if (!copy?.address) return {};
  const [ofOrder, ofProfile] = await personalKeys.openAll(customerId, [
    { sealed: deliverTo, place: { aggregate: aggregateKey(ORDER, orderId), field: 'deliverTo' } },
    { sealed: copy.address, place: { aggregate: aggregateKey(USER, customerId), field: 'address' } },
  ]);
  return isForgotten(ofOrder) ? {} : { ofOrder: ofOrder as Place, ofProfile: ofProfile as Place };
}

const isForgotten = (opened: unknown): boolean =>
  typeof opened === 'object' && opened !== null && 'forgotten' in opened;
