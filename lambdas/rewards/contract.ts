import { type DeepReadonly, withDescription } from '@orderly/kit/routes';
import * as z from 'zod/mini';

/** The rewards service publishes nothing: it shows what follows from the events of accounts. */
export const rewardsContract = { service: 'rewards', events: {} } as const;

export const Tier = z.enum(['BASIC', 'SILVER', 'GOLD']);
export type Tier = z.infer<typeof Tier>;

/** Points that one event of a customer's account gave or took. */
export const RewardEntryView = z.object({
  at: withDescription('Time of the event, ISO 8601.', z.iso.datetime()),
  type: withDescription(
    "Type of the account's event.",
    z.enum(['AuthorizationCaptured', 'AccountRefunded', 'BonusApplied']),
  ),
  points: withDescription('Negative for a refund.', z.int()),
  orderId: z.exactOptional(z.string()),
});
export type RewardEntry = DeepReadonly<z.infer<typeof RewardEntryView>>;

/** A customer's rewards as every answer shows them. */
export const RewardsView = z.object({
  customerId: z.string(),
  points: z.int(),
  tier: Tier,
  entries: withDescription('A page of the entries, newest first.', z.array(RewardEntryView)),
  nextCursor: z.exactOptional(withDescription('`cursor` of the next page. Absent on the last page.', z.string())),
});
export type RewardsView = DeepReadonly<z.infer<typeof RewardsView>>;
