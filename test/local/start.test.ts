import { readFileSync, statSync } from 'node:fs';
import { DynamoDBClient, ListTablesCommand, paginateScan } from '@aws-sdk/client-dynamodb';
import { LocalCloudClient } from '@orderly/simulator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OrderView } from '../../lambdas/orders/contract.js';
import { expectFromApi } from '../../tools/local/api.js';
import type { LocalRun } from '../../tools/local/local-run.js';
import { waitUntil } from '../../tools/local/progress.js';
import { listeningBelow } from '../support/listening.js';
import { Clone } from '../support/local/clone.js';
import { isTaken } from '../support/local/port.js';
import { documentedCommands, printedCommands } from '../support/local/printed.js';
import type { Started } from '../support/local/started.js';

// One start, with its demonstration, serves the tests of this file in their order: time goes forwards, and it ends last.
let clone: Clone;
let start: Started;
let run: LocalRun;
/** An order of the demonstration. */
let order: OrderView;
/** The id of its OrderPlaced, as the command line shows it. */
let eventId = '';

const DAY = 86_400_000;
const LAST_LINE = 'Ctrl-C ends it.';
const portOf = ({ endpoint }: LocalRun): number => Number(new URL(endpoint).port);
/** Runs a line of bash that must succeed. @returns what it printed */
async function succeeds(line: string): Promise<string> {
  const { code, output } = await clone.paste(line).ended();
  expect(code, `${line}\n${output}`).toBe(0);
  return output;
}

beforeAll(async () => {
  clone = new Clone();
  start = clone.run('start');
  await start.says(LAST_LINE);
  run = clone.localRun() as LocalRun;
  const { alice: token } = run.tokens;
  const { items } = await expectFromApi<{ items: OrderView[] }>(run.apiUrl, 'GET /orders', { token });
  order = items.find(({ status }) => status === 'APPROVED') as OrderView;
});
afterAll(() => clone.remove());

describe('a start', () => {
  test('shows its demonstration: the last kettle is sold once, and duplicates change no stock', () => {
    expect(start.output).toMatch(/orders +approved +rejected\n +8 +7 +1\n/);
    // Which of the orders gets no kettle, and whether it has a mug in it, is a race.
    expect(start.output).toMatch(/TEA-\w+ +40 +40 +26 +26\n +MUG-\w+ +30 +30 +(2[78]) +\1\n +KETTLE-\w+ +3 +3 +0 +0\n/);
    const [, sent, , deliveries, suppressed, applied] =
      /messages sent again.*\n +(\d+) +(\d+) +(\d+) +(\d+) +(\d+)\n/.exec(start.output) ?? [];
    expect([suppressed, applied]).toEqual([deliveries, '0']);
    expect(Number(sent)).toBeGreaterThan(100);
    expect(Number(suppressed)).toBeGreaterThan(100);
  });

  test("prints the console's address before its demonstration, and again before the tables of it", () => {
    const [, watched] = /\nWatch the demonstration: (\S+)\ndemonstration/.exec(start.output) ?? [];
    expect(start.output).toContain(`\nLook at it: ${watched}\n`);
    expect(start.output).toMatch(/\nLook at it: http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{32}\n\n +orders +approved/);
  });

  test('says what it is, and what it is not', () => {
    expect(start.output).toContain(`Orderly runs at ${run.endpoint}`);
    expect(start.output).toContain('This is a simulator');
    expect(start.output).toContain('npm start -- --localstack');
  });

  test('leaves its address and tokens in .orderly/local.json, readable by its owner only', () => {
    expect(run).toMatchObject({ apiUrl: `${run.endpoint}/v1`, region: 'eu-west-1' });
    expect(Object.keys(run.tokens)).toEqual(['alice', 'bob', 'operator']);
    expect(statSync(clone.at('.orderly/local.json')).mode & 0o077).toBe(0);
  });

  test.skipIf(process.platform !== 'linux')('listens on one port, of the loopback interface', () => {
    expect(listeningBelow(start.pid)).toEqual([{ program: expect.any(String), port: portOf(run), loopback: true }]);
  });
});

describe('a command that it prints works as it is pasted:', () => {
  const printed = (part: string): string => {
    const found = printedCommands(start.output).find((line) => line.includes(part));
    expect(found, `${part} in ${start.output}`).toBeDefined();
    return found as string;
  };

  /** Runs commands in one shell that has the token. @returns the bodies of their answers, which are a line each */
  const answered = async (...parts: readonly string[]): Promise<readonly unknown[]> => {
    const output = await succeeds([printed('alice='), ...parts.map(printed)].join('\n'));
    const bodies = output.split('\n').filter((line) => line.startsWith('{'));
    expect(bodies, output).toHaveLength(parts.length);
    return bodies.map((body) => JSON.parse(body) as unknown);
  };

  test('an order is placed, and a repeat is the same order', async () => {
    const [first, repeated] = (await answered('Idempotency-Key', 'Idempotency-Key')) as readonly OrderView[];
    expect(first?.status).toBe('PENDING');
    expect(repeated?.orderId).toBe(first?.orderId);
  });

  test("alice's orders and the stock are shown", async () => {
    const [orders, stock] = await answered("curl -sw '\\n' '", '/stock/');
    expect(orders).toMatchObject({ items: expect.any(Array) });
    expect(stock).toMatchObject({ onHand: 30 });
  });

  test('a fault is ordered, and withdrawn again', async () => {
    await succeeds(printed('local fault'));
    const cloud = new LocalCloudClient(run.endpoint);
    expect(await cloud.status()).toMatchObject({ faults: [{ owner: 'Orders/PlaceOrder', kind: 'killed-after' }] });
    expect(await succeeds('npm run -s orderly -- local status')).toContain('killed-after at Orders/PlaceOrder');
    expect(await cloud.clearFaults()).toMatchObject({ faults: [] });
  });

  test('a function that dies after its write answers an error, and the repeat is the one order', async () => {
    const ordersOf = async () =>
      (await expectFromApi<{ items: OrderView[] }>(run.apiUrl, 'GET /orders', { token: run.tokens.bob })).items;
    const before = await ordersOf();
    await succeeds(printed('local fault'));
    const body = { lines: [{ sku: 'NOTHING', quantity: 1, unitPrice: { amount: 350, currency: 'EUR' } }] };
    const place = () =>
      expectFromApi<OrderView>(run.apiUrl, 'POST /orders', { token: run.tokens.bob, key: 'dies', body });
    await expect(place()).rejects.toThrow('POST /orders answered 500');
    expect(await new LocalCloudClient(run.endpoint).status()).toMatchObject({ faults: [] });
    const repeated = await fetch(`${run.apiUrl}/orders`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${run.tokens.bob}`,
        'content-type': 'application/json',
        'idempotency-key': 'dies',
      },
      body: JSON.stringify(body),
    });
    // The write of the first one took effect.
    expect(repeated.headers.get('idempotency-replayed')).toBe('true');
    const { orderId } = (await repeated.json()) as OrderView;
    const isNew = ({ orderId: id }: OrderView) => before.every((one) => one.orderId !== id);
    const placed = await waitUntil(
      async () => {
        const found = (await ordersOf()).filter(isNew).map(({ orderId: id }) => id);
        return found.length > 0 ? found : undefined;
      },
      { missing: () => `order ${orderId} in the list of bob` },
    );
    expect(placed).toEqual([orderId]);
  });

  test('it prints no command that this file does not know', () => {
    const known = /^alice=|^curl|local fault|local forward|^npm run demo$/;
    expect(printedCommands(start.output).filter((line) => !known.test(line))).toEqual([]);
  });
});

const documented = documentedCommands(readFileSync('docs/how-to/run-locally.md', 'utf8'));

describe('a command that docs/how-to/run-locally.md shows for a running instance works as it stands there:', () => {
  test('the page has commands for a running instance', () => expect(documented.length).toBeGreaterThan(2));

  // Those for time and trouble are played by the tests before and after.
  test.each(documented.filter((command) => !command.includes(' local ')))('%s', async (command) => {
    const output = await succeeds(command.replace(/<(order )?id>/, order.orderId));
    eventId ||= /OrderPlaced .*\n +(\S+)/.exec(output)?.[1] ?? '';
  });

  test('its commands for time and trouble are all in this file', () => {
    const known = /local (forward 36d|fault Orders\/PlaceOrder killed-after|duplicate <event id>|reset|calm|status)$/;
    expect(documented.filter((command) => command.includes(' local ') && !known.test(command))).toEqual([]);
  });
});

test('a token of the command line opens the API', async () => {
  const token = await succeeds('npm run -s token -- --customer carol');
  const answer = await fetch(`${run.apiUrl}/orders`, { headers: { authorization: `Bearer ${token.trim()}` } });
  expect(await answer.json()).toMatchObject({ items: [] });
});

describe('a second start of the same clone', () => {
  test('runs beside the first one, names its address, and restores local.json at its end', async () => {
    const second = clone.run('start', '--no-demo');
    await second.says(LAST_LINE);
    expect(second.output).toContain(`Another start of this clone runs at ${run.endpoint}`);
    const other = clone.localRun() as LocalRun;
    expect(other.endpoint).not.toBe(run.endpoint);
    expect(await second.interrupt().ended()).toMatchObject({ code: 0 });
    expect(clone.localRun()).toEqual(run);
    expect(await isTaken(portOf(other))).toBe(false);
  });

  test('a second start on LocalStack says so too, before it checks what LocalStack needs', async () => {
    const { code, output } = await clone
      .paste('XDG_CACHE_HOME=/none PYTHON=/none node tools/run.mjs start --localstack')
      .ended();
    expect(code, output).toBe(1);
    expect(output).toContain(`Another start of this clone runs at ${run.endpoint}`);
    expect(clone.localRun()).toEqual(run);
  });

  test('a second start is refused a port that is in use, with a sentence', async () => {
    const port = String(portOf(run));
    const { code, output } = await clone.run('start', '--no-demo', '--port', port).ended();
    expect(code).toBe(1);
    expect(output).toMatch(new RegExp(`\nport ${port} of 127.0.0.1 is in use: choose another one with --port\n$`));
    expect(clone.localRun()).toEqual(run);
  });
});

/** Counts the items of all tables whose TTL has passed at a time: among them are the records of processed messages. */
async function itemsExpiredBy(time: number): Promise<number> {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = new DynamoDBClient({ endpoint: run.endpoint, region: run.region, credentials });
  const { TableNames = [] } = await client.send(new ListTablesCommand({}));
  let expired = 0;
  for (const TableName of TableNames)
    for await (const { Items = [] } of paginateScan({ client }, { TableName }))
      expired += Items.filter(({ expiresAt }) => expiresAt?.N !== undefined && +expiresAt.N * 1000 <= time).length;
  return expired;
}

test('an event that comes again after 36 days is quarantined, and the operator sees it', async () => {
  const forward = printedCommands(start.output).find((line) => line.includes('local forward')) ?? '';
  expect(await itemsExpiredBy(Date.now() + 36 * DAY)).toBeGreaterThan(100);
  const forwarded = await succeeds(forward);
  expect(forwarded).toContain('time passes: ');
  expect(forwarded).toContain('36.0 days ahead');
  // DynamoDB's TTL has deleted them; it looks once an hour.
  const { now } = await new LocalCloudClient(run.endpoint).status();
  expect(await itemsExpiredBy(Date.parse(now) - 3_600_000)).toBe(0);
  const duplicate = documented.find((command) => command.includes('local duplicate')) ?? '';
  expect(await succeeds(duplicate.replace('<event id>', eventId))).toContain('OrderPlaced');
  // When a minute has passed by its clock, it has been delivered.
  await new LocalCloudClient(run.endpoint).forward(60_000);
  expect(await succeeds('npm run -s orderly -- failures list')).toContain(eventId);
  // On a busy machine it is behind by the time that forwarding took.
  await start.says(/Its clock is 3[56] days .*ahead/);
});

test('tokens that are made after time has passed are good by its clock', async () => {
  const now = clone.localRun() as LocalRun;
  expect(now.tokens.alice).not.toBe(run.tokens.alice);
  const made = (await succeeds('npm run -s token -- --customer alice')).trim();
  for (const token of [now.tokens.alice, made])
    expect(await expectFromApi(run.apiUrl, `GET /orders/${order.orderId}`, { token })).toMatchObject({
      status: 'APPROVED',
    });
});

test('the cloud is empty after a reset, and its clock shows the time', async () => {
  expect(await succeeds('npm run -s orderly -- local reset')).toContain('everything is empty');
  const { tokens } = clone.localRun() as LocalRun;
  expect(await expectFromApi(run.apiUrl, 'GET /orders', { token: tokens.alice })).toMatchObject({ items: [] });
});

test('Ctrl-C ends it in the middle of work and of a forward: no process, no port, no local.json', async () => {
  const { tokens } = clone.localRun() as LocalRun;
  const body = { lines: [{ sku: 'TEA', quantity: 1, unitPrice: { amount: 350, currency: 'EUR' } }] };
  const placed = Array.from({ length: 10 }, (_, at) =>
    expectFromApi(run.apiUrl, 'POST /orders', { token: tokens.alice, key: `many-${at}`, body }),
  );
  await Promise.race(placed);
  const rest = Promise.allSettled(placed);
  const forward = clone.paste('npm run -s orderly -- local forward 3650d');
  const cloud = new LocalCloudClient(run.endpoint);
  await waitUntil(async () => (await cloud.status()).ahead > DAY || undefined, {
    missing: () => forward.output,
  });
  expect(await start.interrupt().ended()).toMatchObject({ code: 0 });
  await rest;
  expect((await forward.ended()).output).toContain('no local cloud answers');
  expect(start.isAlive).toBe(false);
  expect(await isTaken(portOf(run))).toBe(false);
  expect(clone.localRun()).toBeUndefined();
});
