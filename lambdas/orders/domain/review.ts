import type { UserStatus } from '../../users/contract.js';
import { type DeliveryAddress, hourOf, type OrderView, type ReviewReason, type ReviewRules } from '../contract.js';

/** Address without its recipient. */
export type Place = Omit<DeliveryAddress, 'name'>;

/** Addresses to compare, opened. One that nobody wrote, or that is forgotten, is absent. */
export interface Addresses {
  readonly ofOrder?: Place;
  readonly ofProfile?: Place;
}

/** Status of a user whose active orders are reviewed before they are charged or dispatched. */
export type DoubtfulStatus = Exclude<UserStatus, 'ACTIVE'>;

/** Whether the orders of a user with this status are reviewed. */
export const isDoubtful = (status: UserStatus): status is DoubtfulStatus => status !== 'ACTIVE';

/** What a review looks at besides the order. */
export interface AboutUser {
  readonly status: DoubtfulStatus;
  /** The user's newest orders; the list may lag behind by about a second. */
  readonly recent: readonly Pick<OrderView, 'placedAt'>[];
  readonly addresses: Addresses;
}

/** Returns what there is to see about an order of a user who is suspect or blocked. */
export function reviewReasons(
  { total, placedAt }: Pick<OrderView, 'total' | 'placedAt'>,
  { status, recent, addresses: { ofOrder, ofProfile } }: AboutUser,
  { highValue, manyOrders }: ReviewRules,
): readonly ReviewReason[] {
  const inItsHour = recent.filter((other) => hourOf(other.placedAt) === hourOf(placedAt)).length;
  return [
    status === 'BLOCKED' ? 'BLOCKED_USER' : 'SUSPECT_USER',
    ...(total.amount >= highValue ? (['HIGH_VALUE'] as const) : []),
    ...(inItsHour >= manyOrders ? (['MANY_ORDERS'] as const) : []),
    ...(ofOrder && ofProfile && !isSamePlace(ofOrder, ofProfile) ? (['OTHER_ADDRESS'] as const) : []),
  ];
}

/** Compares two addresses, whatever their case and spaces. The recipient doesn't count: a present goes home, too. */
const isSamePlace = (one: Place, other: Place): boolean =>
  (['street', 'city', 'postalCode', 'country'] as const).every((part) => plain(one[part]) === plain(other[part]));

const plain = (text: string): string => text.normalize('NFKC').toLowerCase().replace(/\s+/g, '');
