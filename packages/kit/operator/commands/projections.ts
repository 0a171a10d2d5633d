import { setTimeout } from 'node:timers/promises';
import { operatorCommand } from '../command.js';
import type { CommandContext } from '../context.js';
import type { Outcome } from '../outcome.js';
import { listProjections, projectionNamed, projectionsOf, showProjection } from '../projections.js';
import { type RebuildOrder, rebuild } from '../rebuild.js';

/** @param projection name of a projection, for the examples in the help */
export const projectionsCommands = (projection: string) => [
  operatorCommand({
    name: 'projections list',
    usage: 'projections list',
    positionals: [],
    options: {},
    example: ['projections', 'list'],
    about: 'lists that are kept of aggregates, and their last rebuilds',
    details: 'Which version of its rows each one is read from, and what its last rebuild came to.',
    parse: () => ({}),
    run: (context) => listProjections(projectionsOf(context)),
  }),
  operatorCommand({
    name: 'projections show',
    usage: 'projections show <name>',
    positionals: ['projection'],
    options: {},
    example: ['projections', 'show', projection],
    about: 'one projection, and how far its rebuild is',
    details: 'Ends with 0, or 3 where a rebuild is under way.',
    parse: ({ words: [projection] }) => ({ projection }),
    run: async (context, { projection }) =>
      showProjection(projectionNamed(projectionsOf(context), projection), context.command),
  }),
  operatorCommand({
    name: 'projections rebuild',
    usage: 'projections rebuild <name> [--check | --discard | --dry-run]',
    positionals: ['projection'],
    options: { check: { type: 'boolean' }, discard: { type: 'boolean' }, 'dry-run': { type: 'boolean' } },
    example: ['projections', 'rebuild', projection],
    about: 'replays the feed into a new version beside the one that is read, compares, switches over',
    details: `Goes on with one that is under way: after Ctrl-C or a crash, the same command. Ends with 0 where it is through, 3 where
it was stopped, 4 where a check found differences. Needs about as long again as it has to load every aggregate.
  --check     compares the new version with the one that is read, tells differences, and removes the new one
  --discard   gives one up before it has switched; what is read stays
  --dry-run   changes nothing`,
    parse: ({ words: [projection], options, wrong }) => {
      const asked = (['check', 'discard', 'dry-run'] as const).filter((flag) => options[flag]);
      const [action = 'rebuild' as const, other] = asked;
      if (other !== undefined) throw wrong(`--${action} and --${other} don't go together.`);
      return { projection, action };
    },
    run: stoppableRebuild,
  }),
];

/** Stops the rebuild between two steps at the first Ctrl-C; a second one ends the tool as usual. */
async function stoppableRebuild(
  context: CommandContext,
  { projection, action }: RebuildOrder & { readonly projection: string },
): Promise<Outcome> {
  const { say, command } = context;
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once('SIGINT', onSignal);
  const wait = (seconds: number) =>
    setTimeout(seconds * 1000, undefined, { signal: stop.signal }).catch(() => undefined);
  const surroundings = { command, say, wait, stopped: () => stop.signal.aborted };
  try {
    return await rebuild(projectionNamed(projectionsOf(context), projection), { action }, surroundings);
  } finally {
    process.off('SIGINT', onSignal);
  }
}
