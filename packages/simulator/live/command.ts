#!/usr/bin/env node
import { existsSync, watch } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { TemplateError } from '../assembly/intrinsics.js';
import { AssemblyNotModelled } from '../assembly/obstacles.js';
import { parseNames, readAssembly } from '../assembly/without-stacks.js';
import { parseClaims, simulatedIssuer } from '../client/issuer.js';
import { checkAssembly } from '../cloud/check-assembly.js';
import { loadOutside } from '../cloud/load-outside.js';
import { renderIgnored, renderObstacles } from '../cloud/render-obstacles.js';
import { differencesOf } from '../deployments/differences.js';
import { CodeNotRunnable } from '../runtime/function-code.js';
import { ModuleUnusable } from '../runtime/import-file.js';
import { pathOf } from './api-addresses.js';
import { LocalCloudClient, LocalCloudRefused, parseDuration } from './client.js';
import { LocalCloud } from './local-cloud.js';
import { adviseOutside } from './outside-advice.js';
import { DEFAULT_PORT, PortInUse } from './server.js';
import { StateRefused } from './state.js';
import { readOutside } from './stub-addresses.js';
import { UsageError } from './usage-error.js';

const USAGE = `orderly-local [folder] [--port <number>] [--host <name>] [--keep <file>] [--logs] [--histories <file>] [--outside <host>=<url>]... [--tolerant]
                                   runs the cloud assembly of a folder (cdk.out) on 127.0.0.1, until Ctrl-C; a new
                                   assembly in the folder is deployed, and what is stored stays
  --host <name>                    allows one more name in a request's Host, beside localhost and 127.0.0.1
  --histories <file>               lets the page play the histories that a module exports (AppHistories)
  --outside cards.example.com=http://127.0.0.1:9000
                                   names a stub of a host that functions call; requests to other hosts fail
  --outside stubs.ts               models of such hosts, as a module exports them by default
  --tolerant                       leaves out what has no model and carries no message, and says what that was
  --without-stacks <names>         leaves out stacks, as in Chat,Emails
orderly-local check [folder] [--without-stacks <names>]
                                   lists all that keeps the assembly from running here
orderly-local forward <duration>   lets time pass at once: 90s, 15m, 2h, 36d
orderly-local fault <construct> <kind> [--next <n>] [--every <n>]
orderly-local calm | reset | status
orderly-local duplicate <id of an event>
orderly-local token <sub> [<claim>=<value>]...
                                   prints a token of the simulated issuer by the cloud's time, as in token vera role=clerk
  --endpoint <url>   of the cloud that a command is for (http://127.0.0.1:${DEFAULT_PORT})`;

const OPTIONS = {
  port: { type: 'string' },
  host: { type: 'string', multiple: true },
  keep: { type: 'string' },
  logs: { type: 'boolean', default: false },
  histories: { type: 'string' },
  tolerant: { type: 'boolean', default: false },
  'without-stacks': { type: 'string' },
  outside: { type: 'string', multiple: true },
  next: { type: 'string', default: '1' },
  every: { type: 'string', default: '1' },
  endpoint: { type: 'string', default: `http://127.0.0.1:${DEFAULT_PORT}` },
  help: { type: 'boolean', default: false },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

/** Runs the command line `orderly-local`. @returns its exit code */
async function main(args: readonly string[]): Promise<number> {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
    if (values.help) {
      console.log(USAGE);
      return 0;
    }
    const [word = 'cdk.out', ...words] = positionals;
    if (word === 'check') return check(words[0] ?? 'cdk.out', parseNames(values['without-stacks']));
    if (word === 'token') return await printToken(new LocalCloudClient(values.endpoint ?? ''), words);
    const command = COMMANDS[word];
    if (!command) return await run(word, values);
    console.log(JSON.stringify(await command(new LocalCloudClient(values.endpoint ?? ''), words, values), null, 2));
    return 0;
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    if (code?.startsWith('ERR_PARSE_ARGS') || error instanceof UsageError) {
      console.error(`${message}\n\n${USAGE}`);
      return 2;
    }
    if (error instanceof AssemblyNotModelled) console.error(renderRefusal(error));
    else if (EXPECTED.some((kind) => error instanceof kind)) console.error(message);
    else
      console.error(code === 'ENOENT' ? `${message}\nIs it a cloud assembly? npx cdk synth --quiet makes one.` : error);
    return 1;
  }
}

const EXPECTED = [
  AssemblyNotModelled,
  CodeNotRunnable,
  LocalCloudRefused,
  ModuleUnusable,
  PortInUse,
  StateRefused,
  TemplateError,
];

/** Says what an assembly has that isn't played, and which command lists all of it. */
const renderRefusal = ({ message }: AssemblyNotModelled): string =>
  `This assembly has what the simulator doesn't play:\n${message}\nAll of it, and what it means: npx orderly-local check <folder>`;

const COMMANDS: Readonly<
  Record<string, (cloud: LocalCloudClient, words: readonly string[], values: Values) => Promise<unknown>>
> = {
  status: (cloud) => cloud.status(),
  forward: (cloud, [duration = '']) => cloud.forward(parseDuration(duration)),
  fault: (cloud, [owner = '', kind = ''], { next, every }) =>
    cloud.injectFault(owner, kind, { next: Number(next), every: Number(every) }),
  calm: (cloud) => cloud.clearFaults(),
  duplicate: (cloud, [id = '']) => cloud.redeliver(id),
  reset: (cloud) => cloud.reset(),
};

/** Prints a token, and nothing else, for `curl -H "Authorization: Bearer $(...)"`. @throws {UsageError} @throws {LocalCloudRefused} */
async function printToken(cloud: LocalCloudClient, [sub, ...words]: readonly string[]): Promise<number> {
  const wrong = words.find((word) => Object.keys(parseClaims([word])).length === 0);
  if (sub === undefined || sub.includes('=') || wrong !== undefined)
    throw new UsageError(
      `token ${[sub, ...words].join(' ').trim()}: a subject and claims were expected, as in token vera role=clerk`,
    );
  const { now } = await cloud.status();
  console.log(simulatedIssuer.token({ sub, ...parseClaims(words) }, Date.parse(now)));
  return 0;
}

/** Lists what stands in the way of an assembly. @returns 1 if anything does */
function check(folder: string, without: readonly string[]): number {
  const obstacles = checkAssembly(folder, without);
  console.log(renderObstacles(folder, obstacles));
  for (const line of adviseOutside(readAssembly(folder, without))) console.log(line);
  return obstacles.length === 0 ? 0 : 1;
}

async function run(
  folder: string,
  { port, host, keep, logs, histories, outside, tolerant, 'without-stacks': without }: Values,
): Promise<number> {
  if (histories !== undefined && !existsSync(histories))
    throw new UsageError(`--histories ${histories}: there is no such file`);
  const named = readOutside(outside ?? []);
  const outsideModels = named.module === undefined ? undefined : await loadOutside(named.module);
  const cloud = await LocalCloud.start({
    folder,
    port: parsePort(port),
    hosts: host,
    keep,
    logInvocations: logs,
    ...(histories !== undefined && { page: { histories: { file: resolve(histories), folder: resolve(folder) } } }),
    tolerant: tolerant === true,
    withoutStacks: parseNames(without),
    outside: named.addresses,
    outsideModels,
    log: (line) => console.log(line),
    smallHeaps: true,
  });
  // Before the line that invites it. A second signal ends the process at once.
  const interrupted = new Promise<number>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, (_name: NodeJS.Signals, number: number) => resolve(number));
  });
  const { obstacles } = cloud.live.cloud.deployment;
  const ignored = renderIgnored(obstacles);
  if (ignored !== undefined) console.log(ignored);
  console.log(`Look at it: ${cloud.pageUrl}`);
  const { apis } = cloud.live.cloud;
  const addresses = apis.map((api) => `\n  ${api.label}: ${cloud.url}${pathOf(api, apis)}`);
  console.log(`${folder} runs at ${cloud.url}${addresses.join('')}`);
  console.log('It is a simulator, not AWS. Ctrl-C ends it.');
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(folder, (_event, name) => {
    if (name !== 'manifest.json') return;
    clearTimeout(timer);
    timer = setTimeout(() => deploy(cloud, folder), SYNTHESIZED_AFTER);
  });
  const signal = await interrupted;
  watcher.close();
  if (ignored !== undefined) console.log(ignored);
  await cloud.stop({ force: () => process.exit(128 + signal) });
  return 0;
}

/** @throws {UsageError} */
function parsePort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new UsageError(`--port ${text}: a number from 1 to 65535 was expected`);
}

/** Milliseconds after the manifest was written in which the CDK writes the other files. */
const SYNTHESIZED_AFTER = 500;

function deploy(cloud: LocalCloud, folder: string): void {
  try {
    const before = cloud.live.cloud.deployment.assembly.stacks;
    const gone = cloud.live.deploy(folder);
    console.log(`${folder} was deployed again${gone.length > 0 ? `; gone: ${gone.join(', ')}` : ''}`);
    for (const line of differencesOf(before, cloud.live.cloud.deployment.assembly.stacks)) console.log(`  ${line}`);
  } catch (error) {
    console.log(`${folder} can't be deployed, so what ran before runs on: ${(error as Error).message}`);
  }
}

process.exitCode = await main(process.argv.slice(2));
