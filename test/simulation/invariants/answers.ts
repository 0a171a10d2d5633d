import type { Commit, Facts } from '../../support/simulation/facts.js';
import { type Check, violation } from './violation.js';

/** Fields of a saga's step, for every participant. */
interface Step {
  readonly orderId: string;
  readonly stepId: string;
  readonly customerId?: string;
}

/**
 * One event of the commit that carried a command out answers it, with its step's id; otherwise the command is visible
 * as failed or pending. Payments answer after the provider did (charges.ts).
 */
export const answers: Check = (facts) =>
  [...facts.published].flatMap(([id, { detail }]) => {
    const { to = '', data } = detail as { to?: string; data: Step };
    const commits = commitsOf(facts, to, data);
    if (!commits) return [];
    const delivery = facts.delivery(facts.listener(`${to}-commands`), { id });
    if (delivery === 'failed' || delivery === 'waiting') return [];
    const answered = commits
      .filter(({ trigger }) => trigger === id)
      .flatMap(({ events }) => events)
      .filter((event) => (JSON.parse(event.data) as Partial<Step>).stepId === data.stepId);
    const told = `${data.stepId} ${id}: ${delivery}, ${answered.map(({ type }) => type).join(', ') || 'no answer'}`;
    return answered.length === 1 ? [] : [violation('a command is answered once', told, data.orderId)];
  });

/** Returns the commits of an order at a participant that answers at once; `undefined` for any other service. */
function commitsOf(facts: Facts, to: string, { orderId, customerId = '' }: Step): readonly Commit[] | undefined {
  switch (to) {
    case 'catalog':
      return facts.priceChecks.get(orderId) ?? [];
    case 'accounts':
      return facts.accounts.get(customerId) ?? [];
    case 'inventory':
      return facts.reservations.get(orderId) ?? [];
    default:
      return undefined;
  }
}
