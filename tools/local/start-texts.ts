import { randomBytes } from 'node:crypto';
import type { DemoResult } from './demo.js';
import type { LocalRun } from './local-run.js';
import type { Terminal } from './terminal.js';

/** Formats the orders, and the stock before the orders, after them, and after the duplicates. */
export function renderTables({ orders, stock, again }: DemoResult): string {
  const count = (status: string) => orders.filter((order) => order.status === status).length;
  const rows = stock.map(({ before, after, atLast }) => [
    before.sku,
    before.onHand,
    before.available,
    after.available,
    atLast.available,
  ]);
  return [
    renderTable(['orders', 'approved', 'rejected'], [[orders.length, count('APPROVED'), count('REJECTED')]]),
    renderTable(['stock', 'on hand', 'available before', 'after the orders', 'after the duplicates'], rows),
    renderTable(
      [
        'messages sent again',
        'heard by nobody',
        'deliveries to consumers',
        'duplicates: nothing changed',
        'applied again',
      ],
      [[again.sent, again.unheard, again.deliveries, again.duplicates, again.applied]],
    ),
  ].join('\n\n');
}

function renderTable(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const lines = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, at) => Math.max(...lines.map((row) => row[at]?.length ?? 0)));
  const text = lines.map((row) =>
    row.map((cell, at) => (at ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0))).join('   '),
  );
  return text.map((line) => `  ${line}`).join('\n');
}

/** Formats the URL, a token, and three commands to paste. Tokens are made when they are pasted, so they are never too old. */
export function invitation({ apiUrl }: Pick<LocalRun, 'apiUrl'>, { stock }: Pick<DemoResult, 'stock'>): string {
  const sku = stock[1]?.before.sku ?? '';
  const order = JSON.stringify({ lines: [{ sku, quantity: 1, unitPrice: { amount: 900, currency: 'EUR' } }] });
  const key = `try-${randomBytes(4).toString('hex')}`;
  const alice = '-H "Authorization: Bearer $alice"';
  return `In another terminal, in this folder (the API's address and tokens are also in .orderly/local.json):
alice=$(npm run -s token -- --customer alice)

Place an order. The same line again gets the same answer, with Idempotency-Replayed: true, and makes no second order:
curl -isw '\\n' '${apiUrl}/orders' ${alice} -H 'Idempotency-Key: ${key}' -H 'Content-Type: application/json' -d '${order}'

See alice's orders:
curl -sw '\\n' '${apiUrl}/orders' ${alice}

See the stock, as an operator:
curl -sw '\\n' '${apiUrl}/stock/${sku}' -H "Authorization: Bearer $(npm run -s token -- --operator)"`;
}

/** Says where the page is: the first line behind a start's progress. */
export const describePage = (pageUrl: string, terminal: Pick<Terminal, 'colour'>): string =>
  `Look at it: ${terminal.colour('bold', pageUrl)}`;

/** Says where the page is while the demonstration runs, which takes up to a minute on a slow machine. */
export const describeWatching = (pageUrl: string): string => `Watch the demonstration: ${pageUrl}`;

/** Says where Orderly runs, what to try there, and what it is not. */
export function describeStart(url: string, terminal: Pick<Terminal, 'colour'>): string {
  const command = (text: string, about: string): string => `  ${terminal.colour('cyan', text.padEnd(62))} ${about}`;
  return `${terminal.colour('bold', `Orderly runs at ${url}`)} (the API at ${url}/v1, AWS's protocols at ${url})

${command('npm run orderly -- local forward 36d', 'lets 36 days pass at once: timers, TTL, retention')}
${command('npm run orderly -- local fault Orders/PlaceOrder killed-after', 'it dies after its next write: place an order')}
${command('npm run demo', 'lists eleven examples, each played here by one command')}

This is a simulator: models of AWS, tested against DynamoDB Local and a public conformance suite. It is not AWS.
packages/simulator/docs/coverage.md lists what isn't modelled; npm start -- --localstack is a second opinion.`;
}

/** Says how long the start took. @param milliseconds since it began */
export const describeReady = (milliseconds: number): string =>
  `Ready after ${(milliseconds / 1000).toFixed(0)} s. Ctrl-C ends it.`;
