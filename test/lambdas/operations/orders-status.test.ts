import { expect, test } from 'vitest';
import { countOrders } from '../../../lambdas/operations/orders-status.js';
import type { Commit } from '../../../packages/kit/messages/commit.js';

const commit = (id: string, second: number, ...types: readonly string[]) =>
  ({
    pk: `Order#${id}`,
    at: new Date(Date.UTC(2026, 2, 1) + second * 1000).toISOString(),
    events: types.map((type) => ({ id: `${id}-${type}`, type, schemaVersion: 1, data: '{}' })),
  }) as unknown as Commit;

test('orders are counted by how they ended, and an approval by how long it took', () => {
  const commits = [
    ...[commit('slow', 0, 'OrderPlaced'), commit('slow', 9, 'OrderApproved')],
    ...[commit('quick', 0, 'OrderPlaced'), commit('quick', 1, 'OrderApproved')],
    ...[commit('usual', 0, 'OrderPlaced'), commit('usual', 2, 'OrderApproved')],
    ...[commit('no', 0, 'OrderPlaced'), commit('no', 4, 'OrderRejected')],
    ...[commit('off', 0, 'OrderPlaced'), commit('off', 3, 'OrderApproved'), commit('off', 5, 'OrderCancelled')],
    commit('new', 0, 'OrderPlaced'),
  ];
  expect(countOrders(9, commits)).toEqual({
    placed: 9,
    read: 6,
    approved: 3,
    rejected: 1,
    cancelled: 1,
    open: 1,
    approvedAfter: { p50: 2, p95: 9 },
  });
});

test('without an order there is nothing to measure', () =>
  expect(countOrders(0, [])).toEqual({ placed: 0, read: 0, approved: 0, rejected: 0, cancelled: 0, open: 0 }));
