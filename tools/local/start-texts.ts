import { randomBytes } from 'node:crypto';
import type { DemoResult } from './demo.js';
import type { LocalRun } from './local-run.js';

/** Formats the orders, and the stock before the orders, after them, and after the duplicates. */
export function tables({ orders, stock, resent, suppressed }: DemoResult): string {
  const count = (status: string) => orders.filter((order) => order.status === status).length;
  const rows = stock.map(({ before, after, atLast }) => [
    before.sku,
    before.onHand,
    before.available,
    after.available,
    atLast.available,
  ]);
  return [
    table(['orders', 'approved', 'rejected'], [[orders.length, count('APPROVED'), count('REJECTED')]]),
    table(['stock', 'on hand', 'available before', 'after the orders', 'after the duplicates'], rows),
    table(['messages sent again', 'duplicates suppressed (each consumer)'], [[resent, suppressed]]),
  ].join('\n\n');
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
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
