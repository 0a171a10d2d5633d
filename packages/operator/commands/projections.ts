import { operatorCommand } from '../cli/command.js';
import type { CommandContext } from '../cli/context.js';
import { runInterruptible } from '../cli/interruptible.js';
import type { Outcome } from '../cli/outcome.js';
import type { RebuildOrder } from '../projections/rebuild.js';

/** @param projection name of a projection, for the examples in the help */
export const projectionsCommands = (projection: string) => [
  operatorCommand({
    name: 'projections list',
    usage: 'projections list',
    positionals: [],
    options: {},
    example: ['projections', 'list'],
    about: 'lists the projections and their last rebuilds',
    details: 'Shows which version of its rows each projection is read from, and the result of its last rebuild.',
    parse: () => ({}),
    run: async (context) => {
      const { listProjections, listDeployedProjections: projectionsOf } = await import('../projections/projections.js');
      return listProjections(projectionsOf(context));
    },
  }),
  operatorCommand({
    name: 'projections show',
    usage: 'projections show <name>',
    positionals: ['projection'],
    options: {},
    example: ['projections', 'show', projection],
    about: 'shows one projection, and the progress of its rebuild',
    details: 'Exit code 0, or 3 while a rebuild is in progress.',
    parse: ({ words: [projection] }) => ({ projection }),
    run: async (context, { projection }) => {
      const {
        findProjection: projectionNamed,
        listDeployedProjections: projectionsOf,
        showProjection,
      } = await import('../projections/projections.js');
      return showProjection(projectionNamed(projectionsOf(context), projection), context.command);
    },
  }),
  operatorCommand({
    name: 'projections rebuild',
    usage: 'projections rebuild <name> [--check | --discard | --dry-run]',
    positionals: ['projection'],
    options: { check: { type: 'boolean' }, discard: { type: 'boolean' }, 'dry-run': { type: 'boolean' } },
    example: ['projections', 'rebuild', projection],
    about: 'replays the feed into a new version beside the current one, compares both, and switches over',
    details: `Continues a rebuild that is in progress: run the same command again after Ctrl-C or a crash. It takes about twice as long
as loading every aggregate. Exit code 0: complete. 3: stopped. 4: a check found differences.
  --check     compares the new version with the current one, prints the differences, and removes the new version
  --discard   removes the new version before the switch; the current version stays
  --dry-run   changes nothing`,
    parse: ({ words: [projection], options, wrong }) => {
      const asked = (['check', 'discard', 'dry-run'] as const).filter((flag) => options[flag]);
      const [action = 'rebuild' as const, other] = asked;
      if (other !== undefined) throw wrong(`--${action} and --${other} exclude each other: expected one of them.`);
      return { projection, action };
    },
    run: stoppableRebuild,
  }),
];

const stoppableRebuild = (
  context: CommandContext,
  { projection, action }: RebuildOrder & { readonly projection: string },
): Promise<Outcome> =>
  runInterruptible(async ({ wait, stopped }) => {
    const [{ findProjection: projectionNamed, listDeployedProjections: projectionsOf }, { rebuild }] =
      await Promise.all([import('../projections/projections.js'), import('../projections/rebuild.js')]);
    const { say, command } = context;
    return rebuild(projectionNamed(projectionsOf(context), projection), { action }, { command, say, wait, stopped });
  });
