import { operatorCommand } from '../command.js';
import { exportPerson } from '../export.js';
import { forget } from '../forget.js';
import { openKeys, type PeopleOfApp } from '../people.js';

/** Commands for people's data, for an application that seals it (packages/kit/personal-data). */
export const peopleCommands = (people: PeopleOfApp) => [
  operatorCommand({
    name: 'person forget',
    usage: 'person forget <person id> [--dry-run]',
    positionals: ['person id'],
    options: { 'dry-run': { type: 'boolean' } },
    example: ['person', 'forget', 'alice'],
    about: "deletes a person's key: nobody can read their personal data any more, and none is taken",
    details: `It can't be undone. What is left is pseudonymous: ids, lines, prices, times. Functions that hold the key in memory can
read for up to 5 minutes more.
  --dry-run   says whether there is a key, and changes nothing`,
    parse: ({ words: [person], options }) => ({ person, dryRun: options['dry-run'] }),
    run: (context, request) => forget(context, people, request),
  }),
  operatorCommand({
    name: 'person export',
    usage: 'person export <person id>',
    positionals: ['person id'],
    options: {},
    example: ['person', 'export', 'alice'],
    about: 'everything that is known of a person, as JSON',
    details: "People's data in plain text: mind where it goes. What was forgotten is shown as such.",
    parse: ({ words: [person] }) => ({ person }),
    run: (context, request) => exportPerson(context, people, openKeys(context), request),
  }),
];
