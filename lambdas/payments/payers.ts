import { createHash } from 'node:crypto';
import { clock, type TransactWriteItem } from '@orderly/kit/aws';
import type { Trace } from '@orderly/kit/messages';
import type { StateStore, Stored } from '@orderly/kit/state-store';
import type { PayerEvent } from './contract.js';
import { type Payer, type PayerCommand, payerDecider } from './domain/payer.js';
import { PAYMENT_METHODS } from './keys.js';

export type PayerStore = StateStore<Payer & Stored, PayerEvent>;

/** Key of the item that holds the hash of a payer's newest payment method. */
export const methodKey = (customerId: string) => ({ pk: PAYMENT_METHODS + customerId, sk: 'NEWEST' });

/**
 * Customers as payers. Each change commits in the transaction of the payment's event that it is about, which a payment has
 * once. So it counts once, however often a message is delivered, and can't be lost.
 *
 * Payments of one customer contend only if one of them changes something: a charge that is made by the same payment method
 * as the one before writes nothing here.
 */
export class Payers {
  constructor(private readonly store: PayerStore) {}

  /** Returns the writes that count a declined charge. They are refused if the payer has changed since. */
  declineWrites(customerId: string, trace: Trace): Promise<readonly TransactWriteItem[]> {
    return this.changeWrites({ type: 'CountDecline', customerId }, trace);
  }

  /**
   * Returns the writes that store the payment method of a charge; none if it is the stored one. Only the first method of a
   * payer is no change. Of two charges at once by the same new method, one notes the change:
   *
   *     one payment                        another one
   *     reads: method A
   *                                        reads: method A
   *     transact: B, changed
   *                                        transact: refused, the method is not A any more;
   *                                        reads again: method B, nothing to write
   *
   * @param method the provider's id of it. Only its hash is stored, which differs from one customer to the next.
   */
  async methodWrites(customerId: string, method: string, trace: Trace): Promise<readonly TransactWriteItem[]> {
    const methodHash = createHash('sha256')
      .update(JSON.stringify([customerId, method]))
      .digest('hex');
    const stored = await this.store.table.read(methodKey(customerId));
    if (stored?.methodHash === methodHash) return [];
    const isAsRead = stored
      ? { ConditionExpression: 'methodHash = :before', ExpressionAttributeValues: { ':before': stored.methodHash } }
      : { ConditionExpression: 'attribute_not_exists(pk)' };
    const Item = { ...methodKey(customerId), methodHash };
    const put: TransactWriteItem = { Put: { TableName: this.store.table.name, Item, ...isAsRead } };
    return stored ? [put, ...(await this.changeWrites({ type: 'NoteMethodChange', customerId }, trace))] : [put];
  }

  /** Returns the write that deletes the hash of a payer's payment method. Repeatable. */
  forgetMethodWrite(customerId: string): TransactWriteItem {
    return { Delete: { TableName: this.store.table.name, Key: methodKey(customerId) } };
  }

  private async changeWrites(command: PayerCommand, trace: Trace): Promise<readonly TransactWriteItem[]> {
    const { customerId } = command;
    const stored = await this.store.read(customerId);
    const events = payerDecider.decide(toPayer(stored), command, { now: clock.now() });
    return this.store.buildChange(customerId, stored, events, evolveStored, trace).writes;
  }
}

function toPayer(stored: (Payer & Stored) | undefined): Payer {
  if (!stored) return payerDecider.initialState;
  const { version: _, at: __, ...payer } = stored;
  return payer;
}

const evolveStored = (before: (Payer & Stored) | undefined, events: readonly PayerEvent[]): Payer =>
  events.reduce(payerDecider.evolve, toPayer(before));
