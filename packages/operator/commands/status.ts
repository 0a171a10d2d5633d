import { operatorCommand } from '../cli/command.js';
import type { StatusSectionReader } from '../status/status.js';

const EXAMPLE = ['status'] as const;

/** @param sections what the application adds to the status */
export const statusCommands = (sections: readonly StatusSectionReader[]) => [
  operatorCommand({
    name: 'status',
    usage: 'status [--all] [--watch]',
    positionals: [],
    options: { all: { type: 'boolean' }, watch: { type: 'boolean' } },
    example: EXAMPLE,
    about: 'whether the environment is healthy, and if not, the next command to run',
    details: `Reads what waits, failed or is late, and the alarms that are on. Exit code 0: healthy. 1: not healthy.
  --all       lists the consumers that have nothing to do, too
  --watch     shows it again every 5 seconds, until Ctrl-C`,
    parse: ({ options }) => options,
    run: async (context, { all, watch }) => {
      const { showStatus } = await import('../status/status.js');
      const { mapToSources: mapFrames } = await import('../deployment/source-maps.js');
      const look = () => showStatus(context, sections, { all, mapFrames });
      if (!watch) return look();
      const { openTerminal: terminal, watchOutcome: watched } = await import('../cli/watch.js');
      return watched(look, terminal('--watch', EXAMPLE));
    },
  }),
];
