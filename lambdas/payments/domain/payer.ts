import type { Decider } from '@orderly/kit/decider';
import { type DeclineReason, MAX_DECLINES, type PayerEvent } from '../contract.js';

/** Facts that the provider has shown about a customer as a payer. */
export type Payer = Omit<PayerEvent['data'], 'customerId'>;

/** A charge was declined, or made by another payment method than the one before. */
export interface PayerCommand {
  readonly type: 'CountDecline' | 'NoteMethodChange';
  readonly customerId: string;
}

/** Rules of a payer. A repeat counts again, so each command commits with the event of the payment that it is about. */
export const payerDecider: Decider<Payer, PayerCommand, PayerEvent> = {
  initialState: { declinedCharges: [] },
  decide: (payer, { type, customerId }, { now }) => {
    const changed =
      type === 'CountDecline'
        ? { declinedCharges: [...payer.declinedCharges, now].slice(-MAX_DECLINES) }
        : { methodChangedAt: now };
    return [{ type: 'PayerChanged', data: { customerId, ...payer, ...changed } }];
  },
  evolve: (_, { data: { customerId: __, ...payer } }) => payer,
  stateSchema: 1,
};

/**
 * Tells whether the provider declined a charge, by its reason. The other reasons say that no charge was tried: the account
 * has no payment method, the payment was undone, or the provider refused the request itself.
 */
export const isDeclinedCharge = (reason: DeclineReason): boolean => DECLINED_CHARGES.has(reason);

const DECLINED_CHARGES: ReadonlySet<DeclineReason> = new Set([
  'CARD_DECLINED',
  'INSUFFICIENT_FUNDS',
  'CARD_EXPIRED',
  'AUTHENTICATION_REQUIRED',
]);
