import { operatorCommand } from '../cli/command.js';
import type { PersonalDataSource } from '../people/personal-data.js';

/**
 * Commands for people's data, for an application that seals it (packages/kit/personal-data).
 * @param people where they are, or how to load that when a command runs
 */
export const peopleCommands = (people: PersonalDataSource | (() => Promise<PersonalDataSource>)) => [
  operatorCommand({
    name: 'person forget',
    irreversible: true,
    usage: 'person forget <person id> [--dry-run]',
    positionals: ['person id'],
    options: { 'dry-run': { type: 'boolean' } },
    example: ['person', 'forget', 'alice'],
    about: "deletes a person's key: their personal data can't be read any more, and no new personal data is accepted",
    details: `It can't be undone. The remaining data is pseudonymous: ids and business data. From its answer on, no request reads or
stores personal data of this person. Functions may hold the key in memory for up to 5 more minutes, without using it.
  --dry-run   prints whether there is a key, and changes nothing`,
    parse: ({ words: [person], options }) => ({ person, dryRun: options['dry-run'] }),
    run: async (context, request) =>
      (await import('../people/forget.js')).forgetPerson(context, await loadDataSource(people), request),
  }),
  operatorCommand({
    name: 'person export',
    usage: 'person export <person id>',
    positionals: ['person id'],
    options: {},
    example: ['person', 'export', 'alice'],
    about: 'prints all data about a person, as JSON',
    details: 'Personal data in plain text: be careful where you store it. Forgotten data is marked as forgotten.',
    parse: ({ words: [person] }) => ({ person }),
    run: async (context, request) => {
      const [{ exportPerson }, { openPersonalKeys: openKeys }] = await Promise.all([
        import('../people/export.js'),
        import('../people/personal-data.js'),
      ]);
      return exportPerson(context, await loadDataSource(people), openKeys(context), request);
    },
  }),
];

const loadDataSource = async (
  people: PersonalDataSource | (() => Promise<PersonalDataSource>),
): Promise<PersonalDataSource> => (typeof people === 'function' ? people() : people);
