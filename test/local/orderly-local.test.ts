import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalCloudClient, simulatedIssuer } from '@orderly/simulator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { arnOf, functionResource, TABLE, writeAssembly } from '../../packages/simulator/support/clouds.js';
import { makeBundle } from '../../tools/bundle.mjs';
import { END_WITH_PARENT } from '../../tools/local/cdk.js';
import { waitUntil } from '../../tools/local/progress.js';
import { isTaken } from '../support/local/port.js';
import { Started } from '../support/local/started.js';

// The command line of the simulator's package, for an app that isn't Orderly: one instance serves the tests in their order.
const WORK = `exports.handler = async ({ number }) => {
  if (number === undefined) throw new TypeError('no number');
  console.log(JSON.stringify({ message: 'works on ' + number }));
  return number;
};`;
const folder = writeAssembly({ Things: TABLE, ...functionResource('Work') }, { Work: WORK });
const home = mkdtempSync(join(tmpdir(), 'orderly-local-'));
const keep = join(home, 'state.json');
const started: Started[] = [];
/** The command line in one file, since it is started a dozen times and its sources take longer to load than it runs. */
let bundle = '';
let url = '';

/** Runs `orderly-local`. */
function orderlyLocal(...args: readonly string[]): Started {
  const one = new Started(process.execPath, ['--import', END_WITH_PARENT, bundle, ...args], process.cwd());
  started.push(one);
  return one;
}
const ends = (...args: readonly string[]) => orderlyLocal(...args).ended();

const RUNS_AT = /runs at (http:\S+)\n/;
let running: Started;
beforeAll(async () => {
  bundle = (await makeBundle(process.cwd(), 'packages/simulator/live/command.ts')) ?? '';
  running = orderlyLocal(folder, '--keep', keep, '--logs');
  [, url = ''] = await running.says(RUNS_AT);
});
afterAll(async () => {
  await Promise.all(started.map((one) => one.kill()));
  for (const path of [folder, home]) rmSync(path, { recursive: true, force: true });
});

/** Sends a request to DynamoDB. */
async function dynamodb(operation: string, input: object): Promise<unknown> {
  const headers = { 'x-amz-target': `DynamoDB_20120810.${operation}`, 'content-type': 'application/x-amz-json-1.0' };
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(input) })).json();
}
const Item = { pk: { S: 'a' } };
const stored = () => dynamodb('GetItem', { TableName: 'Shop-Things', Key: Item });

test('it runs an assembly, and says that it is a simulator', async () => {
  await running.says('It is a simulator, not AWS. Ctrl-C ends it.');
  expect(await dynamodb('PutItem', { TableName: 'Shop-Things', Item })).toEqual({});
  expect(await stored()).toEqual({ Item });
});

test('it prints the address of its console first, and the console is there', async () => {
  const [, page = ''] = await running.says(/^Look at it: (http:\S+)\n.* runs at http/m);
  const answer = await fetch(page, { headers: { accept: 'text/html' } });
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('/_console/console.js')]);
  const script = await fetch(`${url}/_console/console.js`);
  expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect((await script.text()).length).toBeGreaterThan(10_000);
});

test('--logs prints a line for each invocation: function, duration, outcome, what it logged', async () => {
  const invoke = (body: string) =>
    fetch(`${url}/2015-03-31/functions/Shop-Work/invocations`, {
      method: 'POST',
      headers: { authorization: 'AWS4-HMAC-SHA256 Credential=test/20260105/eu-west-1/lambda/aws4_request' },
      body,
    });
  expect(await (await invoke('{"number":1}')).json()).toBe(1);
  await running.says(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z {2}Shop\/Work {2}\d+ ms {2}returned {2}works on 1$/m);
  await invoke('{}');
  await running.says(
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z {2}Shop\/Work {2}\d+ ms {2}failed: TypeError: no number$/m,
  );
});

describe('a command', () => {
  test('prints the status', async () => {
    const { code, output } = await ends('status', '--endpoint', url);
    expect(code, output).toBe(0);
    expect(JSON.parse(output)).toMatchObject({ simulator: true, pid: running.pid, stacks: ['Shop'] });
  });

  test('forwards time', async () => {
    const { code, output } = await ends('forward', '2h', '--endpoint', url);
    expect(code, output).toBe(0);
    expect(JSON.parse(output).ahead).toBeGreaterThan(3_600_000);
  });

  test.each([
    [['forward', 'soon'], 1, "'soon' is no duration: 90s, 15m, 2h, 36d or 1d12h was expected"],
    [['fault', 'Shop/None', 'killed-after'], 1, 'there are Shop/Work, or * for any'],
    [['fault', 'Shop/Work', 'killed-after', '--next', 'many'], 1, 'next: a whole number of at least 1 was expected'],
    [['token'], 2, 'a subject and claims were expected, as in token vera role=clerk'],
    [['token', 'vera', 'clerk'], 2, 'token vera clerk: a subject and claims were expected'],
    [['--nonsense'], 2, 'orderly-local [folder]'],
    [['no-such-folder'], 1, 'Is it a cloud assembly? npx cdk synth --quiet makes one.'],
    [[folder, '--port', 'many'], 2, '--port many: a number from 1 to 65535 was expected'],
    [[folder, '--outside', 'cards.example.com'], 2, '--outside cards.example.com: <host>=<url> was expected'],
    [[folder, '--histories', 'none.mjs'], 2, '--histories none.mjs: there is no such file'],
  ])('%j is refused with words', async (args, code, words) => {
    const ended = await ends(...args, '--endpoint', url);
    expect(ended.code, ended.output).toBe(code);
    expect(ended.output).toContain(words);
    expect(ended.output).not.toContain('    at ');
  });
});

test('it prints a token of the simulated issuer, by its own time', async () => {
  const { now } = await new LocalCloudClient(url).forward(2 * 86_400_000);
  const { code, output } = await ends('token', 'vera', 'role=clerk', '--endpoint', url);
  expect(code, output).toBe(0);
  const claims = JSON.parse(Buffer.from(output.trim().split('.')[1] ?? '', 'base64url').toString());
  expect(claims).toMatchObject({ sub: 'vera', role: 'clerk', iss: simulatedIssuer.auth.issuer });
  expect(claims.iat * 1_000).toBeGreaterThan(Date.parse(now) - 3_600_000);
});

test('a new assembly in the folder is deployed, and what is stored stays', async () => {
  const from = running.output.length;
  const template = JSON.parse(readFileSync(join(folder, 'shop.json'), 'utf8'));
  const more = { Resources: { ...template.Resources, More: TABLE } };
  writeFileSync(join(folder, 'shop.json'), JSON.stringify(more));
  synthesized();
  await running.says(`${folder} was deployed again\n`, from);
  expect(await dynamodb('ListTables', {})).toEqual({ TableNames: ['Shop-More', 'Shop-Things'] });
  expect(await stored()).toEqual({ Item });
});

test('what AWS would delete in the same deployment is said behind it', async () => {
  const from = running.output.length;
  const template = JSON.parse(readFileSync(join(folder, 'shop.json'), 'utf8'));
  const { More: _, ...fewer } = template.Resources;
  writeFileSync(join(folder, 'shop.json'), JSON.stringify({ Resources: fewer }));
  synthesized();
  await running.says('AWS would delete Shop/More (AWS::DynamoDB::Table)', from);
});

test('an assembly that can not be deployed changes nothing', async () => {
  const from = running.output.length;
  const whole = readFileSync(join(folder, 'shop.json'), 'utf8');
  writeFileSync(join(folder, 'shop.json'), '{');
  synthesized();
  await running.says("can't be deployed, so what ran before runs on", from);
  writeFileSync(join(folder, 'shop.json'), whole);
  expect(await stored()).toEqual({ Item });
});

test('Ctrl-C ends it, and --keep gives the next one what was stored', async () => {
  expect(await running.interrupt().ended()).toMatchObject({ code: 0 });
  expect(running.isAlive).toBe(false);
  await expect(new LocalCloudClient(url).status()).rejects.toThrow('no local cloud answers');
  const next = orderlyLocal(folder, '--keep', keep);
  [, url = ''] = await next.says(RUNS_AT);
  expect(await stored()).toEqual({ Item });
  expect(await next.interrupt().ended()).toMatchObject({ code: 0 });
});

test('Ctrl-C ends it in the middle of a forward, and its state is kept', async () => {
  // Nothing of it runs in a thread: only the account is busy, for many seconds.
  const rule = {
    Type: 'AWS::Events::Rule',
    Properties: { ScheduleExpression: 'rate(1 minute)', Targets: [{ Id: 'Inbox', Arn: arnOf('Inbox') }] },
  };
  const rules = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`Rule${at}`, rule]));
  const busy = writeAssembly({ ...rules, Inbox: { Type: 'AWS::SQS::Queue' } });
  const file = join(home, 'forwarded.json');
  const one = orderlyLocal(busy, '--keep', file);
  const [, at = ''] = await one.says(RUNS_AT);
  const forward = orderlyLocal('forward', '3650d', '--endpoint', at);
  const cloud = new LocalCloudClient(at);
  await waitUntil(async () => (await cloud.status()).ahead > 86_400_000 || undefined, { missing: () => one.output });
  expect(await one.interrupt().ended()).toMatchObject({ code: 0 });
  // It was still under way.
  expect((await forward.ended()).output).toContain('no local cloud answers');
  expect(one.isAlive).toBe(false);
  expect(await isTaken(Number(new URL(at).port))).toBe(false);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ format: 'orderly-local' });
  rmSync(busy, { recursive: true, force: true });
});

/** The CDK writes the manifest, too. */
function synthesized(): void {
  const manifest = join(folder, 'manifest.json');
  writeFileSync(manifest, readFileSync(manifest, 'utf8'));
}
