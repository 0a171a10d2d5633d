import { createInterface } from 'node:readline/promises';
import { LocalRunError } from './errors.js';

const ABOUT_DEV_ON_AWS = `ORDERLY_ENDPOINT=aws deploys 'dev' to the account of your shell's credentials, and the internet reaches it:
  - no firewall stands in front of its API, and its functions log at DEBUG;
  - tokens of an operator and two customers, valid for 12 hours, are printed here and written to .orderly/local.json;
  - anyone who can read .orderly/dev-key.json can sign more of them.
Store no real data in it. \`npx cdk destroy --all\` removes it.`;

/**
 * Explains what 'dev' in an account exposes, and continues only after a confirmation: `--yes`, or `dev` at the prompt.
 * @param ask asks at the terminal; `undefined` if there is no terminal
 * @throws {LocalRunError} if nobody confirms
 */
export async function confirmDevOnAws(
  args: readonly string[],
  say: (text: string) => void,
  ask = process.stdin.isTTY ? atTerminal : undefined,
): Promise<void> {
  say(ABOUT_DEV_ON_AWS);
  if (args.includes('--yes')) return;
  if (!ask) throw new LocalRunError('There is no terminal to ask at: ORDERLY_ENDPOINT=aws npm start -- --yes');
  if ((await ask('Type dev to deploy it: ')).trim() !== 'dev') throw new LocalRunError('Nothing was deployed.');
}

async function atTerminal(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}
