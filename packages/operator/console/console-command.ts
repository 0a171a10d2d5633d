import type { AppList } from '@orderly/console';
import { operatorCommand } from '../cli/command.js';

/**
 * The command `console`. It is no part of `kitCommands`: those are loaded by functions too, which need no page.
 * @param lists loads the lists that the application has for its operators. @default none
 * @example
 * operatorCommandLine({ ...cinema, commands: [...kitCommands(), consoleCommand()] });
 */
export const consoleCommand = (lists: () => Promise<readonly AppList[]> = async () => []) =>
  operatorCommand({
    name: 'console',
    usage: 'console [--port <number>]',
    positionals: [],
    options: { port: { type: 'string', default: '0' } },
    example: ['console'],
    about:
      'serves a page about the environment on this machine: health, failures by cause, the audit, and all that followed from a message',
    details: `The page is served on 127.0.0.1 until Ctrl-C, with a random token in its address, and reads with your own credentials. It runs a command
when you press Run; whatever changes something is in the operators' log, with your name.
  --port      port on 127.0.0.1; by default any that is free`,
    parse: ({ options: { port }, wrong }) => {
      if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw wrong(`--port is '${port}': expected 0 to 65535.`);
      return { port: Number(port) };
    },
    run: async (context, request) => (await import('./serve-console.js')).serveConsole(context, request, await lists()),
  });
