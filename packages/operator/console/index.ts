/** A page about an environment, served by the command line on the operator's own machine. */
export { consoleCommand } from './console-command.js';
