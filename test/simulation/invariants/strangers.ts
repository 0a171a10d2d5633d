import { isRequested } from '../../../lambdas/payments/domain/payment.js';
import type { Commit, Facts } from '../../support/simulation/facts.js';
import { toldOf } from './payments.js';
import { type Check, violation } from './violation.js';

/** No customer acts on what belongs to somebody else, whatever they know of it. */
export const strangers: Check = (facts) => [...actorsAreOwners(facts), ...strangersAreRefused(facts)];

const ACTOR = /^customer:(.+)$/;

/** A customer's commit is of an aggregate of their own, and a payment that they request is from their own account. */
const actorsAreOwners: Check = (facts) =>
  facts.commits.flatMap((commit) => {
    const [, customer] = ACTOR.exec(commit.actor) ?? [];
    if (customer === undefined) return [];
    const others = [...ownersOf(facts, commit)].filter((owner) => owner !== undefined && owner !== customer);
    const told = `${customer} in ${commit.pk} ${commit.sk}, which is of ${others.join(', ')}`;
    return others.length === 0 ? [] : [violation('nobody acts on what belongs to somebody else', told, commit.pk)];
  });

function ownersOf(facts: Facts, { pk }: Commit): readonly (string | undefined)[] {
  const [type = '', id = ''] = pk.split('#');
  switch (type) {
    case 'Order':
      return [facts.order(id)?.customerId];
    case 'Payment':
      return accountsOf(facts, id);
    case 'Account':
    case 'Basket':
    case 'Payer':
    case 'User':
      return [id];
    default:
      return [];
  }
}

function accountsOf(facts: Facts, paymentId: string): readonly (string | undefined)[] {
  const { payment } = toldOf(facts, paymentId);
  return isRequested(payment) ? [payment.customerId, payment.accountId] : [];
}

const PART = /^\/(orders|payments|accounts)\/([^/?]+)/;

/** A stranger's request is answered as if nothing were there, or as one that customers may not make at all. */
const strangersAreRefused: Check = (facts) =>
  facts.orderly.answered.flatMap(({ as, method, path, body, reply }) => {
    if (as === 'operator' || reply.status === 404 || reply.status === 403) return [];
    const { accountId } = (body ?? {}) as { readonly accountId?: string };
    const [, kind, id = ''] = PART.exec(path) ?? [];
    const owners = [
      ...(kind === 'orders' ? [facts.order(id)?.customerId] : []),
      ...(kind === 'payments' ? accountsOf(facts, id) : []),
      ...(kind === 'accounts' ? [id] : []),
      ...(path === '/payments' ? [accountId] : []),
    ];
    if (owners.every((owner) => owner === undefined || owner === as)) return [];
    const told = `${as} ${method} ${path}: ${reply.status}`;
    return [violation('a stranger is answered as if nothing were there', told, id)];
  });
