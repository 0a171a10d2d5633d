import { type DeliveryAddress, hourOf, type OrderView, type ReviewReason, type ReviewRules } from '../contract.js';

/** Address without its recipient. */
export type Place = Omit<DeliveryAddress, 'name'>;

/** Addresses to compare, opened. One that nobody wrote, or that is forgotten, is absent. */
export interface Addresses {
  readonly ofOrder?: Place;
  readonly ofProfile?: Place;
}

/**
 * Returns what there is to see about a suspect user's order.
 * @param recent the user's newest orders; the list may lag behind by about a second
 */
export function reviewReasons(
  { total, placedAt }: Pick<OrderView, 'total' | 'placedAt'>,
  recent: readonly Pick<OrderView, 'placedAt'>[],
  { ofOrder, ofProfile }: Addresses,
  { highValue, manyOrders }: ReviewRules,
): readonly ReviewReason[] {
  const inItsHour = recent.filter((other) => hourOf(other.placedAt) === hourOf(placedAt)).length;
  return [
    'SUSPECT_USER',
    ...(total.amount >= highValue ? (['HIGH_VALUE'] as const) : []),
    ...(inItsHour >= manyOrders ? (['MANY_ORDERS'] as const) : []),
    ...(ofOrder && ofProfile && !isSamePlace(ofOrder, ofProfile) ? (['OTHER_ADDRESS'] as const) : []),
  ];
}

/** Compares two addresses, whatever their case and spaces. The recipient doesn't count: a present goes home, too. */
const isSamePlace = (one: Place, other: Place): boolean =>
  (['street', 'city', 'postalCode', 'country'] as const).every((part) => plain(one[part]) === plain(other[part]));

const plain = (text: string): string => text.normalize('NFKC').toLowerCase().replace(/\s+/g, '');
