import { parseArgs } from 'node:util';
import { OperatorError } from './errors.js';
import type { RebuildOrder } from './rebuild.js';
import { command, PROGRAM } from './text.js';

/** What every command may be told. */
export interface Common {
  /** Environment of the deployment: `dev`, `prod`. */
  readonly environment: string;
  /** One JSON object in the place of text. */
  readonly json: boolean;
}

/** Names one failure. */
interface OneFailure {
  readonly consumer: string;
  readonly messageId: string;
}

/** A command line that makes sense. */
export type Command =
  | { readonly name: 'help'; readonly text: string }
  | ({ readonly name: 'order'; readonly orderId: string; readonly payload: boolean } & Common)
  | ({ readonly name: 'failures list'; readonly consumer: string | undefined } & Common)
  | ({ readonly name: 'failures show'; readonly payload: boolean } & OneFailure & Common)
  | ({ readonly name: 'failures redrive'; readonly notDone: boolean; readonly dryRun: boolean } & OneFailure & Common)
  | ({ readonly name: 'failures discard'; readonly reason: string; readonly dryRun: boolean } & OneFailure & Common)
  | ({ readonly name: 'projections list' } & Common)
  | ({ readonly name: 'projections show'; readonly projection: string } & Common)
  | ({ readonly name: 'projections rebuild'; readonly projection: string } & RebuildOrder & Common)
  | ({ readonly name: 'person forget'; readonly person: string; readonly dryRun: boolean } & Common)
  | ({ readonly name: 'person export'; readonly person: string } & Common);

type Name = Exclude<Command['name'], 'help'>;

const OPTIONS = {
  environment: { type: 'string', default: 'dev' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
  payload: { type: 'boolean', default: false },
  consumer: { type: 'string' },
  'not-done': { type: 'boolean', default: false },
  'dry-run': { type: 'boolean', default: false },
  reason: { type: 'string' },
  check: { type: 'boolean', default: false },
  pause: { type: 'boolean', default: false },
  resume: { type: 'boolean', default: false },
  discard: { type: 'boolean', default: false },
} as const;

const COMMON = ['environment', 'json', 'help'];
/** First words of commands that have two. */
const GROUPS = ['failures', 'projections', 'person'];

interface Spec {
  readonly usage: string;
  readonly positionals: readonly string[];
  readonly options: readonly (keyof typeof OPTIONS)[];
  readonly example: readonly string[];
  readonly about: string;
  readonly details: string;
}

const ORDER_ID = '5d41402abc4b2a76b9719d911017c592';
const MESSAGE_ID = '019aa4f2-6c1e-7d53-9f0e-2b8a4c6d8e10';

const COMMANDS: Readonly<Record<Name, Spec>> = {
  order: {
    usage: 'order <order id> [--payload]',
    positionals: ['order id'],
    options: ['payload'],
    example: ['order', ORDER_ID],
    about: 'where an order is: its events, and what each consumer did with them',
    details: `Ends with a verdict: complete (exit 0), pending (3), or failed (4: a failure waits, an event was lost or applied
twice, or the order waits for nothing).
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
    details: `  --reason    kept in the record: no people's data
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
    usage: 'projections rebuild <name> [--check | --pause | --resume | --discard | --dry-run]',
    positionals: ['projection'],
    options: ['check', 'pause', 'resume', 'discard', 'dry-run'],
    example: ['projections', 'rebuild', 'orders-list'],
    about: 'replays the feed into a new version beside the one that is read, compares, switches over',
    details: `Goes on with one that is under way: after Ctrl-C or a crash, the same command. Ends with 0 where it is through, 3 where
it was stopped or paused, 4 where a check found differences. Needs about as long again as it has to load every aggregate.
  --check     compares the new version with the one that is read, tells differences, and removes the new one
  --pause     of one that runs elsewhere: it stops after its page
  --resume    goes on with one that was paused
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
};

const COMMON_HELP = `  --environment <name>  default dev
  --json                one JSON object

Where: ORDERLY_ENDPOINT if set (http://host:port, or aws); else for dev a running \`npm start\`; else AWS, with the
credentials and region of the environment.`;

/**
 * Reads a command line.
 * @throws {OperatorError} `usage`, with what was wrong and a right example
 */
export function readCommandLine(args: readonly string[]): Command {
  const { values, positionals, given } = parsed(args);
  const [first, second] = positionals;
  const name = GROUPS.some((group) => group === first) ? `${first} ${second ?? ''}`.trim() : (first ?? '');
  if (!isName(name)) {
    if (values.help || first === undefined) return { name: 'help', text: overview() };
    throw new OperatorError('usage', `'${name}' is no command.`, `${PROGRAM} --help`);
  }
  const spec = COMMANDS[name];
  if (values.help) return { name: 'help', text: helpOf(spec) };
  const words = positionals.slice(name.split(' ').length);
  const foreign = given.find((option) => !COMMON.includes(option) && !spec.options.some((one) => one === option));
  if (foreign !== undefined) throw wrong(`--${foreign} is no option of '${name}'.`, spec);
  const missing = spec.positionals[words.length];
  if (missing !== undefined) throw wrong(`'${name}' needs the ${missing}.`, spec);
  const excess = words[spec.positionals.length];
  if (excess !== undefined) throw wrong(`'${excess}' is one word too many for '${name}'.`, spec);
  const { environment, json, payload, consumer: ofConsumer, 'not-done': notDone, 'dry-run': dryRun } = values;
  if (!/^[a-z][a-z0-9-]*$/.test(environment)) throw wrong(`'${environment}' is no name of an environment.`, spec);
  const common = { environment, json };
  const [word = '', messageId = ''] = words;
  switch (name) {
    case 'order':
      return { name, orderId: word, payload, ...common };
    case 'failures list':
      return { name, consumer: ofConsumer, ...common };
    case 'failures show':
      return { name, consumer: word, messageId, payload, ...common };
    case 'failures redrive':
      return { name, consumer: word, messageId, notDone, dryRun, ...common };
    case 'failures discard': {
      const reason = values.reason?.trim();
      if (!reason)
        throw wrong("'failures discard' needs --reason: whoever finds the record later wants to know.", spec);
      return { name, consumer: word, messageId, reason, dryRun, ...common };
    }
    case 'projections list':
      return { name, ...common };
    case 'projections show':
      return { name, projection: word, ...common };
    case 'projections rebuild': {
      const asked = (['check', 'pause', 'resume', 'discard', 'dry-run'] as const).filter((flag) => values[flag]);
      const [action = 'rebuild', other] = asked;
      if (other !== undefined) throw wrong(`--${action} and --${other} don't go together.`, spec);
      return { name, projection: word, action, ...common };
    }
    case 'person forget':
      return { name, person: word, dryRun, ...common };
    case 'person export':
      return { name, person: word, ...common };
  }
}

function parsed(args: readonly string[]) {
  try {
    const { values, positionals, tokens } = parseArgs({
      args: [...args],
      options: OPTIONS,
      allowPositionals: true,
      tokens: true,
    });
    const given = tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []));
    return { values, positionals, given };
  } catch (error) {
    const message = error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error);
    throw new OperatorError('usage', `${message}.`, `${PROGRAM} --help`, { cause: error });
  }
}

const isName = (name: string): name is Name => Object.hasOwn(COMMANDS, name);

const wrong = (fault: string, spec: Spec): OperatorError => new OperatorError('usage', fault, command(...spec.example));

const helpOf = ({ usage, about, details, example }: Spec): string =>
  `${PROGRAM} ${usage}\n  ${about}\n\n${details}\n${COMMON_HELP}\n\nExample: ${command(...example)}`;

function overview(): string {
  const commands = Object.values(COMMANDS).map(({ usage, about }) => `  ${usage}\n      ${about}`);
  return `The operator's command line: ${PROGRAM} <command>\n\n${commands.join('\n')}\n\nWith each:\n  --help                more about it\n${COMMON_HELP}`;
}
