/** All options of command lines; each command lists the ones that it accepts. */
export const OPTIONS = {
  environment: { type: 'string', default: 'dev' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
  payload: { type: 'boolean', default: false },
  consumer: { type: 'string' },
  'not-done': { type: 'boolean', default: false },
  'dry-run': { type: 'boolean', default: false },
  reason: { type: 'string' },
  note: { type: 'string' },
  limit: { type: 'string', default: '50' },
  check: { type: 'boolean', default: false },
  discard: { type: 'boolean', default: false },
} as const;

/** Usage of a command and its help text. */
export interface Spec {
  readonly usage: string;
  readonly positionals: readonly string[];
  readonly options: readonly (keyof typeof OPTIONS)[];
  readonly example: readonly string[];
  readonly about: string;
  readonly details: string;
}

const ORDER_ID = '5d41402abc4b2a76b9719d911017c592';
const MESSAGE_ID = '019aa4f2-6c1e-7d53-9f0e-2b8a4c6d8e10';

/** Every command, in the order of the help. */
export const COMMANDS = {
  order: {
    usage: 'order <order id> [--payload]',
    positionals: ['order id'],
    options: ['payload'],
    example: ['order', ORDER_ID],
    about: 'where an order is: its saga, its events and commands, and what each consumer did with them',
    details: `Ends with a verdict: complete (exit 0), pending (3), or failed (4: a failure waits, its saga is stuck, something was
lost or done twice, the order waits for nothing, or it is approved and undone).
  --payload   the events' data and actors too: people's data`,
  },
  'failures list': {
    usage: 'failures list [--consumer <name>]',
    positionals: [],
    options: ['consumer'],
    example: ['failures', 'list', '--consumer', 'reservations'],
    about: 'what could not be processed or published, newest first',
    details: '  --consumer  those of one consumer; `relay` for what could not be published',
  },
  'failures show': {
    usage: 'failures show <consumer> <message id> [--payload]',
    positionals: ['consumer', 'message id'],
    options: ['payload'],
    example: ['failures', 'show', 'reservations', MESSAGE_ID],
    about: 'one failure with its reasons and what can be done about it',
    details: "  --payload   the message too: people's data",
  },
  'failures redrive': {
    usage: 'failures redrive <consumer> <message id> [--not-done] [--dry-run]',
    positionals: ['consumer', 'message id'],
    options: ['not-done', 'dry-run'],
    example: ['failures', 'redrive', 'reservations', MESSAGE_ID],
    about: 'has it done again, and waits a moment for what comes of it',
    details: `Ends with 0 where it is done, 3 where that isn't known yet, 4 where it failed again.
  --not-done  you have made sure that it was not done before (needed where nobody else can know)
  --dry-run   says what would be sent where, and changes nothing`,
  },
  'failures discard': {
    usage: 'failures discard <consumer> <message id> --reason "<why>" [--dry-run]',
    positionals: ['consumer', 'message id'],
    options: ['reason', 'dry-run'],
    example: ['failures', 'discard', 'reservations', MESSAGE_ID, '--reason', 'test data, ticket 4711'],
    about: 'it will never be done; the record stays, with why, who and when',
    details: `Refused for the clock of a saga that waits: 'sagas retry' sets a new one.
  --reason    kept in the record: no people's data
  --dry-run   changes nothing`,
  },
  'sagas list': {
    usage: 'sagas list [--limit <n>]',
    positionals: [],
    options: ['limit'],
    example: ['sagas', 'list', '--limit', '200'],
    about: 'sagas that wait, the most urgent first: for an operator, for longer than they should, for an answer',
    details: `STUCK: for an operator. NO CLOCK: its clock failed, retry it. TIMER LATE: its clock should have rung.
SLOW: was sent again already. WAITS: for an answer.
  --limit     names at most so many, 1 to 1000; default 50`,
  },
  'sagas show': {
    usage: 'sagas show <saga id>',
    positionals: ['saga id'],
    options: [],
    example: ['sagas', 'show', ORDER_ID],
    about: 'where a saga is, its history, what is still to undo, and what can be done about it',
    details: `The saga of an order has the order's id. Ends with 0, 3 where it waits for an answer, 4 where it is stuck.`,
  },
  'sagas retry': {
    usage: 'sagas retry <saga id> [--dry-run]',
    positionals: ['saga id'],
    options: ['dry-run'],
    example: ['sagas', 'retry', ORDER_ID],
    about: 'sends once more what a saga waits for, and waits a moment for what comes of it',
    details: `Harmless: it is the same step, which its participant does once. A stuck one gets all its patience again.
Ends with 0 where it was sent again, 3 where that isn't known yet, 4 where it was refused or is stuck.
  --dry-run   says what would be sent where, and changes nothing`,
  },
  'sagas resolve': {
    usage: 'sagas resolve <saga id> --note "<what you did>" [--dry-run]',
    positionals: ['saga id'],
    options: ['note', 'dry-run'],
    example: ['sagas', 'resolve', ORDER_ID, '--note', 'refunded by hand, ticket 4711'],
    about: 'you have undone by hand what a stuck saga could not: it goes on with what is left',
    details: `Undoes nothing itself. Ends as 'sagas retry' does.
  --note      kept in the saga's history with your name, 1 to 500 characters: no people's data
  --dry-run   changes nothing`,
  },
  'projections list': {
    usage: 'projections list',
    positionals: [],
    options: [],
    example: ['projections', 'list'],
    about: 'lists that are kept of aggregates, and their last rebuilds',
    details: 'Which version of its rows each one is read from, and what its last rebuild came to.',
  },
  'projections show': {
    usage: 'projections show <name>',
    positionals: ['projection'],
    options: [],
    example: ['projections', 'show', 'orders-list'],
    about: 'one projection, and how far its rebuild is',
    details: 'Ends with 0, or 3 where a rebuild is under way.',
  },
  'projections rebuild': {
    usage: 'projections rebuild <name> [--check | --discard | --dry-run]',
    positionals: ['projection'],
    options: ['check', 'discard', 'dry-run'],
    example: ['projections', 'rebuild', 'orders-list'],
    about: 'replays the feed into a new version beside the one that is read, compares, switches over',
    details: `Goes on with one that is under way: after Ctrl-C or a crash, the same command. Ends with 0 where it is through, 3 where
it was stopped, 4 where a check found differences. Needs about as long again as it has to load every aggregate.
  --check     compares the new version with the one that is read, tells differences, and removes the new one
  --discard   gives one up before it has switched; what is read stays
  --dry-run   changes nothing`,
  },
  'person forget': {
    usage: 'person forget <person id> [--dry-run]',
    positionals: ['person id'],
    options: ['dry-run'],
    example: ['person', 'forget', 'alice'],
    about: "deletes a person's key: nobody can read their personal data any more, and none is taken",
    details: `It can't be undone. What is left is pseudonymous: ids, lines, prices, times. Functions that hold the key in memory can
read for up to 5 minutes more.
  --dry-run   says whether there is a key, and changes nothing`,
  },
  'person export': {
    usage: 'person export <person id>',
    positionals: ['person id'],
    options: [],
    example: ['person', 'export', 'alice'],
    about: 'everything that is known of a person, as JSON',
    details: "People's data in plain text: mind where it goes. What was forgotten is shown as such.",
  },
} as const satisfies Readonly<Record<string, Spec>>;
