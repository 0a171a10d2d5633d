import type { AccountView } from '../../../lambdas/accounts/contract.js';
import type { OrderView } from '../../../lambdas/orders/contract.js';
import { euros } from '../shop.js';
import { inEuros, OPERATOR, type Stage, shortenId } from './stage.js';

const PRICE = 350;

interface History {
  readonly items: readonly {
    readonly version: number;
    readonly type: string;
    readonly at: string;
    readonly actor: string;
    readonly onBehalfOf?: string;
  }[];
}

/** An order and an account, as they are and as they were at each earlier version. */
export async function play(stage: Stage): Promise<void> {
  const gil = stage.named('gil');
  const sku = await stage.article('tea', { price: PRICE });
  const ofAccount = `/accounts/${gil}`;

  stage.tell(
    `Gil gets a credit of ${inEuros(1000)}, orders for ${inEuros(PRICE)}, and gets a credit of ${inEuros(2000)}.`,
  );
  const credit = (cents: number) =>
    stage.do(OPERATOR, `PUT ${ofAccount}/credit-limit`, { body: { creditLimit: euros(cents) } });
  await credit(1000);
  const { orderId } = await stage.place(gil, { sku, price: PRICE });
  await stage.becomes(orderId, 'APPROVED');
  await stage.until('the credit settled', async () => {
    const { items } = await stage.do<History>(OPERATOR, `GET ${ofAccount}/history`);
    return items.some(({ type }) => type === 'AuthorizationCaptured') || undefined;
  });
  await credit(2000);

  stage.tell('The account at each version, with the event that led to it and who is behind it:');
  const { items } = await stage.do<History>(OPERATOR, `GET ${ofAccount}/history`);
  for (const { version, type, actor, onBehalfOf } of items) {
    const then = await stage.do<AccountView>(OPERATOR, `GET ${ofAccount}?version=${version}`);
    stage.show(
      `?version=${version}  available ${inEuros(then.available.amount).padStart(9)}   ${type.padEnd(21)}  by ${onBehalfOf ?? actor}`,
    );
  }

  stage.tell('The account and the order at the instant of an event:');
  const held = items.find(({ type }) => type === 'AccountAuthorized')?.at ?? '';
  const { available } = await stage.do<AccountView>(OPERATOR, `GET ${ofAccount}?at=${held}`);
  stage.show(`GET /accounts/${gil}?at=${held}  available ${inEuros(available.amount)}`);
  const then = await stage.do<OrderView>(OPERATOR, `GET /orders/${orderId}?at=${held}`);
  const now = await stage.do<OrderView>(OPERATOR, `GET /orders/${orderId}`);
  stage.show(`GET /orders/${shortenId(orderId)}?at=${held}  ${then.status} (now ${now.status})`);

  stage.tell('Without the pattern: a row with the newest values.');
  const newest = await stage.do<AccountView>(OPERATOR, `GET ${ofAccount}`);
  stage.show(
    `available ${inEuros(newest.available.amount)}: nobody can say what was available before the order, or who changed it`,
  );
}
