import { createInterface } from 'node:readline/promises';
import { OperatorError } from './errors.js';

/** Asks a person a question. @returns their answer; `undefined` where nobody can answer */
export type Ask = (question: string) => Promise<string | undefined>;

/** Asks on the terminal of this process, if it has one. */
export const askOnTerminal: Ask = async (question) => {
  const { stdin, stderr } = process;
  if (!stdin.isTTY || !stderr.isTTY) return undefined;
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
};

/**
 * Lets a person confirm what can't be undone.
 * @param what command and place: `person forget in prod at AWS eu-west-1, account 123456789012`
 * @throws {OperatorError} `refused` without a yes
 */
export async function confirm(what: string, ask: Ask): Promise<void> {
  const answer = await ask(`${what}: this can't be undone. Continue? [y/N] `);
  if (answer === undefined) {
    throw new OperatorError(
      'refused',
      `Not done: ${what} can't be undone, and nobody is here to confirm it.`,
      'add --yes',
    );
  }
  if (!/^y(es)?$/i.test(answer.trim())) throw new OperatorError('refused', 'Not done.');
}
