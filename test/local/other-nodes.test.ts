import { afterAll, describe, expect, test } from 'vitest';
import type { OrderView } from '../../lambdas/orders/contract.js';
import { expectFromApi } from '../../tools/local/api.js';
import type { LocalRun } from '../../tools/local/local-run.js';
import { waitUntil } from '../../tools/local/progress.js';
import { Clone } from '../support/local/clone.js';
import { otherNode } from '../support/local/other-node.js';

// Node 22 is what the README advises, and Node 24 is what runs on AWS. The tests run on one of them at most.
const clone = new Clone();
afterAll(() => clone.remove());

/** Warnings of Node or V8 about a change, and Orderly's own text about a fault. */
const COMPLAINT = /error|warning|unrecognized|deprecat|experimental|--help/i;

describe.each([22, 24] as const)('a clone on Node %i', (major) => {
  test('npm start complains of nothing, and an order goes through', async ({ skip }) => {
    const node = await otherNode(major);
    if ('missing' in node) {
      expect(process.env.CI, node.missing).toBeFalsy();
      return skip(node.missing);
    }
    const start = clone.runOn(node.program, 'start', '--no-demo');
    await start.says('Ctrl-C ends it.');
    const { apiUrl, tokens } = clone.localRun() as LocalRun;
    const price = { amount: 900, currency: 'EUR' };
    const operator = { token: tokens.operator };
    await expectFromApi(apiUrl, 'PUT /products/MUG', { ...operator, body: { name: 'Mug', unitPrice: price } });
    await expectFromApi(apiUrl, 'PUT /stock/MUG', { ...operator, body: { onHand: 3 } });
    const body = { lines: [{ sku: 'MUG', quantity: 1, unitPrice: price }] };
    const alice = { token: tokens.alice };
    const placed = await expectFromApi<OrderView>(apiUrl, 'POST /orders', { ...alice, key: 'one', body });
    const status = await waitUntil(
      async () => {
        const { status } = await expectFromApi<OrderView>(apiUrl, `GET /orders/${placed.orderId}`, alice);
        return status === 'PENDING' ? undefined : status;
      },
      { missing: () => `an end of the order in:\n${start.output}` },
    );
    const { code, output } = await start.interrupt().ended();
    expect({ status, code }).toEqual({ status: 'APPROVED', code: 0 });
    expect(output.split('\n').filter((line) => COMPLAINT.test(line))).toEqual([]);
  });
});
