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

/** Facts about a user as a payer, from payments. Times are ISO 8601, UTC. */
export interface Payer {
  /** Times of the newest charges that the provider declined. */
  readonly declinedCharges: readonly string[];
  /** Time of the newest charge by another payment method than the one before. */
  readonly methodChangedAt?: string;
}

/** Facts about the user that a review considers. */
export interface UserFacts {
  readonly status: DoubtfulStatus;
  /** The user's newest orders; the list may lag behind by about a second. */
  readonly recent: readonly Pick<OrderView, 'placedAt'>[];
  readonly addresses: Addresses;
  /** It may lag behind by about a second, too. */
  readonly payer: Payer;
}

/** Returns what there is to see about an order of a user who is suspect or blocked. */
export function findReviewReasons(
  { total, placedAt }: Pick<OrderView, 'total' | 'placedAt'>,
  { status, recent, addresses: { ofOrder, ofProfile }, payer }: UserFacts,
  rules: ReviewRules,
): readonly ReviewReason[] {
  const inItsHour = recent.filter((other) => hourOf(other.placedAt) === hourOf(placedAt)).length;
  const isSince = (hours: number) => (time: string) => Date.parse(time) >= Date.parse(placedAt) - hours * HOUR_MS;
  const declines = payer.declinedCharges.filter(isSince(rules.declinesWithinHours)).length;
  const { methodChangedAt } = payer;
  const isNewMethod = methodChangedAt !== undefined && isSince(rules.methodChangeWithinHours)(methodChangedAt);
  return [
    status === 'BLOCKED' ? 'BLOCKED_USER' : 'SUSPECT_USER',
    ...(total.amount >= rules.highValue ? (['HIGH_VALUE'] as const) : []),
    ...(inItsHour >= rules.manyOrders ? (['MANY_ORDERS'] as const) : []),
    ...(ofOrder && ofProfile && !isSamePlace(ofOrder, ofProfile) ? (['OTHER_ADDRESS'] as const) : []),
    ...(declines >= rules.manyDeclines ? (['DECLINED_CHARGES'] as const) : []),
    ...(isNewMethod ? (['METHOD_CHANGED'] as const) : []),
  ];
}

const HOUR_MS = 3_600_000;

/** Compares two addresses, whatever their case and spaces. The recipient doesn't count: a present goes home, too. */
const isSamePlace = (one: Place, other: Place): boolean =>
  (['street', 'city', 'postalCode', 'country'] as const).every(
    (part) => normalize(one[part]) === normalize(other[part]),
  );

const normalize = (text: string): string => text.normalize('NFKC').toLowerCase().replace(/\s+/g, '');
