import { type CommandInput, operatorCommand } from '../cli/command.js';

/** @param service name of a service, for the example in the help */
export const restoreCommands = (service: string) => [
  operatorCommand({
    name: 'restore plan',
    usage: 'restore plan <service> --at <time>',
    positionals: ['service'],
    options: { at: { type: 'string' } },
    example: ['restore', 'plan', service, '--at', '2026-12-01T06:00:00Z'],
    about: 'what a restore of a service to an instant would take and forget, and its steps; changes nothing',
    details: `Names the tables of the service and whether they can be restored to the instant, what the service has published since (it
forgets this, and others have heard it), who has heard it, and each step. Exit code 4: a table can't be restored to the instant.
  --at        instant in UTC, in whole seconds, as 2026-12-01T06:00:00Z`,
    parse: ({ words: [service], options, wrong }) => ({ service, at: parseInstant(options.at, wrong) }),
    run: async (...call) => (await import('../restore/plan.js')).showRestorePlan(...call),
  }),
  operatorCommand({
    name: 'restore apply',
    usage: 'restore apply <service> --at <time> [--dry-run | --cancel] [--delete-copies]',
    positionals: ['service'],
    options: {
      at: { type: 'string' },
      'dry-run': { type: 'boolean' },
      cancel: { type: 'boolean' },
      'delete-copies': { type: 'boolean' },
    },
    example: ['restore', 'apply', service, '--at', '2026-12-01T06:00:00Z'],
    about: 'restores a service to an instant, step by step; repeat it to continue',
    details: `Stops the functions of the service, waits for its relay, lets AWS make copies of its tables as they were, and makes the live tables
equal to them. Then you raise the epoch and deploy; the same command starts the functions again. It may be stopped at any
moment, and continued on any machine: it looks at what is done. It asks before it stops the service, before it writes into
the tables, and before it deletes the copies.
  --at             instant in UTC, in whole seconds, as 2026-12-01T06:00:00Z
  --dry-run        says how far the restore is, and which items would change, if the copies are there
  --cancel         gives it up, as long as nothing was copied: starts the functions again
  --delete-copies  deletes the copies when all else is done
Exit code 0: restored, or cancelled. 3: a step is left, and the text says which. 4: the tables can't be restored to the instant, or the relay
has failures.`,
    parse: ({ words: [name], options, wrong }) => {
      const { 'dry-run': dryRun, cancel, 'delete-copies': deleteCopies } = options;
      if (dryRun && (cancel || deleteCopies))
        throw wrong('--dry-run changes nothing: leave --cancel and --delete-copies out.');
      return { service: name, at: parseInstant(options.at, wrong), dryRun, cancel, deleteCopies };
    },
    run: async (...call) => (await import('../restore/apply.js')).runRestoreApply(...call),
  }),
];

/** @throws {OperatorError} `wrong(...)` */
function parseInstant(at: string | undefined, wrong: CommandInput['wrong']): string {
  if (at === undefined) throw wrong('--at is missing: the instant to which the service is restored.');
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(at) || Number.isNaN(Date.parse(at)))
    throw wrong(`--at is '${at}': expected a time in UTC, in whole seconds, as 2026-12-01T06:00:00Z.`);
  return new Date(at).toISOString();
}
