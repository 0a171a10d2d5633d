import { orderlyClient } from '@orderly/client';

/** An order that is placed and cancelled, to see that a deployment works. */
export interface SmokeTest {
  /** Address of the API with its stage. */
  readonly baseUrl: string;
  /** Token of a customer of its own, who is nobody else's customer. */
  readonly token: string | (() => Promise<string>);
  /** SKU of a product that is free of charge, so that no provider moves money. */
  readonly sku: string;
  readonly currency: string;
  /** Begins the idempotency keys. Another run needs another one. */
  readonly key: string;
  readonly say: (line: string) => void;
  /** @default the `fetch` of the platform */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Most looks at the order until it has to be there. @default 150 */
  readonly looks?: number;
  /** Waits between two looks at the order. @default a timer */
  readonly wait?: (milliseconds: number) => Promise<void>;
}

/** Error for a deployment that does not do what it is for. */
export class SmokeTestFailed extends Error {
  override readonly name = 'SmokeTestFailed';
}

/** Looks at an order, and the pause between two, in milliseconds: 5 minutes in all. A cold start of every function takes seconds. */
const LOOKS = 150;
const PAUSE_MS = 2_000;

/**
 * Places one free order at a deployed API, follows it to its approval, and cancels it. It goes through gateway, authorizer,
 * outbox, bus, saga, catalog, accounts and inventory, and what it took is given back.
 * @throws {SmokeTestFailed} says which step failed, and what to look at
 * @throws {OrderlyProblem | NoAnswer} for an answer that no step expects
 */
export async function playSmokeTest(test: SmokeTest): Promise<void> {
  const { baseUrl, token, sku, currency, key, say, looks = LOOKS, wait = pause } = test;
  const client = orderlyClient({ baseUrl, token, ...(test.fetch && { fetch: test.fetch }) });
  const document = await client.getOpenApi();
  say(`the API answers: version ${(document as { readonly info?: { readonly version?: string } }).info?.version}`);
  const lines = [{ sku, quantity: 1, unitPrice: { amount: 0, currency } }];
  const place = () =>
    client.send('placeOrder', { key: `${key}-place`, body: { lines, clientReference: 'smoke-test' } });
  const { orderId } = (await place()).body;
  const again = await place();
  if (again.body.orderId !== orderId) {
    throw new SmokeTestFailed(
      `the same key placed two orders, ${orderId} and ${again.body.orderId}: requests have an effect each time, so stop this release`,
    );
  }
  say(`order ${orderId} is placed once by two requests`);
  const follow = async (isReached: (status: string) => boolean, wanted: string): Promise<void> => {
    let seen = '';
    for (let look = 0; look < looks; look++) {
      const { status, reason } = await client.getOrder({ orderId });
      if (isReached(status)) return say(`order ${orderId} is ${status}`);
      seen = reason === undefined ? status : `${status}, ${reason}`;
      if (status === 'REJECTED' || status === 'UNDER_REVIEW') break;
      await wait(PAUSE_MS);
    }
    throw new SmokeTestFailed(
      `order ${orderId} is ${seen || 'unknown'}, and not ${wanted}: expected ${sku} on sale for 0 ${currency} with stock (PUT /products/${sku}, PUT /stock/${sku}), and a customer in good standing; else follow it (npm run orderly -- trace ${orderId})`,
    );
  };
  await follow((status) => status === 'APPROVED', 'APPROVED');
  await client.cancelOrder({ orderId, key: `${key}-cancel`, body: { reason: 'smoke test' } });
  await follow((status) => status === 'CANCELLED', 'CANCELLED');
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
