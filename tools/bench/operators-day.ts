import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { LocalCloud, LocalCloudClient } from '@orderly/simulator';
import { localAssembly } from '../local/assembly.js';
import { dueRecords } from '../local/awaits.js';
import { runDemo } from '../local/demo.js';
import { readDeployment } from '../local/deploy.js';
import { devTokens } from '../local/dev-issuer.js';
import { findEndpoint } from '../local/endpoint.js';
import { Events } from '../local/events.js';
import { orderlyToys } from '../local/page-toys.js';

// npm run bench:day: the questions of an operator's day, each answered by a command, with the command's CPU seconds. Orders, a declined
// card, malformed events, a consumer that crashes and a paused one are there before. It asserts nothing.

const RUN = fileURLToPath(new URL('../run.mjs', import.meta.url));
/** Malformed events, and failures with them: a publisher that sends nonsense. */
const MALFORMED = 75;
const SETTLED_MS = 120_000;

interface Question {
  readonly asks: string;
  /** Words of the command that answers it. */
  readonly words: readonly string[];
}

/** Runs `npm run bench:day`. */
export async function main(): Promise<number> {
  const folder = await localAssembly();
  const cloud = await LocalCloud.start({ folder, log: () => undefined, nextWorkAt: dueRecords });
  try {
    const orderId = await makeTrouble(cloud);
    console.log('| question | command | exit code | CPU seconds |\n|---|---|---|---|');
    const cause = causeIn((await ask(cloud.url, ['failures', 'causes', '--json'])).output);
    for (const { asks, words } of questions(orderId, cause)) {
      const { code, seconds } = await ask(cloud.url, words);
      console.log(`| ${asks} | \`${words.join(' ')}\` | ${code} | ${seconds.toFixed(1)} |`);
    }
    return 0;
  } finally {
    await cloud.stop();
  }
}

const questions = (orderId: string, cause: string): readonly Question[] => [
  { asks: 'Is it healthy, and what fails now?', words: ['status'] },
  { asks: 'Where is order X? What came twice, what crashed, what is not published?', words: ['order', orderId] },
  { asks: 'Was anything lost, or done twice?', words: ['audit', '--since', '1h', '--grace', '10s'] },
  { asks: 'What failed, why, and whom does it concern?', words: ['failures', 'causes'] },
  { asks: 'How long will a redrive of all of it take?', words: ['failures', 'redrive', '--cause', cause, '--dry-run'] },
  { asks: 'Who takes care of it?', words: ['failures', 'annotate', cause, '--owner', 'alice', '--ticket', '4711'] },
  {
    asks: 'Which orders were rejected in the last hour, and why?',
    words: ['orders', '--status', 'rejected', '--since', '1h'],
  },
  { asks: "Where are alice's orders?", words: ['orders', '--customer', 'alice', '--since', '1h'] },
  { asks: 'Which consumers are paused, by whom, and what waits?', words: ['consumers', 'list'] },
  { asks: 'Which sagas wait?', words: ['sagas', 'list'] },
  { asks: 'Who did what?', words: ['audit-log', '--since', '1h'] },
];

/** Plays the demonstration, and then what goes wrong on a bad day. @returns the id of an order */
async function makeTrouble(cloud: LocalCloud): Promise<string> {
  const endpoint = await findEndpoint(cloud.url);
  const deployment = await readDeployment(endpoint);
  const { orders } = await runDemo({
    orderly: { endpoint, deployment },
    tokens: devTokens(),
    progress: () => undefined,
  });
  const client = new LocalCloudClient(cloud.url);
  const declined = orderlyToys().find(({ id }) => id === 'declined');
  await declined?.play({ url: cloud.url, ahead: 0 });
  const events = new Events(endpoint, deployment.outputs);
  await events.send(
    Array.from({ length: MALFORMED }, () => ({
      Source: 'orderly.orders',
      DetailType: 'OrderPlaced',
      Detail: JSON.stringify({ id: randomBytes(16).toString('hex'), data: 'nonsense' }),
    })),
  );
  await client.forward(SETTLED_MS);
  await ask(cloud.url, ['consumers', 'pause', 'reservations', '--reason', 'it is looked at']);
  await client.injectFault('Inventory/OnCommands', 'crashed', { next: 4_000 });
  await declined?.play({ url: cloud.url, ahead: SETTLED_MS });
  await client.forward(SETTLED_MS);
  return orders[0]?.orderId ?? '';
}

/** Runs a command as a person does, in a process of its own. @returns its exit code, its CPU seconds, and what it printed */
async function ask(url: string, words: readonly string[]) {
  // `times` of a POSIX shell has the user and system times of the shell, and below them those of its children.
  const script = '"$@"; echo "exit code $?" >&2; times >&2';
  const child = spawn('sh', ['-c', script, 'sh', process.execPath, RUN, 'orderly', ...words], {
    env: { ...process.env, ORDERLY_ENDPOINT: url, NO_COLOR: '1' },
  });
  const [output, said] = await Promise.all([readAll(child.stdout), readAll(child.stderr)]);
  const [, code = ''] = /^exit code (\d+)$/m.exec(said) ?? [];
  const ofChildren = said.trimEnd().split('\n').at(-1) ?? '';
  const seconds = [...ofChildren.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, rest]) => sum + 60 * Number(minutes) + Number(rest),
    0,
  );
  return { code, seconds, output };
}

async function readAll(stream: Readable): Promise<string> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += chunk;
  return text;
}

/** Finds the largest cause of failures. */
function causeIn(json: string): string {
  const { causes } = JSON.parse(json) as { readonly causes: readonly { readonly id: string }[] };
  return causes[0]?.id ?? '';
}
