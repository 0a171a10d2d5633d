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

/** Formats the URL, a token, and three commands to paste. */
export function invitation({ apiUrl, tokens }: LocalRun, { stock }: DemoResult): string {
  const sku = stock[1]?.before.sku ?? '';
  const order = JSON.stringify({ lines: [{ sku, quantity: 1, unitPrice: { amount: 900, currency: 'EUR' } }] });
  const key = `try-${randomBytes(4).toString('hex')}`;
  return `The API: ${apiUrl}
A token (customer alice; more: npm run token -- --customer carol): ${tokens.alice}
The same for scripts: .orderly/local.json

Place an order (a repeat with the same key gets the same answer and makes no second order):
curl -sw '\\n' -X POST '${apiUrl}/orders' -H 'Authorization: Bearer ${tokens.alice}' -H 'Idempotency-Key: ${key}' -H 'Content-Type: application/json' -d '${order}'

See alice's orders:
curl -sw '\\n' '${apiUrl}/orders' -H 'Authorization: Bearer ${tokens.alice}'

See the stock:
curl -sw '\\n' '${apiUrl}/stock/${sku}' -H 'Authorization: Bearer ${tokens.operator}'`;
}
