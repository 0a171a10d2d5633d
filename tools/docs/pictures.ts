import { readFileSync } from 'node:fs';
import { createOrderSaga } from '../../lambdas/orders/domain/create-order.js';
import type { CreateOrder } from '../../lambdas/orders/saga-contract.js';
import { pictureOf } from './saga-picture.js';
import { play } from './saga-play.js';

/** Part of a page that is generated from the code. */
export interface Picture {
  /** Name in the marks before and after the picture. */
  readonly name: string;
  /** Path of the page from the root of the repository. */
  readonly page: string;
  readonly make: () => string;
}

const orderOver = (amount: number): CreateOrder => ({
  orderId: 'order',
  customerId: 'customer',
  lines: [],
  total: { amount, currency: 'EUR' },
});

export const ROOT = new URL('../../', import.meta.url);

const TUTORIAL = 'docs/tutorial.md';
/** Files of the example that the tutorial shows, in its order. */
const SHOWN = [
  'contract.ts',
  'ticket.ts',
  'lambdas/open-ticket.lambda.ts',
  'lambdas/assign-ticket.lambda.ts',
  'app.ts',
  'promises.ts',
].map((file) => `examples/tickets/${file}`);

const listing = (name: string): Picture => ({
  name,
  page: TUTORIAL,
  make: () => `\`\`\`ts\n${readFileSync(new URL(name, ROOT), 'utf8')}\`\`\``,
});

export const pictures: readonly Picture[] = [
  {
    name: 'CreateOrderSaga',
    page: 'lambdas/orders/README.md',
    make: () => pictureOf(play(createOrderSaga, [orderOver(1), orderOver(0)])),
  },
  ...SHOWN.map(listing),
];

/**
 * Replaces the picture in a page by the one that the code makes now.
 * @param text text of the picture's page
 * @throws {Error} if the page has no marks for the picture
 */
export function withPicture(text: string, { name, page, make }: Picture): string {
  const [begin, end] = [`<!-- ${name}: made by npm run docs -->`, `<!-- end of ${name} -->`];
  const [before, rest] = [text.indexOf(begin), text.indexOf(end)];
  if (before < 0 || rest < before) throw new Error(`${page} has no '${begin}' before an '${end}'`);
  return `${text.slice(0, before)}${begin}\n\n${make()}\n\n${text.slice(rest)}`;
}
