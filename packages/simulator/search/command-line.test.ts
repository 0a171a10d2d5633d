import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeAll, expect, test, vi } from 'vitest';
import { allowStatement, arnOf, CLIENT, functionResource, TABLE, writeAssembly } from '../support/clouds.js';
import { counting, writeQueueShop } from '../support/queue-shop.js';
import { main } from './command-line.js';

const COMMAND = fileURLToPath(new URL('./command.ts', import.meta.url));
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const TSX = import.meta.resolve('tsx');

const folder = mkdtempSync(join(tmpdir(), 'simulate-'));
const inFolder = (name: string): string => join(folder, name);

/** Runs the command in a process of its own. */
const spawnSimulate = (args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
  const { status, stdout } = spawnSync(process.execPath, ['--import', TSX, COMMAND, ...args], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, GITHUB_ACTIONS: '', ...env },
  });
  return { status, stdout };
};

/** Runs the command line in this process, which is faster. */
async function simulate(args: readonly string[], cwd = ROOT) {
  const [out, err]: [string[], string[]] = [[], []];
  const before = { cwd: process.cwd(), interrupted: process.listeners('SIGINT') };
  vi.stubEnv('GITHUB_ACTIONS', '');
  vi.spyOn(console, 'log').mockImplementation((text) => void out.push(`${text}\n`));
  vi.spyOn(console, 'error').mockImplementation((text) => void err.push(`${text}\n`));
  process.chdir(cwd);
  try {
    const status = await main(args);
    return { status, stdout: out.join(''), stderr: err.join('') };
  } finally {
    process.chdir(before.cwd);
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    for (const listener of process.listeners('SIGINT'))
      if (!before.interrupted.includes(listener)) process.off('SIGINT', listener);
  }
}

beforeAll(() => {
  writeFileSync(inFolder('orders.http'), 'POST /v1\n\n{"id":"lamp"}\n');
});

test('a search lists its findings with their causes, and writes JUnit, SARIF, annotations, and a replay of each', async () => {
  const [junit, sarif, out] = ['junit.xml', 'all.sarif', 'found'].map(inFolder) as [string, string, string];
  const { status, stdout } = spawnSimulate(
    [
      ...[writeQueueShop(counting(false)), '--requests', inFolder('orders.http'), '--workers', '2', '--seeds', '2'],
      ...['--without', 'late,very-late', '--out', out, '--junit', junit, '--sarif', sarif],
    ],
    { GITHUB_ACTIONS: 'true' },
  );
  expect(stdout).toContain('BROKEN the tables end as without faults');
  expect(stdout).toMatch(/duplicate at Shop\/Queue: \d+ histor/);
  expect(stdout).toContain('documented: at least once. Source: Amazon SQS');
  expect(stdout).not.toMatch(/^ {2}(very-)?late at/m);
  expect(stdout).toMatch(/\d+ histories, \d+ findings/);
  expect(stdout).toMatch(/^::error title=.*::At Shop/m);
  expect(status).toBe(1);
  expect(readFileSync(junit, 'utf8')).toMatch(/<testsuite .*tests="6" failures="[2-5]"/);
  expect(JSON.parse(readFileSync(sarif, 'utf8'))).toMatchObject({
    version: '2.1.0',
    runs: [{ results: expect.any(Array) }],
  });
  expect(existsSync(join(out, '1.json'))).toBe(true);
  const again = await simulate(['--replay', join(out, '1.json')]);
  expect(again.stdout).toContain('BROKEN ');
  expect(again.status).toBe(1);
  // A request that is sent twice is a history too, and is played again as one.
  const [, twice] =
    /without a fault: 1 history\n(?:.*\n)*? {4}play it again: npx orderly-simulate --replay (\S+)/.exec(stdout) ?? [];
  const repeated = await simulate(['--replay', String(twice)]);
  expect(repeated.stdout.match(/ client POST \/v1$/gm)).toHaveLength(2);
  expect(repeated.stdout).toContain('BROKEN the same request twice leaves the same tables\nPOST /v1, sent twice:');
});

test('an app without a finding exits with 0', async () => {
  const { status, stdout } = await simulate([
    ...[writeQueueShop(counting(true)), '--requests', inFolder('orders.http'), '--workers', '1', '--seeds', '2'],
  ]);
  expect(stdout).toMatch(/\d+ histories, 0 findings/);
  expect(status).toBe(0);
});

test('a scenario in TypeScript is loaded, and its own promise is named', () => {
  writeFileSync(
    inFolder('promises.ts'),
    `export default {
      name: 'one order',
      async play(cloud: { queue(label: string): { send(message: object): void }; world: { settle(): Promise<void> }; listItems(table: string): readonly { orders?: number }[] }) {
        cloud.queue('Shop/Queue').send({ body: '{"id":"lamp"}' });
        await cloud.world.settle();
        const orders = cloud.listItems('Shop/Table').find((item) => item.orders !== undefined)?.orders ?? 0;
        return orders > 1 ? [{ invariant: 'counted once', detail: String(orders) }] : [];
      },
    };`,
  );
  const { status, stdout } = spawnSimulate([
    ...[writeQueueShop(counting(false)), '--scenario', inFolder('promises.ts'), '--workers', '1', '--seeds', '0'],
    ...['--out', inFolder('own')],
  ]);
  expect(stdout).toContain('BROKEN counted once');
  expect(status).toBe(1);
});

/** Sends Ctrl-C to the first process, once. */
const STOP = `const part = process.env.ORDERLY_SIMULATE_WORKER ?? '0';
  if (part.startsWith('0')) globalThis.stopped ??= process.kill(part === '0' ? process.pid : process.ppid, 'SIGINT');`;

test.each([1, 2])(
  'Ctrl-C ends a search of %i processes, which says what it has found until then, and in which scenario',
  (workers) => {
    const scenario = (name: string, stop: string) => `{
    name: '${name}',
    async play(cloud) {
      cloud.queue('Shop/Queue').send({ body: '{"id":"lamp"}' });
      await cloud.world.settle();
      if (cloud.faults.injected.length === 0) return [];
      ${stop}
      return [{ invariant: 'never late', detail: 'late' }];
    },
  }`;
    const file = inFolder('stopped.mjs');
    writeFileSync(
      file,
      `export const one = ${scenario('one', STOP)};
    export const two = ${scenario('two', '')};`,
    );
    const { status, stdout } = spawnSimulate([
      ...[writeQueueShop(counting(false)), '--scenario', file, '--workers', String(workers), '--seeds', '0'],
      ...['--out', inFolder(`stopped-${workers}`)],
    ]);
    expect(stdout).toContain('BROKEN never late');
    // Another process may have begun the second scenario before it gets the signal.
    if (workers === 1) expect(stdout).toContain('Not searched: two');
    expect(stdout).toMatch(/\n\d+ of \d+ histories, \d+ finding/);
    expect(status).toBe(1);
    const replay = JSON.parse(readFileSync(inFolder(`stopped-${workers}/1.json`), 'utf8'));
    expect(replay.name).toBe('one');
  },
);

test('a file that calls checkScenario is searched too', () => {
  const file = inFolder('checked.mjs');
  const prove = pathToFileURL(fileURLToPath(new URL('./prove.ts', import.meta.url)));
  writeFileSync(
    file,
    `import { checkScenario } from '${prove}';
    await checkScenario('nowhere', { name: 'checked', play: async () => [{ invariant: 'never', detail: 'always' }] });`,
  );
  const app = writeQueueShop(counting(true));
  const { stdout } = spawnSimulate([
    app,
    '--scenario',
    file,
    '--workers',
    '1',
    '--seeds',
    '0',
    '--out',
    inFolder('checked'),
  ]);
  expect(stdout).toContain('BROKEN never');
});

test('a finding of the second scenario is played again with it', async () => {
  const file = inFolder('both.mjs');
  writeFileSync(
    file,
    `const make = (name, violations) => ({ name, play: async (cloud) => { cloud.queue('Shop/Queue').send({ body: '{"id":"a"}' }); await cloud.world.settle(); return violations; } });
    export const one = make('one', []);
    export const two = make('two', [{ invariant: 'never', detail: 'always' }]);`,
  );
  const out = inFolder('both');
  await simulate([writeQueueShop(counting(true)), '--scenario', file, '--workers', '1', '--seeds', '0', '--out', out]);
  expect((await simulate(['--replay', join(out, '1.json')])).stdout).toContain('BROKEN never');
});

test.each([
  [['nowhere'], 1, 'Is it a cloud assembly? npx cdk synth --quiet makes one.'],
  [['cdk.out', '--for', 'long'], 2, '--for long: a time such as 90s, 5m or 2h was expected'],
  [['cdk.out', '--without', 'floods'], 2, '--without floods: kinds are answer-lost'],
  [['nowhere', '--requests', 'x.http'], 1, 'Is it a cloud assembly? npx cdk synth --quiet makes one.'],
  [[writeQueueShop(''), '--requests', 'x.http', '--without-stacks', 'Chat'], 1, 'has no stack Chat; there are: Shop'],
])('a wrong command line says what would be right: %j', async (args, code, message) => {
  const { status, stderr } = await simulate(args);
  expect(stderr).toContain(message);
  expect(status).toBe(code);
});

test('the first call writes requests for the routes, the next one plays them, and says what it learns of the app', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'first-'));
  const app = writeQueueShop(counting(false));
  const options = [app, '--workers', '1', '--seeds', '0'];
  const first = await simulate(options, cwd);
  expect(first.stdout).toContain('requests.http is new, with 1 request that your app may expect:\n  POST /');
  expect(first.status).toBe(2);
  const file = join(cwd, 'requests.http');
  const text = readFileSync(file, 'utf8');
  expect(text).toContain('POST /\nContent-Type: application/json\n\n{}');
  writeFileSync(file, text.replace('{}', '{"id":"lamp"}'));
  const next = await simulate(options, cwd);
  expect(next.stderr).toMatch(/^Requests: requests.http\nPlays the requests without faults first/);
  expect(next.stdout).toMatch(
    /\d+ histories, \d+ findings, by the construct where the fault happened:\n(.*\n)* {2}Shop\/Work: .*answer-lost/,
  );
  expect(next.status).toBe(1);
});

test('an app that refuses every request is no app without findings', async () => {
  writeFileSync(inFolder('refused.http'), 'GET /nowhere\n');
  const { status, stderr } = await simulate([writeQueueShop(counting(true)), '--requests', inFolder('refused.http')]);
  expect(stderr).toMatch(/the app refuses every request even without faults:\n {2}GET \/nowhere -> 403 \{"message":/);
  expect(status).toBe(1);
});

test('a stored item is no request: an app that refuses all requests beside it is refused too', async () => {
  const steps = inFolder('put.json');
  const request = { request: 'GET /nowhere' };
  const put = { put: 'Shop/Table', item: { pk: { S: 'lamp' } } };
  writeFileSync(steps, JSON.stringify({ steps: [put, request, request] }));
  const { status, stderr } = await simulate([writeQueueShop(counting(true)), '--requests', steps, '--workers', '1']);
  expect(stderr).toContain('the app refuses every request even without faults:\n  GET /nowhere -> 403');
  expect(status).toBe(1);
});

test('requests that are refused among others are the first lines, and the last ones count them', async () => {
  const file = inFolder('some-refused.http');
  writeFileSync(file, 'GET /nowhere\n\n###\nPOST /\n\n{"id":"lamp"}\n');
  const { status, stdout } = await simulate([
    ...[writeQueueShop(counting(true)), '--requests', file, '--workers', '1', '--seeds', '0'],
  ]);
  const said = '1 request is refused even without faults, so what it would do is not searched';
  expect(stdout).toMatch(new RegExp(`^${said}:\n  GET /nowhere -> 403`));
  expect(stdout).toMatch(new RegExp(`\n\\d+ histories, 0 findings\n${said}, as the first lines list`));
  expect(status).toBe(0);
});

test('dead-letter queues that get messages even without faults are the first lines', async () => {
  const file = inFolder('parked.http');
  writeFileSync(file, 'POST /\n\n{"id":"lamp"}\n');
  const fails = `exports.handler = async () => { throw new Error('the shop is closed'); };`;
  const { stdout } = await simulate([...[writeQueueShop(fails), '--requests', file, '--workers', '1', '--seeds', '0']]);
  expect(stdout).toMatch(/^Even without faults, .*:\n {2}Shop\/Dead \(1 message; first error: .*the shop is closed/);
});

test('the printed command plays a finding again with the options of its search', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'again-'));
  const app = writeQueueShop(counting(false), { Canary: { Type: 'AWS::Synthetics::Canary' } });
  writeFileSync(join(cwd, 'own.http'), 'POST /v1\n\n{"id":"lamp"}\n');
  const { stdout } = await simulate(
    [app, '--requests', 'own.http', '--tolerant', '--workers', '1', '--seeds', '0'],
    cwd,
  );
  const [, printed = ''] = /play it again: npx orderly-simulate (.*)/.exec(stdout) ?? [];
  const again = await simulate(printed.split(' '), cwd);
  expect(again.stdout).toContain('BROKEN ');
  expect(again.stderr).toBe('');
  expect(again.status).toBe(1);
});

test('a module models the hosts that functions call; without it, the app says which host nobody has modelled', async () => {
  const charge = `exports.handler = async (event) => {
    const { status } = await fetch('https://cards.example.com/charges', { method: 'POST' });
    if (status !== 201) throw new Error('charge: ' + status);
    await call('DynamoDB_20120810.PutItem', { TableName: 'Shop-Table', Item: { pk: { S: event.id } } });
  };`;
  const rights = allowStatement(['dynamodb:PutItem'], arnOf('Table'));
  const app = writeAssembly({ Table: TABLE, ...functionResource('Charge', [rights]) }, { Charge: CLIENT + charge });
  const steps = inFolder('steps.json');
  writeFileSync(steps, JSON.stringify({ steps: [{ invoke: 'Shop/Charge', payload: { id: 'lamp' } }] }));
  writeFileSync(
    inFolder('outside.mjs'),
    `export default () => { let charges = 0; return { 'cards.example.com': {
      answer: () => ({ status: ++charges === 1 ? 201 : 409, headers: {}, body: '' }),
      refuse: () => ({ status: 429, headers: {}, body: '' }),
    } }; };`,
  );
  const options = [app, '--requests', steps, '--workers', '1', '--seeds', '0', '--out', inFolder('outside')];
  const without = await simulate(options);
  expect(without.stderr).toContain('functions call cards.example.com, which nobody has modelled');
  const modelled = await simulate([...options, '--outside', inFolder('outside.mjs')]);
  expect(modelled.stdout).toMatch(/answer-lost at Shop\/Charge: \d+ histor/);
  expect(modelled.stdout).not.toContain('Not looked at');
  expect((await simulate(['--replay', inFolder('outside/1.json')])).stdout).toContain('POST cards.example.com/charges');
});

test('a call of AWS without a model names its function and the way out, and a module of models is this way', async () => {
  const code = `exports.handler = async ({ id }) => {
    const { status } = await fetch('https://email.eu-west-1.amazonaws.com/v2/email/outbound-emails', { method: 'POST', body: id });
    if (status !== 200) throw new Error('mail: ' + status);
    await call('DynamoDB_20120810.PutItem', { TableName: 'Shop-Table', Item: { pk: { S: id } } });
  };`;
  const rights = allowStatement(['dynamodb:PutItem'], arnOf('Table'));
  const app = writeAssembly({ Table: TABLE, ...functionResource('Mail', [rights]) }, { Mail: CLIENT + code });
  const steps = inFolder('mail.json');
  writeFileSync(steps, JSON.stringify({ steps: [{ invoke: 'Shop/Mail', payload: { id: 'lamp' } }] }));
  writeFileSync(
    inFolder('mails.mjs'),
    `export default { 'email.eu-west-1.amazonaws.com': {
      answer: () => ({ status: 200, headers: {}, body: '{}' }),
      refuse: () => ({ status: 429, headers: {}, body: '' }),
    } };`,
  );
  const options = [app, '--requests', steps, '--workers', '1', '--seeds', '0', '--out', inFolder('mails')];
  const without = await simulate(options);
  expect(without.stderr).toContain(
    'Shop/Mail calls POST https://email.eu-west-1.amazonaws.com/v2/email/outbound-emails, and the simulator has no model of this. ' +
      '--outside <module> with a model of email.eu-west-1.amazonaws.com answers it; or leave out the requests that lead to it.\n',
  );
  expect(without.status).toBe(1);
  const modelled = await simulate([...options, '--outside', inFolder('mails.mjs')]);
  expect(modelled.stderr).not.toContain('no model');
  expect(modelled.stdout).toMatch(/\d+ histories, \d+ finding/);
});
