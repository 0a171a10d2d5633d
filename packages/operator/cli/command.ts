import type { CommandContext } from './context.js';
import type { OperatorError } from './errors.js';
import type { Outcome } from './outcome.js';

/** Options of a command by their names, without `--`. An option with a value takes the next word. */
export type CommandOptions = Readonly<
  Record<string, { readonly type: 'boolean' } | { readonly type: 'string'; readonly default?: string }>
>;

type ValueOf<Option> = Option extends { readonly type: 'boolean' }
  ? boolean
  : Option extends { readonly default: string }
    ? string
    : string | undefined;

/** Finds names for the completion of a shell. A failure is no name. */
export type FindNames = (context: CommandContext, words: readonly string[]) => Promise<readonly string[]>;

/** Names that only an environment knows: of consumers, of causes. */
export interface KnownNames {
  /** Finds what the next word may be. `words` are those behind the command's name. */
  readonly word?: FindNames;
  /** Finds what the value of an option may be, by the option's name without `--`. */
  readonly options?: Readonly<Record<string, FindNames>>;
}

/** How a command is called, and what its help says. */
export interface CommandUsage<
  Words extends readonly string[] = readonly string[],
  Own extends CommandOptions = CommandOptions,
> {
  /** One or two words: `failures show`. */
  readonly name: string;
  /** Synopsis without the program: `failures show <consumer> <message id> [--payload]`. */
  readonly usage: string;
  /** Names of the words behind the command's name. A word is required, unless its name ends in `?`: then so do all after it. */
  readonly positionals: Words;
  /** Options beside those that every command accepts: `--environment`, `--json`, `--help`. */
  readonly options: Own;
  /** Words of a valid call. */
  readonly example: readonly string[];
  /** One line in the overview. */
  readonly about: string;
  readonly details: string;
  /** Whether its work can't be undone: then it asks before, outside of an emulator. @default false */
  readonly irreversible?: boolean;
  /** Option with which the command itself asks, because it says first how much it is. @default it is asked for before it runs */
  readonly asksWith?: string;
  /** Option with which it works before anything is deployed. @default it needs a deployment */
  readonly worksBefore?: string;
  /** Names that can follow, for the completion of a shell. @default those of its options only */
  readonly names?: KnownNames;
  /** Option with which alone it changes something. @default it does if it can't be undone, or has an option `dry-run` */
  readonly changesWith?: string;
}

/** A call of a command: as many words as it has positionals, and a value for each of its options. */
export interface CommandInput<
  Words extends readonly string[] = readonly string[],
  Own extends CommandOptions = CommandOptions,
> {
  readonly words: { readonly [At in keyof Words]: Words[At] extends `${string}?` ? string | undefined : string };
  readonly options: { readonly [Name in keyof Own]: ValueOf<Own[Name]> };
  /** Returns the `usage` error for a mistake in the call, with the command's example. */
  readonly wrong: (mistake: string) => OperatorError;
  /** All commands of the command line. @default none */
  readonly commands?: readonly OperatorCommand[];
}

/** A command as its author writes it. */
export interface CommandDefinition<Words extends readonly string[], Own extends CommandOptions, Request extends object>
  extends CommandUsage<Words, Own> {
  /**
   * Reads a call.
   * @throws {OperatorError} `wrong(...)`
   */
  readonly parse: (given: CommandInput<Words, Own>) => Request;
  /** @throws {OperatorError} if it ends without a result */
  readonly run: (context: CommandContext, request: Request) => Promise<Outcome>;
}

/** A command of a command line; `operatorCommand` makes one. */
export interface OperatorCommand extends CommandUsage {
  readonly parse: (given: CommandInput) => ParsedCommand;
  /**
   * Returns what the command prints; it then needs no environment, and `parse` is not called.
   * @throws {OperatorError} `given.wrong(...)`
   * @default it runs in an environment
   */
  readonly print?: (given: CommandInput, all: CommandCatalog) => string;
}

/** The command line that a command is part of. */
export interface CommandCatalog {
  readonly program: string;
  readonly commands: readonly OperatorCommand[];
  /** Options that every command accepts. */
  readonly common: CommandOptions;
}

/** A valid call of a command. */
export interface ParsedCommand {
  readonly request: object;
  readonly run: (context: CommandContext) => Promise<Outcome>;
}

/**
 * Defines a command.
 * @example
 * export const seatCommand = operatorCommand({
 *   name: 'seat',
 *   usage: 'seat <seat id>',
 *   positionals: ['seat id'],
 *   options: {},
 *   example: ['seat', '14A'],
 *   about: 'who holds a seat',
 *   details: 'Ends with 0, or 1 if there is no such seat.',
 *   parse: ({ words: [seatId] }) => ({ seatId }),
 *   run: showSeat,
 * });
 */
export const operatorCommand = <
  const Words extends readonly string[],
  const Own extends CommandOptions,
  Request extends object,
>({
  parse,
  run,
  ...usage
}: CommandDefinition<Words, Own, Request>): OperatorCommand => ({
  ...usage,
  parse: (given) => {
    // `readCommandLine` has counted the words and given each option a value of its type.
    const request = parse(given as CommandInput<Words, Own>);
    return { request, run: (context) => run(context, request) };
  },
});
