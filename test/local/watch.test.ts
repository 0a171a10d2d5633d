import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import {
  CloudWatchLogsClient,
  DescribeLogGroupsCommand,
  FilterLogEventsCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OrderView } from '../../lambdas/orders/contract.js';
import { expectFromApi } from '../../tools/local/api.js';
import type { LocalRun } from '../../tools/local/local-run.js';
import { waitUntil } from '../../tools/local/progress.js';
import { Clone } from '../support/local/clone.js';
import type { Started } from '../support/local/started.js';

// Sources of one copy are changed while a start runs in it, test after test.
const clone = new Clone();
let start: Started;
let run: LocalRun;

beforeAll(async () => {
  start = clone.run('start', '--no-demo');
  await start.says('Ctrl-C ends it.');
  run = clone.localRun() as LocalRun;
});
afterAll(() => clone.remove());

/** Changes a source, and waits for what the start says of it. @returns that line, and the ones after it */
async function changed(path: string, change: (source: string) => string, says: RegExp): Promise<string> {
  const from = start.output.length;
  const file = clone.at(path);
  const source = readFileSync(file, 'utf8');
  const next = change(source);
  expect(next, `${path} is as it was`).not.toBe(source);
  writeFileSync(file, next);
  await start.says(says, from);
  return start.output.slice(from);
}

const GET_ORDER = 'lambdas/orders/get-order.lambda.ts';
/** Asks for an order that isn't there. @returns the title of the answer */
const titleOfMissing = async (): Promise<unknown> => {
  const headers = { authorization: `Bearer ${run.tokens.alice}` };
  return ((await (await fetch(`${run.apiUrl}/orders/none`, { headers })).json()) as { title?: unknown }).title;
};

const ANSWER = (title: string) =>
  `export const handler = async () => ({ statusCode: 200, headers: {}, body: '{"title":"${title}"}' });\n`;

// Templates come first: as long as no function has changed, their synthesis finds all bundles in the cache.

test('a changed template is synthesized and deployed, and data is kept', async () => {
  const { alice: token } = run.tokens;
  const body = { lines: [{ sku: 'TEA', quantity: 1, unitPrice: { amount: 350, currency: 'EUR' } }] };
  const { orderId } = await expectFromApi<OrderView>(run.apiUrl, 'POST /orders', { token, key: 'kept', body });
  const said = await changed('lib/environment.ts', addQueue, /synthesized and deployed/);
  expect(said).toMatch(/^lib\/environment\.ts: synthesized and deployed \(\d+\.\d s\)/);
  const ids = await waitUntil(
    async () => {
      const { items } = await expectFromApi<{ items: OrderView[] }>(run.apiUrl, 'GET /orders', { token });
      return items.length > 0 ? items.map((order) => order.orderId) : undefined;
    },
    { missing: () => 'the order in the list' },
  );
  expect(ids).toEqual([orderId]);
  expect(await queues()).toContain('added-by-a-test');
});

test('a template that cannot be synthesized is shown, and what is deployed runs on', async () => {
  const said = await changed(
    'lib/environment.ts',
    (text) => `${text}\nthrow new Error('no such thing');\n`,
    /no such thing/,
  );
  expect(said).toContain('the running code stays');
  expect(await queues()).toContain('added-by-a-test');
});

test('a changed function is live with one line that says so', async () => {
  const before = await titleOfMissing();
  expect(await changed(GET_ORDER, () => ANSWER('changed'), /get-order.*\n/)).toMatch(
    /^lambdas\/orders\/get-order\.lambda\.ts: new code in Orders\/GetOrder \(\d+\.\d s\)\n$/,
  );
  expect(await titleOfMissing()).toBe('changed');
  expect(before).not.toBe('changed');
});

test('a compile error is shown with its place, and the old code runs on', async () => {
  const said = await changed(GET_ORDER, () => 'export const handler = async () => ({;\n', /get-order.*\n.+\n/);
  expect(said).toContain('the running code stays');
  expect(said).toContain(`${GET_ORDER}:1: `);
  expect(await titleOfMissing()).toBe('changed');
});

test('the next change that compiles is live again, also one that imports a new module', async () => {
  writeFileSync(clone.at('lambdas/orders/answer.ts'), "export const TITLE = 'imported';\n");
  const importing = `import { TITLE } from './answer.js';\n${ANSWER('').replace(
    `'{"title":""}'`,
    'JSON.stringify({ title: TITLE })',
  )}`;
  await changed(GET_ORDER, () => importing, /new code in Orders\/GetOrder/);
  expect(await titleOfMissing()).toBe('imported');
  await changed(
    'lambdas/orders/answer.ts',
    (text) => text.replace('imported', 'again'),
    /new code in Orders\/GetOrder/,
  );
  expect(await titleOfMissing()).toBe('again');
});

test("a changed document of the API is served, also one that takes the file's place", async () => {
  const served = async (): Promise<unknown> => {
    const { info } = (await (await fetch(`${run.apiUrl}/openapi.json`)).json()) as { info: { title: unknown } };
    return info.title;
  };
  const titled = (title: string) => (text: string) => text.replace(/"title": "[^"]*"/, `"title": "${title}"`);
  expect(await changed('docs/openapi.json', titled('Changed'), /openapi.*\n/)).toMatch(
    /^docs\/openapi\.json: new code in Api\/OpenApi \(\d+\.\d s\)\n$/,
  );
  expect(await served()).toBe('Changed');
  const from = start.output.length;
  const file = clone.at('docs/openapi.json');
  writeFileSync(`${file}.new`, titled('Replaced')(readFileSync(file, 'utf8')));
  renameSync(`${file}.new`, file);
  await start.says(/new code in Api\/OpenApi/, from);
  expect(await served()).toBe('Replaced');
});

test('Ctrl-C ends it while a function blocks and a template is synthesized', async () => {
  const blocks = `export const handler = async () => { console.log('blocks'); await new Promise((r) => setTimeout(r, 1)); for (;;); };\n`;
  await changed(GET_ORDER, () => blocks, /new code in Orders\/GetOrder/);
  titleOfMissing().catch(() => undefined); // its connection breaks
  await logged('blocks');
  const from = start.output.length;
  appendFileSync(clone.at('lib/environment.ts'), '// changed\n');
  await waitUntil(async () => start.processes.includes('bin/orderly-app.ts') || undefined, {
    missing: () => `the app in: ${start.processes}`,
  });
  expect((await start.interrupt().ended()).code).toBe(0);
  expect(start.isAlive).toBe(false);
  expect(start.output.slice(from)).toBe('');
});

/** Adds a queue to the platform's stack. */
function addQueue(source: string): string {
  return source
    .replace(/^import \{ Tags \}/m, "import { Queue } from 'aws-cdk-lib/aws-sqs';\nimport { Tags }")
    .replace('new ApiStack(', "new Queue(orders, 'Added', { queueName: 'added-by-a-test' });\n    new ApiStack(");
}

async function queues(): Promise<string> {
  const response = await fetch(run.endpoint, {
    method: 'POST',
    headers: { 'x-amz-target': 'AmazonSQS.ListQueues', 'content-type': 'application/x-amz-json-1.0' },
    body: '{}',
  });
  return response.text();
}

/** Waits until the function has logged a text. */
async function logged(text: string): Promise<void> {
  const { endpoint, region } = run;
  const logs = new CloudWatchLogsClient({ endpoint, region, credentials: { accessKeyId: 'a', secretAccessKey: 'b' } });
  const { logGroups = [] } = await logs.send(
    new DescribeLogGroupsCommand({ logGroupNamePattern: 'Orders-EndpointLogs' }),
  );
  const [logGroupName] = logGroups.flatMap((group) => group.logGroupName ?? []);
  await waitUntil(
    async () => {
      const { events } = await logs.send(new FilterLogEventsCommand({ logGroupName, filterPattern: text }));
      return events?.some(({ logStreamName = '' }) => logStreamName.includes('GetOrder')) ? true : undefined;
    },
    { missing: () => `'${text}' in the log of ${logGroupName}` },
  );
  logs.destroy();
}

// A terminal by script(1) of util-linux.
test.skipIf(process.platform !== 'linux' || !existsSync('/usr/bin/script'))(
  'a line counts the seconds of a synthesis at a terminal',
  async () => {
    await start.kill();
    clone.restore();
    const watched = clone.paste("script -qec 'node tools/run.mjs start --no-demo' /dev/null");
    await watched.says('Ctrl-C ends it.');
    const from = watched.output.length;
    appendFileSync(clone.at('lib/environment.ts'), '// changed at a terminal\n');
    await watched.says(/ {2}\.\.\. \d+ s/, from);
  },
);
