import type { Commit, Facts } from '../support/facts.js';
import { type Check, violation } from './violation.js';

/** What the steps of a saga name, whoever takes them. */
interface Step {
  readonly orderId: string;
  readonly stepId: string;
  readonly customerId?: string;
}

/**
 * Each command was answered by one event of the commit that carried it out, with its step's id; or it is visible as failed
 * or pending. Payments answer when the provider did (charges.ts).
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

/** What a participant that answers at once knows of an order; nothing where it is another service. */
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
