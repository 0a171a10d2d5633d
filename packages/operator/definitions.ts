/**
 * The part of `@orderly/operator` that defines a command line. It loads no SDK and no command's work, so help and usage
 * errors come at once: an application imports its commands' work in their `run`.
 */
export { runbookPage } from '@orderly/kit/internal/aws/app-names.js';
export { operatorCommand } from './cli/command.js';
export type { CommandContext } from './cli/context.js';
export { Exit, OperatorError } from './cli/errors.js';
export { type OperatorCommandLine, operatorCommandLine } from './cli/run.js';
export { commandFormatter } from './cli/text-format.js';
export { kitCommands } from './commands/kit-commands.js';
export { peopleCommands } from './commands/people.js';
