import type { AppList } from '@orderly/console';
import type { CommandContext } from '../cli/context.js';
import { Exit, OperatorError } from '../cli/errors.js';
import { runInterruptible } from '../cli/interruptible.js';
import type { Outcome } from '../cli/outcome.js';
import { ConsoleServer } from './console-server.js';

/** Seconds between two looks whether Ctrl-C was pressed: the wait ends at once with it. */
const LOOK_EVERY = 3_600;

export interface ConsoleRequest {
  /** Port on 127.0.0.1; 0 for any that is free. */
  readonly port: number;
}

/**
 * `console`: serves a page about the environment on this machine, until Ctrl-C.
 * @throws {OperatorError} `refused` if the port is in use
 */
export async function serveConsole(
  context: CommandContext,
  { port }: ConsoleRequest,
  lists: readonly AppList[],
): Promise<Outcome> {
  const { app, environment, command, runLine, clock, say } = context;
  if (!runLine) throw new OperatorError('refused', 'This command line does not run commands for a page.');
  const server = await ConsoleServer.listen(
    {
      app,
      environment,
      lists,
      program: command().trim(),
      run: runLine,
      common: ['--environment', environment],
      now: () => clock.now(),
    },
    port,
  ).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new OperatorError(
      'refused',
      `Port ${port} of 127.0.0.1 is in use.`,
      'choose another one with --port, or leave it out',
    );
  });
  try {
    say(`Open ${server.address}\nThe page has your rights. It is served on this machine only, until Ctrl-C.`);
    await runInterruptible(async ({ wait, stopped }) => {
      while (!stopped()) await wait(LOOK_EVERY);
    });
  } finally {
    await server.close();
  }
  return { exitCode: Exit.OK, text: 'The page is no longer served.', json: { console: { ended: true } } };
}
