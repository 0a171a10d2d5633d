import { operatorCommand } from '../command.js';
import { commandSaga } from '../saga-command.js';
import { listSagas } from '../saga-list.js';
import { showSaga } from '../saga-show.js';

/** Maximum number of characters that a saga's history keeps of a note. */
const LONGEST_NOTE = 500;

const SAGA_ID = '5d41402abc4b2a76b9719d911017c592';

/** @param aboutIds a sentence of the help that says which ids the application's sagas have */
export const sagasCommands = (aboutIds?: string) => [
  operatorCommand({
    name: 'sagas list',
    usage: 'sagas list [--limit <n>]',
    positionals: [],
    options: { limit: { type: 'string', default: '50' } },
    example: ['sagas', 'list', '--limit', '200'],
    about: 'sagas that wait, the most urgent first: for an operator, for longer than they should, for an answer',
    details: `STUCK: for an operator. NO CLOCK: its clock failed, retry it. TIMER LATE: its clock should have rung.
SLOW: was sent again already. WAITS: for an answer.
  --limit     names at most so many, 1 to 1000; default 50`,
    parse: ({ options, wrong }) => {
      const limit = Number(options.limit);
      if (!/^\d{1,4}$/.test(options.limit) || limit < 1 || limit > 1000)
        throw wrong(`--limit is '${options.limit}': expected 1 to 1000.`);
      return { limit };
    },
    run: listSagas,
  }),
  operatorCommand({
    name: 'sagas show',
    usage: 'sagas show <saga id>',
    positionals: ['saga id'],
    options: {},
    example: ['sagas', 'show', SAGA_ID],
    about: 'where a saga is, its history, what is still to undo, and what can be done about it',
    details: `${aboutIds === undefined ? '' : `${aboutIds} `}Ends with 0, 3 where it waits for an answer, 4 where it is stuck.`,
    parse: ({ words: [sagaId] }) => ({ sagaId }),
    run: showSaga,
  }),
  operatorCommand({
    name: 'sagas retry',
    usage: 'sagas retry <saga id> [--dry-run]',
    positionals: ['saga id'],
    options: { 'dry-run': { type: 'boolean' } },
    example: ['sagas', 'retry', SAGA_ID],
    about: 'sends once more what a saga waits for, and waits a moment for what comes of it',
    details: `Harmless: it is the same step, which its participant does once. A stuck one gets all its patience again.
Ends with 0 where it was sent again, 3 where that isn't known yet, 4 where it was refused or is stuck.
  --dry-run   says what would be sent where, and changes nothing`,
    parse: ({ words: [sagaId], options }) => ({ action: 'retry', sagaId, dryRun: options['dry-run'] }) as const,
    run: commandSaga,
  }),
  operatorCommand({
    name: 'sagas resolve',
    usage: 'sagas resolve <saga id> --note "<what you did>" [--dry-run]',
    positionals: ['saga id'],
    options: { note: { type: 'string' }, 'dry-run': { type: 'boolean' } },
    example: ['sagas', 'resolve', SAGA_ID, '--note', 'refunded by hand, ticket 4711'],
    about: 'you have undone by hand what a stuck saga could not: it goes on with what is left',
    details: `Undoes nothing itself. Ends as 'sagas retry' does.
  --note      kept in the saga's history with your name, 1 to ${LONGEST_NOTE} characters: no people's data
  --dry-run   changes nothing`,
    parse: ({ words: [sagaId], options, wrong }) => {
      const note = options.note?.trim();
      if (!note) throw wrong("'sagas resolve' needs --note: whoever reads the history later wants to know.");
      if (note.length > LONGEST_NOTE)
        throw wrong(`--note has ${note.length} characters, at most ${LONGEST_NOTE} are kept.`);
      return { action: 'resolve', sagaId, note, dryRun: options['dry-run'] } as const;
    },
    run: commandSaga,
  }),
];
