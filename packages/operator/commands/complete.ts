import { type FindNames, type OperatorCommand, operatorCommand } from '../cli/command.js';
import { Exit } from '../cli/errors.js';

/** Names that a shell offers. */
interface NamesRequest {
  readonly find: FindNames | undefined;
  /** Words behind the command's name. */
  readonly words: readonly string[];
}

/** Prints the names that can follow a line, for the scripts of `completion`: only the environment knows them. */
export const completeCommand: OperatorCommand = operatorCommand({
  name: 'complete',
  usage: 'complete --line "<words>" [--option <option>]',
  positionals: [],
  options: { line: { type: 'string', default: '' }, option: { type: 'string' } },
  example: ['complete', '--line', 'consumers pause'],
  about: "prints names that can follow a line, for the scripts of 'completion'",
  details: `  --line    words that stand already, without options
  --option  option whose value is asked for`,
  parse: ({ options: { line, option }, commands = [] }): NamesRequest => {
    const words = line.split(/\s+/).filter((word) => word !== '');
    const command = commands.find(({ name }) => name.split(' ').every((word, at) => words[at] === word));
    const behind = words.slice(command?.name.split(' ').length);
    if (option === undefined) return { find: command?.names?.word, words: behind };
    return { find: command?.names?.options?.[option.replace(/^--/, '')], words: [] };
  },
  run: async (context, { find, words }) => {
    const names = (await find?.(context, words)) ?? [];
    return { exitCode: Exit.OK, text: names.join('\n'), json: { names } };
  },
});
