import { cutToWidth, pluralize, renderTable, terminalWidth } from '@orderly/operator';
import type { ListedOrder, OrdersPage } from './orders-page.js';

/** Width from which on an order has one row: its id alone takes 32 characters. */
const WIDE = 132;

/** Formats a page of orders for people. Without a width, as in a pipe, nothing is cut. */
export function renderOrders(page: OrdersPage, width = terminalWidth()): string {
  const { orders, next } = page;
  const rows = width !== undefined && width < WIDE ? renderNarrow(orders, width) : renderWide(orders, width);
  const more = next === undefined ? [] : ['', `next: ${next}`];
  return [...renderHead(page), ...(orders.length === 0 ? [] : ['', ...rows]), ...more].join('\n');
}

function renderHead({ from, to, counts, looked, reached, orders, list }: OrdersPage): readonly string[] {
  const span = `placed from ${from} to ${to}`;
  const count = counts ? counts.orders : orders.length;
  const bound = reached === undefined ? '' : `, of the newest ${looked}, down to ${reached}`;
  const head =
    counts === undefined
      ? `${pluralize(count, 'order')} of this page, ${span}${bound}`
      : `${count === 0 ? 'no order' : pluralize(count, 'order')} ${span}${bound}`;
  const tell = (name: string, parts: readonly string[]) => (parts.length === 0 ? [] : [`${name}: ${parts.join(', ')}`]);
  return [
    ...(list.text === undefined ? [] : [list.text, ...(list.next === undefined ? [] : [`next: ${list.next}`]), '']),
    head,
    ...tell('by status', counts?.statuses.map((one) => `${one.orders} ${one.status}`) ?? []),
    ...tell('by reason', counts?.reasons.map((one) => `${one.orders} ${one.reason}`) ?? []),
  ];
}

const HEAD = ['ORDER', 'CUSTOMER', 'STATUS', 'REASON', 'STEP', 'PLACED', 'DECIDED', 'AFTER', 'TOTAL'];

function renderWide(orders: readonly ListedOrder[], width: number | undefined): readonly string[] {
  const rows = orders.map((order) => [
    order.orderId,
    order.customerId,
    order.status,
    order.reason ?? '-',
    order.step ?? '-',
    order.placedAt,
    order.decidedAt ?? '-',
    formatSeconds(order),
    formatMoney(order.total),
  ]);
  return [renderTable(HEAD, rows, ['CUSTOMER', 'DECIDED', 'PLACED', 'STEP', 'REASON'], width)];
}

/** Two lines for each order. */
const renderNarrow = (orders: readonly ListedOrder[], width: number): readonly string[] =>
  orders.flatMap((order) => {
    const { orderId, status, reason, step, customerId, placedAt } = order;
    const why = [status, reason, step === undefined ? undefined : `at ${step}`].filter((part) => part !== undefined);
    const took = order.seconds === undefined ? [] : [`decided after ${formatSeconds(order)}`];
    const details = [placedAt.slice(0, 19).replace('T', ' '), ...took, formatMoney(order.total), customerId];
    return [cutToWidth(width, `${orderId}  ${why.join(' ')}`), cutToWidth(width, `    ${details.join('  ')}`)];
  });

const formatSeconds = ({ seconds }: ListedOrder): string =>
  seconds === undefined ? '-' : seconds < 10 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds)} s`;

/** Formats an amount with the digits that its currency has: `12.00 EUR`, `1200 JPY`. */
export function formatMoney({ amount, currency }: ListedOrder['total']): string {
  const digits = fractionDigits(currency);
  return `${(amount / 10 ** digits).toFixed(digits)} ${currency}`;
}

/** A currency that ICU doesn't know has two digits. */
const fractionDigits = (currency: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
