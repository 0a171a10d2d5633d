/** The rewards service publishes nothing: it shows what follows from the events of accounts. */
export const rewardsContract = { service: 'rewards', events: {} } as const;

export type Tier = 'BASIC' | 'SILVER' | 'GOLD';

/** Points that one event of a customer's account gave or took. */
export interface RewardEntry {
  /** Time of the event, ISO 8601. */
  readonly at: string;
  /** Type of the account's event. */
  readonly type: 'AuthorizationCaptured' | 'AccountRefunded' | 'BonusApplied';
  /** Negative for a refund. */
  readonly points: number;
  readonly orderId?: string;
}

/** A customer's rewards as every answer shows them. */
export interface RewardsView {
  readonly customerId: string;
  readonly points: number;
  readonly tier: Tier;
  /** A page of the entries, newest first. */
  readonly entries: readonly RewardEntry[];
  readonly nextCursor?: string;
}
