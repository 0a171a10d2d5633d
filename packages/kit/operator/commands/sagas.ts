import { limitOf, operatorCommand } from '../command.js';

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
    about: 'lists waiting sagas, the most urgent first',
    details: `STUCK: waits for an operator. TIMEOUT FAILED: its timeout failed, retry it. TIMER LATE: its timeout is late.
SLOW: its command was sent again already. WAITS: waits for an answer.
  --limit     maximum number of sagas, 1 to 1000; default 50`,
    parse: ({ options, wrong }) => ({ limit: limitOf(options.limit, wrong) }),
    run: async (...call) => (await import('../saga-list.js')).listSagas(...call),
  }),
  operatorCommand({
    name: 'sagas show',
    usage: 'sagas show <saga id>',
    positionals: ['saga id'],
    options: {},
    example: ['sagas', 'show', SAGA_ID],
    about: 'shows the state of a saga, its history, the steps left to compensate, and the next commands',
    details: `${aboutIds === undefined ? '' : `${aboutIds} `}Exit code 0: ended. 3: waits for an answer. 4: stuck.`,
    parse: ({ words: [sagaId] }) => ({ sagaId }),
    run: async (...call) => (await import('../saga-show.js')).showSaga(...call),
  }),
  operatorCommand({
    name: 'sagas retry',
    usage: 'sagas retry <saga id> [--dry-run]',
    positionals: ['saga id'],
    options: { 'dry-run': { type: 'boolean' } },
    example: ['sagas', 'retry', SAGA_ID],
    about: 'sends the command that a saga waits for again, and waits up to 20 seconds for the result',
    details: `Safe to repeat: the participant processes a step once. A stuck saga starts again at attempt 1, with its full timeout.
Exit code 0: answered, and the saga goes on or has ended. 3: sent again, no answer yet. 4: refused, or stuck again.
  --dry-run   prints what would be sent and where, and changes nothing`,
    parse: ({ words: [sagaId], options }) => ({ action: 'retry', sagaId, dryRun: options['dry-run'] }) as const,
    run: async (...call) => (await import('../saga-command.js')).commandSaga(...call),
  }),
  operatorCommand({
    name: 'sagas resolve',
    irreversible: true,
    usage: 'sagas resolve <saga id> --note "<what you did>" [--dry-run]',
    positionals: ['saga id'],
    options: { note: { type: 'string' }, 'dry-run': { type: 'boolean' } },
    example: ['sagas', 'resolve', SAGA_ID, '--note', 'refunded by hand, ticket 4711'],
    about: 'records that you compensated a step of a stuck saga by hand; the saga continues with the remaining steps',
    details: `It compensates nothing itself. Exit codes as of 'sagas retry'.
  --note      kept in the saga's history with your name, 1 to ${LONGEST_NOTE} characters; it must not contain personal data
  --dry-run   changes nothing`,
    parse: ({ words: [sagaId], options, wrong }) => {
      const note = options.note?.trim();
      if (!note) throw wrong("'sagas resolve' needs --note: the saga's history keeps it.");
      if (note.length > LONGEST_NOTE)
        throw wrong(`--note has ${note.length} characters: expected 1 to ${LONGEST_NOTE}.`);
      return { action: 'resolve', sagaId, note, dryRun: options['dry-run'] } as const;
    },
    run: async (...call) => (await import('../saga-command.js')).commandSaga(...call),
  }),
];
