import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StripeCustomers } from '../../../../lambdas/payments/provider/stripe-customers.js';
import { StripeProvider } from '../../../../lambdas/payments/provider/stripe-provider.js';
import { inProcessDynamoDb } from '../../../support/in-process-dynamodb.js';
import { eur } from './provider-suite.js';

/**
 * stripe-mock knows Stripe's API by its OpenAPI description: it refuses a path or a parameter that Stripe hasn't. It
 * keeps nothing, so what keys do is tested on the sandbox. Installed once, in a minute, where there is a Go.
 */
const MODULE = 'github.com/stripe/stripe-mock@v0.203.0';
const FOLDER = fileURLToPath(new URL(`../../../../.build/${MODULE.replaceAll('/', '-')}`, import.meta.url));
const MOCK = `${FOLDER}/stripe-mock`;

/** Why there is no mock; nothing where there is one. */
async function missing(): Promise<string | undefined> {
  if (existsSync(MOCK)) return undefined;
  try {
    await promisify(execFile)('go', ['install', MODULE], {
      env: { ...process.env, GOBIN: FOLDER },
      timeout: 1_800_000,
    });
    return undefined;
  } catch (error) {
    return `no stripe-mock: 'go install ${MODULE}' failed: ${(error as Error).message.split('\n')[0]}`;
  }
}
const reason = await missing();

/** A search that doesn't find the customer yet, so that the list is asked for as well; then it is read by its id. */
function ourAnswer(url: string, customer: object): string | undefined {
  if (url.startsWith('/v1/customers/search')) return JSON.stringify({ data: [] });
  if (url.startsWith('/v1/customers/')) return JSON.stringify(customer);
  return url.startsWith('/v1/customers') ? JSON.stringify({ data: [customer] }) : undefined;
}

test.runIf(reason !== undefined && Boolean(process.env.CI))('CI has stripe-mock', () => expect.fail(reason));

describe.skipIf(reason !== undefined)(`Stripe's description of its API ${reason ? `(skipped, ${reason})` : ''}`, () => {
  let mock: ChildProcess;
  let address = '';
  const answers: string[] = [];
  /** In front of the mock, whose customer has no payment method, so that no object would be made. */
  const front = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    let body = '';
    for await (const chunk of request) body += chunk;
    const { authorization = '', 'content-type': type = '', 'stripe-version': version = '' } = headers;
    const answer = await fetch(`${address}${url}`, {
      method,
      headers: { authorization, 'content-type': type, 'stripe-version': String(version) },
      ...(method === 'GET' ? {} : { body }),
    });
    const text = await answer.text();
    answers.push(`${method} ${url.split('?')[0]} ${answer.status}${answer.ok ? '' : ` ${text}`}`);
    const customer = {
      id: 'cus_1',
      metadata: { orderly_account: 'bob' },
      invoice_settings: { default_payment_method: 'pm_1' },
    };
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(answer.ok ? (ourAnswer(url, customer) ?? text) : text);
  });

  beforeAll(async () => {
    mock = spawn(MOCK, ['-http-addr', '127.0.0.1:'], { stdio: 'pipe' });
    address = await addressOf(mock);
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    mock.kill();
    front.close();
  });

  test("Stripe's description has every request that this provider makes, with its parameters", async () => {
    const { port } = front.address() as AddressInfo;
    inProcessDynamoDb({ table: ['pk', 'sk'] });
    const customers = new StripeCustomers('table');
    const address = { host: '127.0.0.1', port, protocol: 'http' } as const;
    const provider = new StripeProvider(async () => 'sk_test_123', customers, address);
    await provider.create({ key: 'p1:create', paymentId: 'p1', accountId: 'bob', amount: eur(1000) });
    await provider.create({ key: 'p2:create', paymentId: 'p2', accountId: 'bob', amount: eur(1000) });
    // What came of the mock's own object does not matter here.
    await provider.confirm({ key: 'p1:charge', providerId: 'pi_1' }).catch(() => undefined);
    await provider.cancel({ key: 'p1:cancel', providerId: 'pi_1' }).catch(() => undefined);
    await provider.findCharge('pi_1');
    await provider.refund({ key: 'p1:refund', providerId: 'pi_1', refundId: 'r1', amount: eur(1) });
    await provider.findRefund('pi_1', 'r1');
    expect(answers).toEqual([
      'GET /v1/customers/search 200',
      'GET /v1/customers 200',
      'POST /v1/payment_intents 200',
      'GET /v1/customers/cus_1 200',
      'POST /v1/payment_intents 200',
      'POST /v1/payment_intents/pi_1/confirm 200',
      'POST /v1/payment_intents/pi_1/cancel 200',
      'GET /v1/payment_intents/pi_1 200',
      'POST /v1/refunds 200',
      'GET /v1/refunds 200',
    ]);
  });

  test('stripe-mock refuses a parameter that Stripe does not have', async () => {
    const { status } = await fetch(`${address}/v1/refunds`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk_test_123', 'content-type': 'application/x-www-form-urlencoded' },
      body: 'payment_intent=pi_1&sum=1',
    });
    expect(status).toBe(400);
  });
});

/** Waits until the mock says where it listens. */
const addressOf = (mock: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let said = '';
    const hear = (text: unknown): void => {
      said += String(text);
      const [, port] = /Listening for HTTP at address: \S*:(\d+)/.exec(said) ?? [];
      if (port !== undefined) resolve(`http://127.0.0.1:${port}`);
    };
    mock.stdout?.on('data', hear);
    mock.stderr?.on('data', hear);
    mock.once('exit', (code) => reject(new Error(`stripe-mock ended with ${code}: ${said}`)));
  });
