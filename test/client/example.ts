import { isProblemOf, NoAnswer, type OrderLine, orderlyClient } from '@orderly/client';

/** @param token of the caller's session; asked for again after a 401 */
export const shop = (baseUrl: string, token: () => Promise<string>) => orderlyClient({ baseUrl, token });

/** Places an order, whatever the network does. @param cart its id is the key: a restarted program repeats, too */
export async function order(client: ReturnType<typeof shop>, cart: string, lines: OrderLine[]): Promise<string> {
  try {
    const placed = await client.placeOrder({ body: { lines, clientReference: cart }, key: `order-${cart}` });
    return `order ${placed.orderId} is ${placed.status}`;
  } catch (error) {
    if (error instanceof NoAnswer) return `unknown: repeat it with the key ${error.key}`;
    if (isProblemOf('placeOrder', error) && error.code === 'limit-reached')
      return `too many orders: again in ${error.retryAfter} seconds`;
    throw error;
  }
}

/** Prints all orders, the newest first. Pages are read as far as they are needed. */
export async function print(client: ReturnType<typeof shop>, signal: AbortSignal): Promise<void> {
  for await (const { orderId, status, total } of client.items('listOrders', { query: { limit: 100 }, signal })) {
    console.log(orderId, status, total.amount / 100, total.currency);
  }
}
