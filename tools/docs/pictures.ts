import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { createOrderSaga } from '../../lambdas/orders/domain/create-order.js';
import type { CreateOrder } from '../../lambdas/orders/saga-contract.js';
import { kitFolders, moduleTable, patternLinks, patternTable } from './kit-index.js';
import { drawSaga } from './saga-picture.js';
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
  'package.json',
  'tsconfig.json',
  'contract.ts',
  'ticket.ts',
  'lambdas/open-ticket.lambda.ts',
  'lambdas/assign-ticket.lambda.ts',
  'app.ts',
  'cdk.json',
  'promises.ts',
];

/** A file under its path, as readers copy it and as `readListedFiles` reads it. */
const listing = (file: string): Picture => {
  const name = `examples/tickets/${file}`;
  const text = () => readFileSync(new URL(name, ROOT), 'utf8');
  return { name, page: TUTORIAL, make: () => `\`${file}\`:\n\n\`\`\`${extname(file).slice(1)}\n${text()}\`\`\`` };
};

/** Returns the text of each file that a page lists, by its path. */
export const readListedFiles = (page: string): ReadonlyMap<string, string> =>
  new Map(
    [...page.matchAll(/^`([\w./-]+)`:\n\n```\w+\n(.*?)^```$/gms)].map(([, file = '', text = '']) => [file, text]),
  );

const KIT = 'packages/kit/';
const kit = () => kitFolders(new URL(KIT, ROOT));

/** Indexes of the kit's folders: generated, so that a new folder is in each of them. */
const indexes: readonly Picture[] = [
  { name: 'patterns', page: 'README.md', make: () => patternLinks(kit(), KIT) },
  { name: 'patterns', page: 'docs/README.md', make: () => patternTable(kit(), `../${KIT}`) },
  { name: 'modules', page: 'packages/kit/README.md', make: () => moduleTable(kit()) },
];

export const pictures: readonly Picture[] = [
  {
    name: 'CreateOrderSaga',
    page: 'lambdas/orders/README.md',
    make: () => drawSaga(play(createOrderSaga, [orderOver(1), orderOver(0)])),
  },
  ...SHOWN.map(listing),
  ...indexes,
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
