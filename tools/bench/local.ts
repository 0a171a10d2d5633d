import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { OrderView } from '../../lambdas/orders/contract.js';
import { localAssembly } from '../local/assembly.js';
import { atExit } from '../local/at-exit.js';
import { readDeployment } from '../local/deploy.js';
import { makeToken } from '../local/dev-issuer.js';
import { runOrderly } from '../local/emulator.js';
import { findEndpoint } from '../local/endpoint.js';
import { LocalRunError } from '../local/errors.js';
import { runs } from '../local/installing.js';
import { checkTools, MissingToolError } from '../local/localstack/install.js';
import { waitUntil } from '../local/progress.js';
import { type Article, awaitDecision, openShop } from '../local/shop.js';
import { copyTree } from './copied-tree.js';

// npm run bench:local: how long the local cloud takes, from its start to a thousand orders, and the same orders on LocalStack
// where its tools are there, on the same machine in the same run. It asserts nothing.

const USAGE = 'npm run bench:local [-- --no-localstack]';
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const ORDERS = [100, 1_000];
/** LocalStack takes minutes for them. */
const ORDERS_ON_LOCALSTACK = 60;
/** Requests of which the percentiles are shown, one after the other. */
const REQUESTS = 200;
/** Far below the limits of a customer. */
const ORDERS_OF_A_CUSTOMER = 5;
const ARTICLES = 20;

interface Row {
  readonly what: string;
  readonly local: string;
  readonly localStack?: string | undefined;
}

/** Where orders are placed. */
interface Target {
  readonly apiUrl: string;
  /** Distinguishes one measurement's customers, articles and keys from another's. */
  readonly name: string;
}

/** Runs `npm run bench:local`. */
export async function main(args: readonly string[] = []): Promise<number> {
  let compares: boolean;
  try {
    const options = { 'no-localstack': { type: 'boolean', default: false } } as const;
    compares = !parseArgs({ args: [...args], options }).values['no-localstack'] && hasToolsOfLocalStack();
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`);
    return 2;
  }
  await localAssembly(); // nothing has changed since the last start
  const rows = await ofTheLocalCloud(compares);
  const [first, second] = compares ? await ofLocalStack() : [];
  const all = rows.map((row) => (row.what === SIXTY ? { ...row, localStack: first } : row));
  const shown = all.map((row) => (row.what === WARM ? { ...row, localStack: second } : row));
  const [{ model = 'unknown' } = {}] = cpus();
  console.log(
    `\n${renderTable(shown, compares)}\n\n${availableParallelism()} cores (${model.trim()}), Node ${process.version}`,
  );
  return 0;
}

/** Says what is missing, if something is. */
function hasToolsOfLocalStack(): boolean {
  try {
    checkTools();
    return true;
  } catch (error) {
    if (!(error instanceof MissingToolError)) throw error;
    console.log(`Without LocalStack. ${error.message.split('\n')[0]}`);
    return false;
  }
}

const WARM = `POST /orders, warm, ${REQUESTS} one after the other while their sagas run: p50, p95`;
const SIXTY = `${ORDERS_ON_LOCALSTACK} orders at once, until all are decided`;

async function ofTheLocalCloud(compares: boolean): Promise<readonly Row[]> {
  const rows: Row[] = [
    { what: 'start of a fresh clone, with npm ci', local: await ofAFreshClone() },
    { what: 'start with modules installed, nothing cached', local: await ofOneStart(copyTree(ROOT, 'linked')) },
  ];
  const start = new RunningStart(ROOT);
  try {
    rows.push({ what: 'start, nothing changed since the last one', local: await awaitReady(start) });
    const url = start.found(/Orderly runs at (http:\S+)/);
    rows.push({ what: 'of it the demonstration', local: `${start.found(/demonstration: ([\d.]+) s/)} s` });
    const { apiUrl } = await readDeployment(await findEndpoint(url));
    const warm = await percentiles({ apiUrl, name: 'warm' });
    rows.push({ what: WARM, local: warm });
    const amounts = compares ? [ORDERS_ON_LOCALSTACK, ...ORDERS] : ORDERS;
    for (const count of amounts) {
      const took = await ordersAtOnce({ apiUrl, name: `of${count}` }, count);
      rows.push({
        what: `${count} orders at once, until all are decided`,
        local: `${seconds(took)} (${(took / count).toFixed(0)} ms an order)`,
      });
    }
    rows.push({ what: 'memory after that', local: megabytes(start.pid) });
    return rows;
  } finally {
    await start.end();
  }
}

/** Waits until a start is ready. @returns when it answered, and when it was ready */
async function awaitReady(start: RunningStart): Promise<string> {
  await start.saw(/Ready after (\d+) s/);
  return `answers after ${seconds(start.at(/demonstration \.\.\./))}, ready after ${seconds(start.at(/Ready after/))}`;
}

/** Starts what is in a folder, and ends it again. */
async function ofOneStart(folder: string): Promise<string> {
  const start = new RunningStart(folder);
  try {
    return await awaitReady(start);
  } finally {
    await start.end();
  }
}

/** Installs the dependencies of a copy, and starts it. */
async function ofAFreshClone(): Promise<string> {
  if (!runs('npm', ['ping', '--fetch-retries=0', '--fetch-timeout=5000'])) return 'skipped: npm reaches no registry';
  return ofOneStart(copyTree(ROOT, 'none'));
}

/** @returns the time of its orders, and the percentiles */
async function ofLocalStack(): Promise<readonly [string, string]> {
  const orderly = await runOrderly({ progress: console.log });
  try {
    const { apiUrl } = orderly.deployment;
    const warm = await percentiles({ apiUrl, name: 'warm' });
    return [seconds(await ordersAtOnce({ apiUrl, name: 'stack' }, ORDERS_ON_LOCALSTACK)), warm];
  } finally {
    await orderly.stop();
  }
}

/** An `npm start` in a folder, and when it printed what. */
class RunningStart {
  private readonly began = performance.now();
  private readonly lines: { readonly text: string; readonly at: number }[] = [];
  private readonly child: ChildProcess;
  private ended = false;
  private readonly closed: Promise<void>;

  constructor(folder: string) {
    this.child = spawn(process.execPath, ['tools/run.mjs', 'start'], {
      cwd: folder,
      env: { ...process.env, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const forget = atExit(() => this.child.kill());
    let rest = '';
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n');
      rest = parts.pop() ?? '';
      for (const line of parts) this.lines.push({ text: line, at: performance.now() - this.began });
    });
    this.closed = new Promise((resolve) => {
      this.child.on('close', () => {
        this.ended = true;
        forget();
        resolve();
      });
    });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Waits for a line. @returns its first group. @throws {LocalRunError} if the start ends without it */
  saw(text: RegExp): Promise<string> {
    return waitUntil(
      async () => {
        const found = this.find(text);
        if (!found && this.ended) throw new LocalRunError('The start has ended: see above.');
        return found && text.exec(found.text)?.[1];
      },
      // A start without a cache is silent while it synthesizes, and so is a demonstration that waits for a retry.
      { missing: () => `${text} after ${this.lines.at(-1)?.text}`, everyMs: 20, idleMs: 600_000 },
    );
  }

  /** Returns the first group of a line that was printed. */
  found(text: RegExp): string {
    return text.exec(this.find(text)?.text ?? '')?.[1] ?? '?';
  }

  /** Returns when a line was printed, in milliseconds after the start. */
  at(text: RegExp): number {
    return this.find(text)?.at ?? Number.NaN;
  }

  async end(): Promise<void> {
    this.child.kill('SIGINT');
    await this.closed;
  }

  private find(text: RegExp): { readonly text: string; readonly at: number } | undefined {
    return this.lines.find((line) => text.test(line.text));
  }
}

/** Sets up a shop for a number of orders. @returns a function that places one of them and waits for the answer */
async function shopFor({ apiUrl, name }: Target, count: number): Promise<(at: number) => Promise<OrderView>> {
  const run = Date.now().toString(36);
  const articles: readonly Article[] = Array.from({ length: ARTICLES }, (_, at) => ({
    sku: `${name}-${run}-${at}`.toUpperCase(),
    name: 'Tea',
    price: 350,
    onHand: count,
  }));
  const customers = Array.from(
    { length: Math.ceil(count / ORDERS_OF_A_CUSTOMER) },
    (_, at) => `bench-${name}-${run}-${at}`,
  );
  const operator = makeToken({ sub: 'operator', role: 'operator' });
  // A few at a time: what is measured comes afterwards.
  await openShop({ apiUrl, token: operator }, articles, []);
  for (let at = 0; at < customers.length; at += 10)
    await openShop({ apiUrl, token: operator }, [], customers.slice(at, at + 10));
  const tokens = customers.map((sub) => makeToken({ sub, role: 'customer' }));
  return (at) => place(apiUrl, tokens[at % tokens.length] ?? '', `${name}-${run}-${at}`, articles[at % ARTICLES]);
}

/** Places an order. A throttled request is repeated, as clients do. */
async function place(apiUrl: string, token: string, key: string, article: Article | undefined): Promise<OrderView> {
  const lines = [{ sku: article?.sku, quantity: 1, unitPrice: { amount: article?.price, currency: 'EUR' } }];
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': key };
  return waitUntil(
    async () => {
      const response = await fetch(`${apiUrl}/orders`, { method: 'POST', headers, body: JSON.stringify({ lines }) });
      const body = await response.text();
      if (response.status === 429 || response.status >= 500) return undefined;
      if (!response.ok) throw new LocalRunError(`POST /orders answered ${response.status}: ${body}`);
      return JSON.parse(body) as OrderView;
    },
    { missing: () => `an answer to the order ${key}` },
  );
}

/** @returns milliseconds until each order is approved or rejected */
async function ordersAtOnce(target: Target, count: number): Promise<number> {
  const placeOne = await shopFor(target, count);
  const shop = { apiUrl: target.apiUrl, token: makeToken({ sub: 'operator', role: 'operator' }) };
  const began = performance.now();
  const placed = await Promise.all(Array.from({ length: count }, (_, at) => placeOne(at)));
  // One after the other, so that asking costs little. Nothing moved for a minute: it hangs.
  for (const { orderId } of placed) await awaitDecision(shop, orderId, () => performance.now());
  const took = performance.now() - began;
  console.log(`${count} orders: ${seconds(took)}`);
  return took;
}

async function percentiles(target: Target): Promise<string> {
  const placeOne = await shopFor(target, REQUESTS);
  for (let at = 0; at < 10; at++) await placeOne(at); // warms it up
  const times: number[] = [];
  const placed: OrderView[] = [];
  for (let at = 10; at < REQUESTS; at++) {
    const began = performance.now();
    placed.push(await placeOne(at));
    times.push(performance.now() - began);
  }
  // What is measured next doesn't share the machine with their sagas.
  const operator = makeToken({ sub: 'operator', role: 'operator' });
  for (const { orderId } of placed)
    await awaitDecision({ apiUrl: target.apiUrl, token: operator }, orderId, () => performance.now());
  times.sort((one, other) => one - other);
  const at = (part: number): string => `${(times[Math.floor(times.length * part)] ?? 0).toFixed(0)} ms`;
  return `${at(0.5)}, ${at(0.95)}`;
}

/** Returns the resident memory of a process, by proc(5). */
function megabytes(pid: number): string {
  try {
    const [, kilobytes = ''] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return `${(Number(kilobytes) / 1024).toFixed(0)} MB`;
  } catch {
    return 'unknown (no /proc here)';
  }
}

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`;

function renderTable(rows: readonly Row[], compares: boolean): string {
  const head = ['', 'local cloud', ...(compares ? ['LocalStack'] : [])];
  const lines = [head, ...rows.map((row) => [row.what, row.local, ...(compares ? [row.localStack ?? ''] : [])])];
  const widths = head.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('   ')
        .trimEnd(),
    )
    .join('\n');
}
