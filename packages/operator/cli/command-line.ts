import { parseArgs } from 'node:util';
import type { CommandInput, CommandOptions, OperatorCommand, ParsedCommand } from './command.js';
import type { OperatedApp } from './context.js';
import { findSimilarWord } from './did-you-mean.js';
import { OperatorError } from './errors.js';
import { commandFormatter } from './text-format.js';

/** Commands of a command line, and what its help says (`OperatedApp`). */
export interface CommandSet extends Pick<OperatedApp, 'program' | 'where' | 'version'> {
  /** In the order of the help. */
  readonly commands: readonly OperatorCommand[];
}

/** A valid command line: a call of a command, or what is printed at once: help, or a script. */
export type CommandLine =
  | { readonly help: string }
  | (ParsedCommand & {
      readonly help?: never;
      readonly name: string;
      /** Environment of the deployment: `dev`, `prod`. */
      readonly environment: string;
      /** Whether to print one JSON object instead of text. */
      readonly json: boolean;
      /** Named profile and region of AWS's configuration. @default those of the shell */
      readonly profile: string | undefined;
      readonly region: string | undefined;
      /** Whether the caller has confirmed what can't be undone. */
      readonly yes: boolean;
      /** Whether the call changes something. */
      readonly changes: boolean;
      /** Whether the call works before anything is deployed. */
      readonly worksBefore: boolean;
      /** Whether the call can't be undone, and nobody has confirmed it yet. */
      readonly toConfirm: boolean;
    });

/** Options that every command accepts. */
const COMMON = {
  environment: { type: 'string', default: 'dev' },
  json: { type: 'boolean', default: false },
  profile: { type: 'string' },
  region: { type: 'string' },
  yes: { type: 'boolean', short: 'y', default: false },
  help: { type: 'boolean', short: 'h', default: false },
  version: { type: 'boolean', default: false },
} as const;

/**
 * Reads a command line.
 * @throws {OperatorError} `usage`, with the mistake and a correct example
 */
export function readCommandLine(args: readonly string[], set: CommandSet): CommandLine {
  const { commands } = set;
  const { values, positionals: given, named } = parseArguments(args, commands);
  const { environment, json, profile, region, yes } = values;
  if (values.version) {
    if (set.version !== undefined) return { help: set.version };
    throw new OperatorError('usage', 'This tool does not know its version.', ['--help']);
  }
  // `help failures` asks for the same as `failures --help`.
  const asksHelp = given[0] === 'help' && !commands.some(({ name }) => name === 'help');
  const positionals = asksHelp ? given.slice(1) : given;
  const help = values.help || asksHelp;
  const [first, second] = positionals;
  const isGroup = commands.some(({ name }) => name.startsWith(`${first} `));
  const name = isGroup ? `${first} ${second ?? ''}`.trim() : (first ?? '');
  const command = commands.find((one) => one.name === name);
  if (!command) {
    if (first === undefined) return { help: renderOverview(set) };
    if (isGroup && (second === undefined || help)) return { help: renderGroup(first, set) };
    if (help && !asksHelp) return { help: renderOverview(set) };
    throw unknownCommand(name, isGroup, commands);
  }
  if (help) return { help: renderHelp(command, set) };
  const wrong = (mistake: string): OperatorError => new OperatorError('usage', mistake, command.example);
  const words = positionals.slice(name.split(' ').length);
  const foreign = named.find((option) => !Object.hasOwn({ ...COMMON, ...command.options }, option));
  if (foreign !== undefined) {
    throw wrong(
      `'${name}' has no option --${foreign}.${suggestWord(foreign, Object.keys({ ...COMMON, ...command.options }), '--')}`,
    );
  }
  const missing = command.positionals[words.length];
  if (missing !== undefined && !missing.endsWith('?')) throw wrong(`'${name}' needs the ${missing}.`);
  const excess = words[command.positionals.length];
  if (excess !== undefined)
    throw wrong(
      `Unexpected argument '${excess}'. '${name}' takes ${command.positionals.length === 0 ? 'none' : `only ${command.positionals.length}`}.`,
    );
  if (!/^[a-z][a-z0-9-]*$/.test(environment))
    throw wrong(`Invalid environment name '${environment}': expected lower-case letters, digits and hyphens.`);
  const input = { words, options: pickOptionValues(command.options, values), wrong, commands };
  if (command.print) return { help: command.print(input, { program: set.program, commands, common: COMMON }) };
  const dryRun = Reflect.get(values, 'dry-run') === true;
  const changes = !dryRun && isChange(command, values);
  const worksBefore = command.worksBefore !== undefined && Reflect.get(values, command.worksBefore) === true;
  const asksItself = command.asksWith !== undefined && Reflect.get(values, command.asksWith) !== undefined;
  const toConfirm = command.irreversible === true && !yes && !dryRun && !asksItself;
  return { name, environment, json, profile, region, yes, changes, worksBefore, toConfirm, ...command.parse(input) };
}

/** Whether a call changes something, unless it is a dry run. Commands that only read have no dry run. */
const isChange = ({ irreversible, options, changesWith }: OperatorCommand, values: object): boolean =>
  changesWith === undefined
    ? irreversible === true || Object.hasOwn(options, 'dry-run')
    : Reflect.get(values, changesWith) === true;

function unknownCommand(name: string, isGroup: boolean, commands: readonly OperatorCommand[]): OperatorError {
  const names = commands.map((command) => command.name);
  // 'failures' alone, or with a wrong second word: those of its group.
  const group = names.filter((one) => one.startsWith(`${name.split(' ')[0]} `));
  const groups = [...new Set(names.map((one) => one.split(' ')[0] ?? ''))];
  const near = isGroup ? findSimilarWord(name, group) : findSimilarWord(name, [...names, ...groups]);
  const listed = near === undefined && isGroup ? ` There are: ${group.join(', ')}.` : '';
  const said = near === undefined ? listed : ` Did you mean '${near}'?`;
  return new OperatorError('usage', `There is no command '${name}'.${said}`, ['--help']);
}

const suggestWord = (word: string, known: readonly string[], before = ''): string => {
  const near = findSimilarWord(word, known);
  return near === undefined ? '' : ` Did you mean ${before}${near}?`;
};

function parseArguments(args: readonly string[], commands: readonly OperatorCommand[]) {
  try {
    const { values, positionals, tokens } = parseArgs({
      args: [...args],
      options: { ...mergeOptions(commands, args), ...COMMON },
      allowPositionals: true,
      tokens: true,
    });
    const named = tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []));
    return { values, positionals, named };
  } catch (error) {
    const message = error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error);
    const [, unknown] = /^Unknown option '--?([\w-]+)'/.exec(message) ?? [];
    const near =
      unknown === undefined
        ? ''
        : suggestWord(unknown, Object.keys({ ...mergeOptions(commands, args), ...COMMON }), '--');
    throw new OperatorError('usage', `${message}.${near}`, ['--help'], { cause: error });
  }
}

/**
 * Returns the options of all commands: which words are values is known only with them. An option with two types has that of the command
 * whose name comes first: `doctor --before`, and `failures list --before <time>`.
 */
function mergeOptions(
  commands: readonly OperatorCommand[],
  args: readonly string[],
): Record<string, { readonly type: 'boolean' | 'string' }> {
  const place = ({ name }: OperatorCommand): number => ` ${args.join(' ')} `.indexOf(` ${name} `);
  const named = commands.filter((command) => place(command) >= 0).toSorted((one, other) => place(other) - place(one));
  return Object.fromEntries(
    [...commands, ...named].flatMap(({ options }) =>
      Object.entries(options).map(([name, { type }]) => [name, { type }]),
    ),
  );
}

/** Returns the values of a command's own options. */
const pickOptionValues = (
  options: CommandOptions,
  values: Readonly<Record<string, unknown>>,
): CommandInput['options'] =>
  Object.fromEntries(
    Object.entries(options).map(([name, option]) => [
      name,
      option.type === 'boolean' ? values[name] === true : ((values[name] as string | undefined) ?? option.default),
    ]),
  );

const EXIT_CODES = `Exit codes:
  0   done, or complete
  1   not found, refused, or unreachable; 'status': not healthy; 'doctor': it has findings
  2   wrong call
  3   pending
  4   something failed and waits for you
  5   the first message of a group failed again, so no other was sent`;

const commonHelp = ({ where }: CommandSet): string => `  --environment <name>  default dev
  --profile, --region   profile and region of AWS, as its command line has them; without --region, that of the profile
  --yes                 confirms what can't be undone; without it, you are asked outside of an emulator
  --json                one JSON object${where === undefined ? '' : `\n\n${where}`}`;

function renderHelp({ usage, about, details, example }: OperatorCommand, set: CommandSet): string {
  const right = commandFormatter(set.program)(...example);
  return `${set.program} ${usage}\n  ${about}\n\n${details}\n${commonHelp(set)}\n\nExample: ${right}`;
}

/** Lists the commands of a group: `failures`. */
function renderGroup(group: string, { commands, program }: CommandSet): string {
  const own = commands.filter(({ name }) => name.startsWith(`${group} `));
  const listed = own.map(({ usage, about }) => `  ${usage}\n      ${about}`).join('\n');
  return `${program} ${group} <command>\n\n${listed}\n\nWith each:\n  --help                more about it`;
}

function renderOverview(set: CommandSet): string {
  const commands = set.commands.map(({ usage, about }) => `  ${usage}\n      ${about}`).join('\n');
  return `The operator's command line: ${set.program} <command>\n\n${commands}\n\nWith each:\n  --help                more about it\n${set.version === undefined ? '' : '  --version             the release of this tool\n'}${commonHelp(set)}\n\n${EXIT_CODES}`;
}
