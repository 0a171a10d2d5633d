// Entry point of every npm script. It is plain JavaScript without dependencies, because it runs before they are installed.
//   node tools/run.mjs <command> [arguments]
// Installs missing dependencies, then runs the command's `main` in this process. A child process would need code to pass on
// signals, exit codes and the end of the parent.
import { accessSync, constants } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { install, installed } from './install.mjs';

const COMMANDS = {
  start: './local/start.ts',
  test: './local/test.ts',
  deploy: './local/deploy.ts',
  demo: './local/demos/main.ts',
  token: './local/token.ts',
  orderly: '../bin/orderly.ts',
  simulate: '../test/simulation/simulate.ts',
  'simulate-planted': '../test/simulation/simulate-planted.ts',
  fuzz: '../test/simulation/fuzz.ts',
  'fuzz-api': './local/fuzz/fuzz-api.ts',
  'foreign-clients': './local/foreign/foreign-clients.ts',
  nightly: './local/nightly.ts',
  'bench-event-store': './bench/event-store.ts',
  'bench-hot-key': './bench/hot-key.ts',
  'bench-hot-account': './bench/hot-account.ts',
  'bench-cpu': './bench/cpu.ts',
  'bench-latency': './bench/latency.ts',
  'bench-day': './bench/operators-day.ts',
  'bench-local': './bench/local.ts',
  cost: './cost/main.ts',
  'drill-restore': '../test/simulation/restore-drill.ts',
  conformance: './conformance/conformance.ts',
  prove: './prove/main.ts',
  strangers: './strangers/main.ts',
  docs: './docs/write.ts',
  screenshots: './local/screenshots.ts',
  'supply-chain': './release/supply-chain.ts',
  smoke: './release/smoke.ts',
  pack: './release/pack.ts',
  'release-check': './release/release-check.ts',
};
const root = fileURLToPath(new URL('../', import.meta.url)).replace(/[/\\]$/, '');

function fail(message, code = 1) {
  console.error(message);
  process.exit(code);
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 20)) return;
  fail(`Orderly needs Node 20.20 or newer (22 advised); this is ${process.versions.node}: https://nodejs.org`);
}

/** What a person can do about an error, instead of its stack. */
function explained(error) {
  // The message of a LocalRunError says how to fix it. A stack trace would hide the message.
  if (error?.name === 'LocalRunError') return error.message;
  const { code, path = '' } = error ?? {};
  if (code === 'ENOSPC') return 'The disk is full (ENOSPC): make room, and run the same again.';
  if (['EACCES', 'EPERM', 'EROFS'].includes(code) && String(path).startsWith(root))
    return `This clone can't be written: ${path} (${code}). Its commands keep files in node_modules, .build and .orderly: clone it to a folder of your own, or mend the owner and the rights of this one.`;
  const stack = String(error?.stack ?? error);
  return tools?.withSources(stack) ?? stack;
}

/**
 * Commands that run from a bundle, and their entry points: operators wait for `orderly`, many times a day, and readers for `demo`;
 * `start` runs for long, and the loader of the sources would take a tenth of its memory for as long.
 */
const BUNDLED = { orderly: 'bin/orderly.ts', start: 'tools/local/start.ts', demo: 'tools/local/demos/main.ts' };

/** Imports the module of a command: from its bundle, or by the loader of the sources. */
async function imported() {
  const bundle = fresh ?? (await tools?.makeBundle(root, entry));
  if (bundle !== undefined) return import(pathToFileURL(bundle).href);
  const { register } = await import('tsx/esm/api');
  register();
  return import(COMMANDS[command]);
}

const [command, ...args] = process.argv.slice(2);
checkNode();
if (!Object.hasOwn(COMMANDS, command ?? '')) fail(`usage: node tools/run.mjs ${Object.keys(COMMANDS).join(' | ')}`, 2);
const entry = BUNDLED[command];
const tools = entry === undefined ? undefined : await import('./bundle.mjs');
const fresh = tools?.freshBundle(root, entry);
try {
  // A bundle is fresh only if nothing was installed or asked for since.
  if (fresh === undefined && !installed(root)) {
    accessSync(root, constants.W_OK);
    await install(root);
  }
} catch (error) {
  fail(explained(error));
}
process.chdir(root);
// The AWS SDK warns at every start that Node 20 is old, and so would each child process.
process.env.NODE_NO_WARNINGS = '1';
process.removeAllListeners('warning');
// A signal ends the process like any exit, so exit handlers clean up. The end of the npm that started it does the same.
for (const [signal, number] of [
  ['SIGHUP', 1],
  ['SIGINT', 2],
  ['SIGTERM', 15],
])
  process.on(signal, () => process.exit(128 + number));
const parent = process.ppid;
if (process.env.npm_lifecycle_event) setInterval(() => process.ppid === parent || process.exit(1), 1000).unref();
if (tools) process.on('uncaughtException', (error) => fail(explained(error)));
try {
  const { main } = await imported();
  process.exitCode = await main(args);
} catch (error) {
  fail(explained(error));
}
