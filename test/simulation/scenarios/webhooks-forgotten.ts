import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { peopleOfOrderly } from '../../../tools/operator/people.js';
import { Operator } from '../../support/simulation/operator.js';
import type { Orderly } from '../../support/simulation/orderly.js';
import { violation } from '../invariants/violation.js';
import { dispatchOf, placed, stocked } from './shop.js';
import { type Registered, Webhooks } from './webhooks.js';

/** Texts that a shop has registered, and that nobody can read after it was forgotten. */
const saidBy = (shop: string): readonly string[] => [`${shop}s-server.example.com`, `${shop}-in-order.example.com`];

/**
 * Shops of which one is forgotten by its own request and one by an operator, while orders of theirs are under way, and others that
 * stay. Their webhooks end, nothing of them can be read, and they register no more.
 */
export const webhooksForgotten: Scenario = {
  name: 'webhooks-forgotten',
  faultProbability: 0.01,
  async play(cloud) {
    const webhooks = new Webhooks(cloud);
    const { orderly } = webhooks;
    const operator = new Operator(orderly);
    const shops = ['alice', 'carol'] as const;
    await webhooks.register({ name: 'all', inOrder: true });
    await webhooks.register({ name: 'bobs-server', shop: 'bob' });
    for (const shop of shops) {
      await webhooks.register({ name: `${shop}s-server`, shop, isGivenUp: true });
      await webhooks.register({ name: `${shop}-in-order`, shop, inOrder: true, isGivenUp: true });
    }
    await stocked(orderly, { 'TEA-1': 100 });
    const orders = [];
    for (const as of [...shops, 'bob']) orders.push(await placed(orderly, as, 'before'));
    await orderly.rest();
    await orderly.call({ method: 'DELETE', path: '/users/me', as: 'alice', key: 'forget' });
    await operator.forget('carol', peopleOfOrderly);
    const ended = webhooks.watched.filter(({ shop }) => shops.some((one) => one === shop));
    await orderly.rest();
    const sent = new Map(ended.map(({ name, receiver }) => [name, receiver.requests.length]));
    for (const { reply, as } of orders) await orderly.call(dispatchOf(reply.body.orderId, `sent-${as}`));
    for (const as of [...shops, 'bob']) await placed(orderly, as, 'after');
    await orderly.rest();
    return [
      ...ended.flatMap((one) => sentNothingMore(one, sent.get(one.name) ?? 0)),
      ...(await Promise.all(shops.map((shop) => listedAsForgotten(webhooks, shop)))).flat(),
      ...(await Promise.all(ended.map((one) => endedForEver(webhooks, one)))).flat(),
      ...shops.flatMap((shop) => unreadable(orderly, shop)),
      ...(await webhooks.check()),
    ];
  },
};

const sentNothingMore = ({ name, receiver }: Registered, before: number): readonly Violation[] =>
  before >= 1 && receiver.requests.length === before
    ? []
    : [violation('a forgotten shop receives nothing more', `${name}: ${before}, ${receiver.requests.length}`)];

/** The list says why nothing is sent, to operators and to the shop, and shows no address. */
async function listedAsForgotten({ orderly }: Webhooks, shop: string): Promise<readonly Violation[]> {
  const asOperator = { method: 'GET', path: `/webhooks?customerId=${shop}`, as: 'operator' } as const;
  const asShop = { method: 'GET', path: '/webhooks', as: shop, role: 'shop' } as const;
  const lists = [await orderly.call(asOperator), await orderly.call(asShop)];
  return lists.flatMap(({ reply }) => {
    const items = (reply.body.items ?? []) as readonly Record<string, unknown>[];
    const isRight = items.every(
      ({ status, disabledReason, url }) => status === 'DISABLED' && disabledReason === 'FORGOTTEN' && url === undefined,
    );
    return items.length === 2 && isRight
      ? []
      : [violation('the list says that a webhook ended because its customer was forgotten', JSON.stringify(items))];
  });
}

/** A forgotten shop's webhook is neither enabled again nor gets a new secret, and it registers no other one. */
async function endedForEver(webhooks: Webhooks, one: Registered): Promise<readonly Violation[]> {
  const { orderly } = webhooks;
  const body = { url: `https://again.example.com/${one.name}`, events: ['OrderPlaced'] };
  const again = { method: 'POST', path: '/webhooks', as: String(one.shop), role: 'shop', body } as const;
  const answers = [
    await webhooks.call(one, 'POST', '/activation', `on-${one.name}`),
    await webhooks.call(one, 'POST', '/secret-rotation', `rotated-${one.name}`),
    await orderly.call({ ...again, key: `again-${one.name}` }),
  ];
  return answers.flatMap(({ reply: { status, body } }) =>
    status === 409 && String(body.type).endsWith(':person-forgotten')
      ? []
      : [violation('a forgotten shop has no webhook any more', `${one.name}: ${status} ${JSON.stringify(body)}`)],
  );
}

/** What the shop has named is in no table, and the keys of its webhooks are deleted. */
function unreadable(orderly: Orderly, shop: string): readonly Violation[] {
  const service = orderly.services.find(({ name }) => name === 'webhooks');
  const stored = JSON.stringify(orderly.itemsOf(service?.table ?? ''));
  return saidBy(shop)
    .filter((text) => stored.includes(text))
    .map((text) => violation('nothing that a forgotten shop has named is readable', text));
}
