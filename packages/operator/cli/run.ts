import type { OperatorCommand } from './command.js';
import { type CommandSet, readCommandLine } from './command-line.js';
import type { Ask } from './confirm.js';
import type { CommandContext, OperatedApp } from './context.js';
import { Exit, OperatorError } from './errors.js';
import { print } from './print.js';
import { Progress, type ReportProgress } from './progress.js';
import { commandFormatter } from './text-format.js';

/** Output streams: results go to `out`, everything else to `err`. */
export interface Streams {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** @default asks on the terminal, if there is one */
  readonly ask?: Ask;
}

/** An application and its commands. */
export interface OperatorCommandLine extends OperatedApp, CommandSet {}

/**
 * Makes the function that runs one command line and returns its exit code (errors.ts).
 * @throws {Error} if two commands have the same name
 * @example
 * const run = operatorCommandLine({ app: 'shop', program: 'npm run -s shop --', resolveEndpoint, commands: kitCommands() });
 * process.exitCode = await run(process.argv.slice(2));
 */
export function operatorCommandLine(app: OperatorCommandLine) {
  checkCommands(app.commands);
  const command = commandFormatter(app.program);

  const run = async (args: readonly string[], streams?: Streams): Promise<Exit> => {
    const json = args.includes('--json');
    const { out, err, ask }: Streams = streams ?? { out: print, err: console.error };
    const progress = new Progress(err, streams === undefined ? process.stderr : undefined);
    const say: ReportProgress = json ? () => {} : progress.say;
    try {
      const line = readCommandLine(args, app);
      if (line.help !== undefined) {
        out(line.help);
        return Exit.OK;
      }
      // As AWS's command line does: the SDK reads both from the environment.
      if (line.profile !== undefined) process.env.AWS_PROFILE = line.profile;
      if (line.region !== undefined) process.env.AWS_REGION = line.region;
      // The SDK is loaded from here on: help and wrong calls do without it.
      const { openContext } = await import('./context.js');
      // With --json, too, a change says where it happens: the target may come from the shell's profile.
      const place = json && !line.changes ? () => {} : err;
      const isAwsNamed = line.worksBefore || line.profile !== undefined || line.region !== undefined;
      const call = { mayBeMissing: line.worksBefore, isAwsNamed };
      const context = { ...(await openContext(app, line.environment, place, call)), say };
      try {
        const confirmed = async (what: string): Promise<void> => {
          if (line.yes || context.endpoint.url !== undefined) return;
          const { askOnTerminal, confirm } = await import('./confirm.js');
          progress.end();
          await confirm(what, ask ?? askOnTerminal);
        };
        if (line.toConfirm) await confirmed(`${line.name} in ${context.place}`);
        const runLine: CommandContext['runLine'] = (words, output) =>
          run(words, { ...output, ask: async () => undefined });
        const outcome = await line.run({ ...context, confirm: confirmed, runLine });
        progress.end();
        out(json ? JSON.stringify(outcome.json) : outcome.text);
        return outcome.exitCode;
      } finally {
        context.documents.destroy();
      }
    } catch (error) {
      progress.end();
      const { code, message, next: advice, exitCode } = toOperatorError(error);
      const next = typeof advice === 'object' ? command(...advice) : advice;
      if (json) out(JSON.stringify({ error: { code, message, next } }));
      else err(next === undefined ? message : `${message}\n${nextCommandLabel(code)}: ${next}`);
      return exitCode;
    }
  };
  return run;
}

const nextCommandLabel = (code: OperatorError['code']): string => (code === 'usage' ? 'Correct usage' : 'Next');

/** @throws {Error} */
function checkCommands(commands: readonly OperatorCommand[]): void {
  const names = new Set<string>();
  for (const { name } of commands) {
    if (names.has(name)) throw new Error(`Two commands are named '${name}'.`);
    names.add(name);
  }
}

/** @throws any error that is a fault of the tool, with its stack */
function toOperatorError(error: unknown): OperatorError {
  if (error instanceof OperatorError) return error;
  // Its class is loaded only by commands that read events.
  if (error instanceof Error && error.name === 'ContractViolation') {
    return new OperatorError(
      'refused',
      `This release can't read an event (${error.message}): use the command line of the release that is deployed.`,
    );
  }
  throw error;
}
