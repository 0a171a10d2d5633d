import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { violation } from '../invariants/violation.js';
import { placed, stocked } from './shop.js';
import { type Registered, Webhooks } from './webhooks.js';

/**
 * One order that is approved, and three webhooks: one in any order, one in order whose receiver fails its first request, and one whose
 * receiver is gone. Every single fault of it is played.
 */
export const webhookOne: Scenario = {
  name: 'webhook-one',
  async play(cloud) {
    const webhooks = new Webhooks(cloud);
    const { orderly } = webhooks;
    await webhooks.register({ name: 'all' });
    await webhooks.register({
      name: 'in-order',
      shop: 'alice',
      inOrder: true,
      behaves: ({ number }) => ({ status: number === 1 ? 500 : 200 }),
    });
    const gone = await webhooks.register({ name: 'gone', isGivenUp: true, behaves: () => ({ status: 410 }) });
    await stocked(orderly, { 'TEA-1': 10 });
    await placed(orderly, 'alice', 'one');
    await orderly.rest();
    return [...(await disabledInTheList(webhooks, gone)), ...(await webhooks.check())];
  },
};

/** A receiver that is gone is disabled in the list, with the reason. */
async function disabledInTheList(
  { orderly }: Webhooks,
  { webhookId, receiver }: Registered,
): Promise<readonly Violation[]> {
  if (receiver.requests.length === 0) return [];
  const { reply } = await orderly.call({ method: 'GET', path: '/webhooks', as: 'operator' });
  const items = (reply.body.items ?? []) as readonly { webhookId: string; disabledReason?: string }[];
  const listed = items.find((one) => one.webhookId === webhookId);
  return listed?.disabledReason === 'GONE'
    ? []
    : [violation('a receiver that is gone is disabled in the list', JSON.stringify(listed))];
}
