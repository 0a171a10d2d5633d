import { Problem } from '@orderly/kit/http';
import type { Alongside } from '@orderly/kit/idempotent-receiver';
import { customerLimitsFromEnvironment } from '../customer-limits.js';
import type { Money } from '../orders/contract.js';
import { AppProblem } from '../problems.js';
import { DAILY_COUNTS } from './keys.js';
import { PaymentsProblem } from './problems.js';

const { paymentsPerDay, refundsPerDay, refundedPerDay } = customerLimitsFromEnvironment();

const DAY_SECONDS = 86_400;

/** A change of a customer's counts of one day, and the condition that must hold before it. */
interface Count {
  readonly add: string;
  readonly condition: string;
  readonly names?: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, number>>;
}

/**
 * Builds the write that updates a customer's counts of one day (UTC), which are an item of the records table. It adds
 * to the counts under a condition, in the transaction of the commit that it counts. So simultaneous requests can't
 * exceed a limit, and neither a repeat nor a refused request is counted. The item expires a day after the day that it
 * counts.
 * @param at when the counted commit is written: ISO 8601, UTC
 */
function buildCounterWrite(
  TableName: string,
  customerId: string,
  at: string,
  { add, condition, names, values }: Count,
): Alongside['writes'][number] {
  const day = at.slice(0, '2026-11-22'.length);
  return {
    Update: {
      TableName,
      Key: { pk: `${DAILY_COUNTS}${customerId}#${day}` },
      UpdateExpression: `ADD ${add} SET expiresAt = :expiresAt`,
      ConditionExpression: condition,
      ...(names ? { ExpressionAttributeNames: { ...names } } : {}),
      ExpressionAttributeValues: { ':one': 1, ':expiresAt': Date.parse(day) / 1000 + 2 * DAY_SECONDS, ...values },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
}

/**
 * Counts a new payment.
 * @param table name of the records table
 * @param at when it is committed: ISO 8601, UTC
 */
export function countPayment(table: string, customerId: string, at: string): Alongside {
  const countIsBelow = 'attribute_not_exists(payments) OR payments < :most';
  return {
    writes: [
      buildCounterWrite(table, customerId, at, {
        add: 'payments :one',
        condition: countIsBelow,
        values: { ':most': paymentsPerDay },
      }),
    ],
    refuse: () => refuse('PAYMENTS_PER_DAY', `at most ${paymentsPerDay} payments may be requested in a day`, at),
  };
}

/**
 * Counts a refund, and adds its amount to the day's sum in its currency.
 * @param table name of the records table
 * @param at when it is committed: ISO 8601, UTC
 * @throws {Problem} 409 if the amount alone exceeds the sum of a day: no other day would accept it
 */
export function countRefund(table: string, customerId: string, { amount, currency }: Money, at: string): Alongside {
  if (amount > refundedPerDay) {
    throw new Problem(
      PaymentsProblem['not-refundable'],
      `at most ${refundedPerDay} can be refunded in a day: request the refund in parts`,
    );
  }
  const countIsBelow = 'attribute_not_exists(refunds) OR refunds < :most';
  const sumHasRoom = 'attribute_not_exists(#refunded) OR #refunded <= :room';
  return {
    writes: [
      buildCounterWrite(table, customerId, at, {
        add: 'refunds :one, #refunded :amount',
        condition: `(${countIsBelow}) AND (${sumHasRoom})`,
        names: { '#refunded': `refunded#${currency}` },
        values: { ':most': refundsPerDay, ':amount': amount, ':room': refundedPerDay - amount },
      }),
    ],
    refuse: (found) =>
      Number(found?.refunds ?? 0) >= refundsPerDay
        ? refuse('REFUNDS_PER_DAY', `at most ${refundsPerDay} refunds may be requested in a day`, at)
        : refuse('REFUNDED_PER_DAY', `at most ${refundedPerDay} can be given back in a day, smallest units`, at),
  };
}

/** @throws {Problem} 429, always; it holds until the next day (UTC) */
function refuse(limit: string, most: string, at: string): never {
  const retryAfterSeconds = Math.ceil(DAY_SECONDS - ((Date.parse(at) / 1000) % DAY_SECONDS));
  throw new Problem(AppProblem['limit-reached'], `${most}: try again tomorrow (UTC)`, { retryAfterSeconds, limit });
}
