import { parseArgs } from 'node:util';
import { OperatorError } from './errors.js';
import type { RebuildOrder } from './rebuild.js';
import type { SagaRequest } from './saga-command.js';
import { command, PROGRAM } from './text.js';
import { COMMANDS, OPTIONS, type Spec } from './usage.js';

/** Options that every command accepts. */
export interface Common {
  /** Environment of the deployment: `dev`, `prod`. */
  readonly environment: string;
  /** Whether to print one JSON object instead of text. */
  readonly json: boolean;
}

/** Identifies one failure. */
interface OneFailure {
  readonly consumer: string;
  readonly messageId: string;
}

/** A valid command line. */
export type Command =
  | { readonly name: 'help'; readonly text: string }
  | ({ readonly name: 'order'; readonly orderId: string; readonly payload: boolean } & Common)
  | ({ readonly name: 'failures list'; readonly consumer: string | undefined } & Common)
  | ({ readonly name: 'failures show'; readonly payload: boolean } & OneFailure & Common)
  | ({ readonly name: 'failures redrive'; readonly notDone: boolean; readonly dryRun: boolean } & OneFailure & Common)
  | ({ readonly name: 'failures discard'; readonly reason: string; readonly dryRun: boolean } & OneFailure & Common)
  | ({ readonly name: 'sagas list'; readonly limit: number } & Common)
  | ({ readonly name: 'sagas show'; readonly sagaId: string } & Common)
  | ({ readonly name: 'sagas retry' | 'sagas resolve' } & SagaRequest & Common)
  | ({ readonly name: 'projections list' } & Common)
  | ({ readonly name: 'projections show'; readonly projection: string } & Common)
  | ({ readonly name: 'projections rebuild'; readonly projection: string } & RebuildOrder & Common)
  | ({ readonly name: 'person forget'; readonly person: string; readonly dryRun: boolean } & Common)
  | ({ readonly name: 'person export'; readonly person: string } & Common);

const COMMON = ['environment', 'json', 'help'];
/** First words of commands that consist of two. */
const GROUPS = ['failures', 'sagas', 'projections', 'person'];

const COMMON_HELP = `  --environment <name>  default dev
  --json                one JSON object

Where: ORDERLY_ENDPOINT if set (http://host:port, or aws); else for dev a running \`npm start\`; else AWS, with the
credentials and region of the environment.`;

/**
 * Reads a command line.
 * @throws {OperatorError} `usage`, with the mistake and a correct example
 */
export function readCommandLine(args: readonly string[]): Command {
  const { values, positionals, given } = parsed(args);
  const [first, second] = positionals;
  const name = GROUPS.some((group) => group === first) ? `${first} ${second ?? ''}`.trim() : (first ?? '');
  if (!isName(name)) {
    if (values.help || first === undefined) return { name: 'help', text: overview() };
    throw new OperatorError('usage', `'${name}' is no command.`, `${PROGRAM} --help`);
  }
  const spec: Spec = COMMANDS[name];
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
    case 'sagas list': {
      const limit = Number(values.limit);
      if (!/^\d{1,4}$/.test(values.limit) || limit < 1 || limit > 1000)
        throw wrong(`--limit is '${values.limit}': expected 1 to 1000.`, spec);
      return { name, limit, ...common };
    }
    case 'sagas show':
      return { name, sagaId: word, ...common };
    case 'sagas retry':
      return { name, action: 'retry', sagaId: word, dryRun, ...common };
    case 'sagas resolve': {
      const note = values.note?.trim();
      if (!note) throw wrong("'sagas resolve' needs --note: whoever reads the history later wants to know.", spec);
      if (note.length > 500) throw wrong(`--note has ${note.length} characters, at most 500 are kept.`, spec);
      return { name, action: 'resolve', sagaId: word, note, dryRun, ...common };
    }
    case 'projections list':
      return { name, ...common };
    case 'projections show':
      return { name, projection: word, ...common };
    case 'projections rebuild': {
      const asked = (['check', 'discard', 'dry-run'] as const).filter((flag) => values[flag]);
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

const isName = (name: string): name is keyof typeof COMMANDS => Object.hasOwn(COMMANDS, name);

const wrong = (fault: string, spec: Spec): OperatorError => new OperatorError('usage', fault, command(...spec.example));

const helpOf = ({ usage, about, details, example }: Spec): string =>
  `${PROGRAM} ${usage}\n  ${about}\n\n${details}\n${COMMON_HELP}\n\nExample: ${command(...example)}`;

function overview(): string {
  const commands = Object.values(COMMANDS).map(({ usage, about }) => `  ${usage}\n      ${about}`);
  return `The operator's command line: ${PROGRAM} <command>\n\n${commands.join('\n')}\n\nWith each:\n  --help                more about it\n${COMMON_HELP}`;
}
