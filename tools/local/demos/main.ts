import { LocalRunError } from '../errors.js';
import { onInterruption } from '../interrupted.js';
import { runningEndpoint } from '../local-run.js';
import { Terminal } from '../terminal.js';
import { DEMOS, type Demo, LIST } from './demos.js';
import { Stage } from './stage.js';

/** Runs `npm run demo`: lists the demos, or plays one of them on the running local cloud. */
export async function main(args: readonly string[]): Promise<number> {
  const [name, ...more] = args;
  if (name === undefined || name === '--help') {
    console.log(LIST);
    return 0;
  }
  const demo = DEMOS.find((one) => one.name === name);
  if (!demo || more.length > 0) {
    console.error(
      `${demo ? `Unexpected argument '${more[0]}'.` : `There is no demo '${name}': ${DEMOS.map((one) => one.name).join(', ')}.`}\nCorrect usage: npm run demo ${demo?.name ?? 'charge'}`,
    );
    return 2;
  }
  const endpoint = await runningEndpoint();
  if (!endpoint) throw new LocalRunError('No local cloud runs here.\nNext: npm start   (in another terminal)');
  const terminal = new Terminal();
  const stage = await Stage.open(endpoint, terminal.say);
  let giveBack = (): void => {};
  const interruption = new Promise<number>((resolve) => {
    giveBack = onInterruption((signal) => resolve(128 + signal));
    // Nobody reads any more, as behind `| head`.
    process.stdout.once('error', () => resolve(1));
  });
  try {
    const play = terminal.during(() => playDemo(demo, stage, terminal));
    const code = await Promise.race([interruption, play.then(() => 0)]);
    if (code === 0) return 0;
    await stage.interrupt();
    if (code > 1) terminal.say('\nInterrupted. What it broke is mended.');
    // The rest of the demo would still be played.
    process.exit(code);
  } finally {
    giveBack();
  }
}

/** Plays a demo, and makes good what it has broken, however it ends. */
export async function playDemo(
  { name, pattern, about, warning, play }: Demo,
  stage: Stage,
  terminal: Pick<Terminal, 'say' | 'colour'>,
): Promise<void> {
  terminal.say(terminal.colour('bold', `${name}: ${about} (${pattern})`));
  if (warning !== undefined) terminal.say(terminal.colour('dim', warning));
  try {
    await play(stage);
  } finally {
    await stage.repair();
  }
}
