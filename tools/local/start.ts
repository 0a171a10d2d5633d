import { parseArgs } from 'node:util';
import { stubAddresses } from '../../packages/simulator/live/stub-addresses.js';
import { UsageError } from '../../packages/simulator/live/usage-error.js';
import { confirmDevOnAws } from './confirm.js';
import { LocalRunError } from './errors.js';
import { announceStart, otherStarts, STATE } from './local-run.js';
import { aboutOthers } from './other-starts.js';

const USAGE = `npm start                    Orderly in a local cloud: models of AWS in this process, which need Node only
npm start -- [options]
  --port <number>   port on 127.0.0.1 (default: 4566, or else the next free one)
  --host <name>     one more name that a request's Host may have (default: localhost, 127.0.0.1)
  --keep            takes up what the last start with --keep left in .orderly/state, and leaves its own there
  --logs            prints a line for each invocation of a function
  --traces <url>    sends traces to this receiver of OTLP over HTTP: http://127.0.0.1:4318
  --outside <host>=<url>   names a stub of a host outside of AWS: shop.example.com=http://127.0.0.1:9000 gets its webhooks
  --no-demo         places no orders
  --localstack      on LocalStack instead (needs Python, Java and Maven)
ORDERLY_ENDPOINT=http://<host>:<port> npm start       on an emulator of your own
ORDERLY_ENDPOINT=aws npm start [-- --yes]             in the AWS account of your shell`;

const OPTIONS = {
  port: { type: 'string' },
  host: { type: 'string', multiple: true },
  keep: { type: 'boolean', default: false },
  logs: { type: 'boolean', default: false },
  traces: { type: 'string' },
  outside: { type: 'string', multiple: true },
  'no-demo': { type: 'boolean', default: false },
  localstack: { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** Runs `npm start`: Orderly on this machine, with a demonstration in which every event arrives twice, until Ctrl-C. */
export async function main(args: readonly string[] = []): Promise<number> {
  const options = parseOptions(args);
  if (typeof options === 'string') {
    console.error(options);
    return 2;
  }
  if (options.help) {
    console.log(USAGE);
    return 0;
  }
  if (process.env.ORDERLY_ENDPOINT === 'aws') await confirmDevOnAws(args, console.log);
  const port = parsePort(options.port);
  const { keep } = options;
  const traces = parseReceiver(options.traces);
  const outside = parseStubs(options.outside ?? []);
  const others = aboutOthers(otherStarts(), { keep, endpoint: process.env.ORDERLY_ENDPOINT });
  if (others) console.log(others);
  announceStart(keep ? STATE : undefined);
  // Loading either takes longer than refusing a wrong option.
  if (process.env.ORDERLY_ENDPOINT || options.localstack)
    return (await import('./start-emulator.js')).startOnEmulator();
  return (await import('./start-local.js')).startLocalCloud({
    ...options,
    hosts: options.host,
    demo: !options['no-demo'],
    port,
    traces,
    outside,
  });
}

/** @returns the options, or what is wrong with them */
function parseOptions(args: readonly string[]) {
  try {
    const { values } = parseArgs({ args: [...args], options: OPTIONS });
    const elsewhere = Boolean(process.env.ORDERLY_ENDPOINT) || values.localstack;
    const given = (['port', 'host', 'keep', 'logs', 'traces', 'outside'] as const).find((name) => values[name]);
    if (elsewhere && given)
      return `--${given} is for the local cloud only, not for LocalStack or ORDERLY_ENDPOINT.\n\n${USAGE}`;
    return values;
  } catch (error) {
    return `${(error as Error).message.split('. ')[0]}.\n\n${USAGE}`;
  }
}

/** @throws {LocalRunError} */
function parseReceiver(text: string | undefined): string | undefined {
  if (text === undefined || (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol))) return text;
  throw new LocalRunError(`--traces ${text}: the address of a receiver was expected, such as http://127.0.0.1:4318.`);
}

/** @throws {LocalRunError} */
function parseStubs(texts: readonly string[]): Readonly<Record<string, string>> {
  try {
    return stubAddresses(texts);
  } catch (error) {
    if (error instanceof UsageError) throw new LocalRunError(error.message);
    throw error;
  }
}

/** @throws {LocalRunError} */
function parsePort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new LocalRunError(`--port ${text}: a number from 1 to 65535 was expected.`);
}
