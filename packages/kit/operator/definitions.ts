/**
 * The part of `@orderly/kit/operator` that defines a command line. It loads no SDK and no command's work, so help and usage
 * errors come at once: an application imports its commands' work in their `run`.
 */
export { runbookPage } from '../aws/app-names.js';
export { operatorCommand } from './command.js';
export { kitCommands } from './commands/kit-commands.js';
export { peopleCommands } from './commands/people.js';
export type { CommandContext } from './context.js';
export { Exit, OperatorError } from './errors.js';
export { type OperatorCommandLine, operatorCommandLine } from './run.js';
export { commandTextOf } from './text.js';
