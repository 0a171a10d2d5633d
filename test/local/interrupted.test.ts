import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { LocalCloudClient } from '@orderly/simulator';
import { afterAll, expect, test } from 'vitest';
import type { OrderView } from '../../lambdas/orders/contract.js';
import { expectFromApi } from '../../tools/local/api.js';
import type { LocalRun } from '../../tools/local/local-run.js';
import { waitUntil } from '../../tools/local/progress.js';
import { openShop } from '../../tools/local/shop.js';
import { Clone } from '../support/local/clone.js';
import { isTaken } from '../support/local/port.js';
import type { Started } from '../support/local/started.js';

// One copy serves the tests of this file: each of them ends what it has started.
const clone = new Clone({ assemblies: 'of its own' });
afterAll(() => clone.remove());

/** Presses Ctrl-C. @returns the exit code, when no process is left */
async function interrupted(start: Started): Promise<number | null> {
  const { code } = await start.interrupt().ended();
  expect(start.isAlive).toBe(false);
  return code;
}

test('Ctrl-C while it synthesizes ends it, the app that it runs for that, and leaves no draft', async () => {
  // As npm starts it, since Ctrl-C reaches npm, too.
  const start = clone.paste('npm start -- --no-demo');
  const assemblies = clone.at('.build/assemblies');
  const drafts = (): readonly string[] => (existsSync(assemblies) ? readdirSync(assemblies) : []);
  await waitUntil(async () => drafts().length > 0 || undefined, { missing: () => `a draft: ${start.output}` });
  // A second start, which ends at once since nothing answers there, knows of it by now.
  const second = clone.paste('ORDERLY_ENDPOINT=http://127.0.0.1:1 node tools/run.mjs start');
  expect((await second.ended()).output).toMatch(/^Another start of this clone begins in process \d+\./m);
  expect(await interrupted(start)).not.toBe(0);
  expect(drafts()).toEqual([]);
  expect(start.output).not.toContain('    at ');
  expect(existsSync(clone.at('.orderly/local.json'))).toBe(false);
});

const TEA = { sku: 'TEA', name: 'Tea', price: 350, onHand: 10 };

test('orders outlive Ctrl-C in their middle with --keep, and messages of before are still recognised', async () => {
  clone.share('assemblies');
  const first = clone.run('start', '--keep', '--no-demo');
  await first.says('Ctrl-C ends it.');
  const run = clone.localRun() as LocalRun;
  await openShop({ apiUrl: run.apiUrl, token: run.tokens.operator }, [TEA], ['alice']);
  const { orderId } = await expectFromApi<OrderView>(run.apiUrl, 'POST /orders', {
    token: run.tokens.alice,
    key: 'kept',
    body: { lines: [{ sku: TEA.sku, quantity: 2, unitPrice: { amount: TEA.price, currency: 'EUR' } }] },
  });
  // It isn't decided yet.
  expect(await interrupted(first)).toBe(0);
  expect(first.output).toContain('npm start -- --keep');
  expect(await isTaken(Number(new URL(run.endpoint).port))).toBe(false);

  const second = clone.run('start', '--keep', '--no-demo');
  await second.says('Ctrl-C ends it.');
  const { apiUrl, endpoint, tokens } = clone.localRun() as LocalRun;
  const cloud = new LocalCloudClient(endpoint);
  // When ten minutes have passed by its clock, whatever was under way has ended, and what was lost has been repeated.
  await cloud.forward(600_000);
  expect(await expectFromApi(apiUrl, `GET /orders/${orderId}`, { token: tokens.alice })).toMatchObject({
    status: 'APPROVED',
  });
  const available = async () =>
    (await expectFromApi<{ available: number }>(apiUrl, `GET /stock/${TEA.sku}`, { token: tokens.operator })).available;
  expect(await available()).toBe(8);

  const { output } = await clone.run('orderly', 'order', orderId, '--verbose').ended();
  const [, command = output] = /command ReserveStock .*\n +(\S+)/.exec(output) ?? [];
  expect(await cloud.redeliver(command)).toBe('ReserveStock');
  await cloud.forward(60_000);
  expect(await available()).toBe(8);
  expect(await interrupted(second)).toBe(0);
  expect(JSON.parse(readFileSync(clone.at('.orderly/state/dev.json'), 'utf8'))).toMatchObject({
    format: 'orderly-local',
  });
});

test('Ctrl-C in the middle of the demonstration ends it', async () => {
  clone.share('assemblies');
  const start = clone.run('start');
  await start.says('wait until each is approved or rejected ...');
  const { endpoint } = clone.localRun() as LocalRun;
  await interrupted(start);
  expect(start.output).not.toContain('    at ');
  expect(await isTaken(Number(new URL(endpoint).port))).toBe(false);
  expect(clone.localRun()).toBeUndefined();
});
