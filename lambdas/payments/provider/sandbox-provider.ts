import { clock, newId, retryOnConflict, type Table, type TransactWriteItem } from '@orderly/kit/aws';
import { findChargeFault } from '../../charge-limits.js';
import type { Money } from '../../orders/contract.js';
import { SANDBOX_KEYS, SANDBOX_OBJECTS, SANDBOX_TALLIES } from '../keys.js';
import {
  type Charge,
  KEY_MEMORY_SECONDS,
  type PaymentProvider,
  type Prepared,
  ProviderRefused,
  ProviderUnavailable,
  ProviderUndecided,
  type Refund,
} from './payment-provider.js';
import { type Behaviour, findBehaviour } from './sandbox-amounts.js';

/** An object that can be charged, as the sandbox stores it. */
interface SandboxObject {
  readonly paymentId: string;
  readonly amount: Money;
  readonly status: 'UNCONFIRMED' | 'CHARGED' | 'DECLINED' | 'CANCELLED';
  /** Until this time the sandbox reports that it still works on the object; epoch seconds. */
  readonly settlesAt: number;
  readonly refunds: readonly { readonly refundId: string; readonly amount: number }[];
  /** Whether it has refused a refund, for `refuses the first refund`. */
  readonly hasRefused?: true;
  /** Number of changes so far, for optimistic concurrency. */
  readonly version: number;
}

/** Answer stored under a key, and repeated for as long as the key is remembered. */
type Stored =
  | { readonly kind: 'answer'; readonly answer: unknown }
  | { readonly kind: 'undecided' | 'refused'; readonly code: string };

interface Work {
  readonly stored: Stored;
  readonly writes: readonly TransactWriteItem[];
  /** The first answer never arrives. */
  readonly lost?: boolean;
}

const LATE_SECONDS = 10;
/** The status that Stripe's object reports. */
const CANCELLED: Charge = { status: 'DECLINED', reason: 'REFUSED_BY_PROVIDER' };

/**
 * A provider for development and tests, in a separate table. It moves no money, and is otherwise as strict as Stripe:
 * it refuses what Stripe can't charge (`charge-limits.ts`), keeps keys with their answers and forgets them after 24 hours,
 * charges an object once, and refunds up to the charged amount. The amount selects a fault (`sandbox-amounts.ts`). `TALLY#` counts the actual effects by payment.
 */
export class SandboxProvider implements PaymentProvider {
  constructor(private readonly table: Table) {}

  async create({ key, paymentId, accountId, amount }: Parameters<PaymentProvider['create']>[0]): Promise<Prepared> {
    const providerId: string = await this.runOnce(key, ['create', paymentId, accountId, amount], async () => {
      if (findChargeFault(amount)) return refused('AMOUNT_NOT_CHARGEABLE');
      const providerId = `sandbox_${newId()}`;
      const object: SandboxObject = { paymentId, amount, status: 'UNCONFIRMED', settlesAt: 0, refunds: [], version: 1 };
      return { stored: { kind: 'answer', answer: providerId }, writes: [this.putWrite(providerId, object)] };
    });
    const isOther = findBehaviour(amount.amount) === 'charges another method';
    return { providerId, method: `sandbox_pm_${isOther ? 2 : 1}` };
  }

  confirm({ key, providerId }: Parameters<PaymentProvider['confirm']>[0]): Promise<Charge> {
    return this.runOnce(key, ['confirm', providerId], async () => {
      const object = await this.readObject(providerId);
      if (object?.status !== 'UNCONFIRMED') return refused('UNEXPECTED_STATE');
      const behaviour = findBehaviour(object.amount.amount);
      if (isFailing(behaviour, key)) return undecided();
      if (behaviour === 'declines') {
        const declined: Charge = { status: 'DECLINED', reason: 'INSUFFICIENT_FUNDS' };
        return {
          stored: { kind: 'answer', answer: declined },
          writes: [this.putWrite(providerId, { ...object, status: 'DECLINED' })],
        };
      }
      const settlesAt = behaviour === 'answers late' ? clock.epochSeconds() + LATE_SECONDS : 0;
      const writes = [
        this.putWrite(providerId, { ...object, status: 'CHARGED', settlesAt }),
        this.countWrite(object.paymentId, 'charge', object.amount.amount),
      ];
      return { ...toWork(behaviour, { status: 'CHARGED' }), writes };
    });
  }

  cancel({ key, providerId }: Parameters<PaymentProvider['cancel']>[0]): Promise<Charge> {
    return this.runOnce(key, ['cancel', providerId], async () => {
      const object = await this.readObject(providerId);
      if (object?.status !== 'UNCONFIRMED') return refused('UNEXPECTED_STATE');
      return {
        stored: { kind: 'answer', answer: CANCELLED },
        writes: [this.putWrite(providerId, { ...object, status: 'CANCELLED' })],
      };
    });
  }

  async findCharge(providerId: string): Promise<Charge | undefined> {
    const object = await this.readObject(providerId);
    if (!object || object.status === 'UNCONFIRMED') return undefined;
    if (object.settlesAt > clock.epochSeconds()) throw new ProviderUnavailable('PROCESSING');
    const { status } = object;
    if (status === 'CANCELLED') return CANCELLED;
    return status === 'CHARGED' ? { status } : { status, reason: 'INSUFFICIENT_FUNDS' };
  }

  refund({ key, providerId, refundId, amount }: Parameters<PaymentProvider['refund']>[0]): Promise<Refund> {
    return this.runOnce(key, ['refund', providerId, refundId, amount], async () => {
      const object = await this.readObject(providerId);
      if (object?.status !== 'CHARGED') return refused('NOT_CHARGED');
      const { refunds, paymentId } = object;
      const before = refunds.reduce((sum, refund) => sum + refund.amount, 0);
      if (before + amount.amount > object.amount.amount) return refused('OVER_CHARGED');
      const behaviour = findBehaviour(amount.amount);
      if (behaviour === 'gives nothing back') return refused('CARD_GONE');
      if (behaviour === 'refuses the first refund' && !object.hasRefused) {
        return { ...refused('CARD_GONE'), writes: [this.putWrite(providerId, { ...object, hasRefused: true })] };
      }
      if (isFailing(behaviour, key)) return undecided();
      const writes = [
        this.putWrite(providerId, { ...object, refunds: [...refunds, { refundId, amount: amount.amount }] }),
        this.countWrite(paymentId, 'refund', amount.amount),
      ];
      return { ...toWork(behaviour, { status: 'REFUNDED' }), writes };
    });
  }

  async findRefund(providerId: string, refundId: string): Promise<Refund | undefined> {
    const object = await this.readObject(providerId);
    return object?.refunds.some((refund) => refund.refundId === refundId) ? { status: 'REFUNDED' } : undefined;
  }

  /** Does the work and stores its answer under the key, in one transaction; or returns the stored answer. */
  private async runOnce<T>(key: string, request: readonly unknown[], work: () => Promise<Work>): Promise<T> {
    const pk = SANDBOX_KEYS + key;
    const text = JSON.stringify(request);
    const { stored, lost } = await retryOnConflict(async () => {
      const Item = await this.table.read({ pk });
      const forgotten = clock.epochSeconds() - KEY_MEMORY_SECONDS;
      if (Item && Number(Item.at) > forgotten) {
        if (Item.request !== text) throw new ProviderUndecided('KEY_REUSED');
        return { stored: Item.stored as Stored, lost: false };
      }
      const done = await work();
      const isNewOrForgotten = 'attribute_not_exists(pk) OR #at <= :forgotten';
      await this.table.transact([
        {
          Put: {
            TableName: this.table.name,
            Item: { pk, request: text, at: clock.epochSeconds(), stored: done.stored },
            ConditionExpression: isNewOrForgotten,
            ExpressionAttributeNames: { '#at': 'at' },
            ExpressionAttributeValues: { ':forgotten': forgotten },
          },
        },
        ...done.writes,
      ]);
      return { stored: done.stored, lost: done.lost };
    });
    if (lost) throw new ProviderUnavailable('TIMEOUT');
    if (stored.kind === 'answer') return stored.answer as T;
    throw stored.kind === 'refused' ? new ProviderRefused(stored.code) : new ProviderUndecided(stored.code);
  }

  private async readObject(providerId: string): Promise<SandboxObject | undefined> {
    return (await this.table.read({ pk: SANDBOX_OBJECTS + providerId })) as SandboxObject | undefined;
  }

  /** @param object as it was read, except for the changes */
  private putWrite(providerId: string, object: SandboxObject): TransactWriteItem {
    const isAsRead = 'attribute_not_exists(pk) OR version = :version';
    return {
      Put: {
        TableName: this.table.name,
        Item: { ...object, pk: SANDBOX_OBJECTS + providerId, version: object.version + 1 },
        ConditionExpression: isAsRead,
        ExpressionAttributeValues: { ':version': object.version },
      },
    };
  }

  private countWrite(paymentId: string, what: 'charge' | 'refund', amount: number): TransactWriteItem {
    return {
      Update: {
        TableName: this.table.name,
        Key: { pk: SANDBOX_TALLIES + paymentId },
        UpdateExpression: 'ADD #times :one, #sum :amount',
        ExpressionAttributeNames: { '#times': `${what}s`, '#sum': `${what}Sum` },
        ExpressionAttributeValues: { ':one': 1, ':amount': amount },
      },
    };
  }
}

/** For `fails once`: it works under any key but the first, and the first key's failure remains. */
const isFailing = (behaviour: Behaviour, key: string): boolean =>
  behaviour === 'always fails' || (behaviour === 'fails once' && !/:\d+$/.test(key));

function toWork(behaviour: Behaviour, answer: Charge | Refund): Omit<Work, 'writes'> {
  if (behaviour === 'answers late') return { stored: { kind: 'undecided', code: 'PROCESSING' } };
  if (behaviour === 'fails after it is done') return { stored: { kind: 'undecided', code: 'FAILED' } };
  return { stored: { kind: 'answer', answer }, lost: behaviour === 'times out' };
}

const undecided = (): Work => ({ stored: { kind: 'undecided', code: 'FAILED' }, writes: [] });
const refused = (code: string): Work => ({ stored: { kind: 'refused', code }, writes: [] });
