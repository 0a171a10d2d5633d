import { operatorCommand } from '../command.js';

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
    parse: ({ words: [name], options: { at }, wrong }) => {
      if (at === undefined)
        throw wrong("'restore plan' needs --at: the instant to which the service would be restored.");
      if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(at) || Number.isNaN(Date.parse(at)))
        throw wrong(`--at is '${at}': expected a time in UTC, in whole seconds, as 2026-12-01T06:00:00Z.`);
      return { service: name, at: new Date(at).toISOString() };
    },
    run: async (...call) => (await import('../restore/plan.js')).showRestorePlan(...call),
  }),
];
