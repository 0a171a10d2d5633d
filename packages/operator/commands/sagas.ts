import { type CommandInput, operatorCommand } from '../cli/command.js';
import type { CommandContext } from '../cli/context.js';
import type { Outcome } from '../cli/outcome.js';
import type { SagaGroupRequest } from '../groups/saga-command.js';
import type { SagaRequest } from '../sagas/saga-command.js';
import { MAX_RATE, parseGroup, parseLimit, timeOf } from './options.js';

/** Maximum number of characters that a saga's history keeps of a note. */
const MAX_NOTE_LENGTH = 500;

/** Default number of sagas in a second. */
const RATE = '10';

const ABOUT_GROUP = `  --group     all stuck sagas of a group ('failures groups'; a beginning of its id is enough). The first one is a probe
  --rate      maximum number of sagas in a second, 1 to ${MAX_RATE}; default ${RATE}`;

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
    parse: ({ options, wrong }) => ({ limit: parseLimit(options.limit, wrong) }),
    run: async (...call) => (await import('../sagas/saga-list.js')).listSagas(...call),
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
    run: async (...call) => (await import('../sagas/saga-show.js')).showSaga(...call),
  }),
  operatorCommand({
    name: 'sagas retry',
    usage: 'sagas retry (<saga id> | --group <id> [--rate <n>]) [--dry-run]',
    positionals: ['saga id?'],
    options: { group: { type: 'string' }, rate: { type: 'string', default: RATE }, 'dry-run': { type: 'boolean' } },
    example: ['sagas', 'retry', SAGA_ID],
    about: 'sends the command that a saga waits for again, or of all sagas of a group, and waits for the result',
    details: `Safe to repeat: the participant processes a step once. A stuck saga starts again at attempt 1, with its full timeout.
It waits up to 20 seconds for the answer. Exit code 0: answered, and the saga continues or has ended. 3: sent again, no answer yet.
4: refused, or stuck again. 5: the first saga of a group is stuck again, and no other was asked.
${ABOUT_GROUP}
  --dry-run   prints what would be sent and where, and changes nothing`,
    parse: ({ words: [sagaId], options, wrong }) =>
      ({ action: 'retry', ...oneOrAll('retry', sagaId, options, wrong), dryRun: options['dry-run'] }) as const,
    run: commandSagaOrGroup,
  }),
  operatorCommand({
    name: 'sagas resolve',
    irreversible: true,
    asksWith: 'group',
    usage:
      'sagas resolve (<saga id> | --group <id> [--before <time>] [--rate <n>]) --note "<what you did>" [--dry-run]',
    positionals: ['saga id?'],
    options: {
      group: { type: 'string' },
      rate: { type: 'string', default: RATE },
      before: { type: 'string' },
      note: { type: 'string' },
      'dry-run': { type: 'boolean' },
    },
    example: ['sagas', 'resolve', SAGA_ID, '--note', 'refunded by hand, ticket 4711'],
    about: 'records that you compensated a step of a stuck saga by hand; the saga continues with the remaining steps',
    details: `It compensates nothing itself. Exit codes as of 'sagas retry'.
${ABOUT_GROUP}
  --before    of the group, only those that got stuck before this time: 'failures groups' prints its own
  --note      kept in the saga's history with your name, 1 to ${MAX_NOTE_LENGTH} characters; it must not contain personal data
  --dry-run   changes nothing`,
    parse: ({ words: [sagaId], options, wrong }) => {
      const note = options.note?.trim();
      if (!note) throw wrong("'sagas resolve' needs --note: the saga's history keeps it.");
      if (note.length > MAX_NOTE_LENGTH)
        throw wrong(`--note has ${note.length} characters: expected 1 to ${MAX_NOTE_LENGTH}.`);
      const one = oneOrAll('resolve', sagaId, options, wrong);
      const before = timeOf('before', options.before, wrong);
      if (before !== undefined && !('group' in one)) throw wrong('--before is about the sagas of a --group.');
      const when = before === undefined ? {} : { before };
      return { action: 'resolve', ...one, ...when, note, dryRun: options['dry-run'] } as const;
    },
    run: commandSagaOrGroup,
  }),
];

/** @throws {OperatorError} `usage` */
function oneOrAll(
  name: string,
  sagaId: string | undefined,
  { group, rate }: { readonly group?: string | undefined; readonly rate: string },
  wrong: CommandInput['wrong'],
) {
  if (group !== undefined)
    return parseGroup(`sagas ${name}`, { group, rate }, { word: sagaId, one: 'a saga id' }, wrong);
  if (sagaId === undefined) throw wrong(`'sagas ${name}' needs the saga id, or --group.`);
  return { sagaId };
}

const commandSagaOrGroup = async (
  context: CommandContext,
  request: SagaRequest | SagaGroupRequest,
): Promise<Outcome> =>
  'group' in request
    ? (await import('../groups/saga-command.js')).commandAllSagas(context, request)
    : (await import('../sagas/saga-command.js')).commandSaga(context, request);
