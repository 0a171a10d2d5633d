import { type CommandInput, type FindNames, operatorCommand } from '../cli/command.js';
import type { DiscardRequest } from '../failures/discard.js';
import type { RedriveRequest } from '../failures/redrive.js';
import type { AnnotateRequest } from '../groups/annotate.js';
import type { CustomerSource } from '../groups/customers.js';
import type { GroupRequest } from '../groups/run.js';
import { MAX_RATE, noteIn, parseGroup, parseLimit, reasonIn, requireId, timeOf } from './options.js';

const MESSAGE_ID = '019aa4f2-6c1e-7d53-9f0e-2b8a4c6d8e10';

const listeners: FindNames = async (...call) => (await import('./names.js')).findListenerNames(...call);
const causes: FindNames = async (...call) => (await import('./names.js')).findCauseIds(...call);
const groups: FindNames = async (...call) => (await import('./names.js')).findGroupIds(...call);

/** Default number of messages per second. */
const RATE = '10';

/**
 * @param consumer name of a consumer, for the examples in the help
 * @param customers loads how the application finds the customers of failures. @default the groups don't say them
 */
export const failuresCommands = (consumer: string, customers?: () => Promise<CustomerSource>) => [
  operatorCommand({
    name: 'failures list',
    names: { options: { consumer: listeners } },
    usage: 'failures list [--consumer <name>] [--limit <n>] [--before <time>]',
    positionals: [],
    options: {
      consumer: { type: 'string' },
      limit: { type: 'string', default: '100' },
      before: { type: 'string' },
    },
    example: ['failures', 'list', '--consumer', consumer],
    about: 'lists messages that could not be processed or published, newest first',
    details: `  --consumer  failures of one consumer only; 'relay' for messages that could not be published
  --limit     maximum number of failures, 1 to 1000; default 100
  --before    only those that failed before this time: the list names it if there are older ones`,
    parse: ({ options: { consumer, limit, before }, wrong }) => ({
      consumer,
      before: timeOf('before', before, wrong),
      limit: parseLimit(limit, wrong),
    }),
    run: async (...call) => (await import('../failures/failures.js')).listFailures(...call),
  }),
  operatorCommand({
    name: 'failures causes',
    usage: 'failures causes',
    positionals: [],
    options: {},
    example: ['failures', 'causes'],
    about: 'groups failures and stuck sagas by their cause across all consumers, with publisher, trend and notes',
    details: `A cause is an error's name, its message without ids, hashes, times and numbers, and the publisher and type of the messages. So one bad
publisher is one cause, however many consumers refuse what it sends. Exit code 0: no failures, no stuck saga. 4: one waits for
an operator. The trend has one sign for each of the last 24 hours, the newest on the right.`,
    parse: () => ({}),
    run: async (context) => (await import('../groups/cause-list.js')).listFailureCauses(context, await customers?.()),
  }),
  operatorCommand({
    name: 'failures annotate',
    names: { word: causes },
    usage: 'failures annotate <cause> [--owner <who>] [--ticket <number>] [--note "<text>"]',
    positionals: ['cause'],
    options: { owner: { type: 'string' }, ticket: { type: 'string' }, note: { type: 'string' } },
    example: ['failures', 'annotate', '871dfe3', '--owner', 'olga', '--ticket', '4711'],
    about: 'says who takes care of a cause, its ticket, and what is known of it',
    details: `'failures causes' names the causes; a beginning of an id is enough. What is not given stays; an empty text removes it. The note stays for
400 days, also while the cause is gone. The audit log keeps each change.
  --owner     who takes care of it
  --ticket    number or address of a ticket
  --note      what is known of it; it must not contain personal data`,
    parse: ({ words: [cause], options: { owner, ticket, note }, wrong }): AnnotateRequest => {
      requireId('cause', cause, wrong);
      const given = Object.entries({ owner, ticket, note }).filter(([, text]) => text !== undefined);
      if (given.length === 0) throw wrong("'failures annotate' needs --owner, --ticket or --note.");
      return {
        cause,
        fields: Object.fromEntries(given.map(([name, text]) => [name, noteIn(name, text ?? '', wrong)])),
      };
    },
    run: async (...call) => (await import('../groups/annotate.js')).annotateCause(...call),
  }),
  operatorCommand({
    name: 'failures groups',
    names: { options: { consumer: listeners } },
    usage: 'failures groups [--consumer <name>]',
    positionals: [],
    options: { consumer: { type: 'string' } },
    example: ['failures', 'groups', '--consumer', consumer],
    about: 'groups failures and stuck sagas by consumer and cause, the largest group first, with what to do about each',
    details: `A cause is a consumer, an error's name, and its message without ids, hashes, times and numbers; of a stuck saga, its step and
the reason. Exit code 0: no failures, no stuck saga. 4: one waits for an operator.
  --consumer  failures of one consumer only; 'relay' for messages that could not be published`,
    parse: ({ options: { consumer } }) => ({ consumer }),
    run: async (...call) => (await import('../groups/list.js')).listFailureGroups(...call, await customers?.()),
  }),
  operatorCommand({
    name: 'failures show',
    names: { word: listeners },
    usage: 'failures show <consumer> <message id> [--payload]',
    positionals: ['consumer', 'message id'],
    options: { payload: { type: 'boolean' } },
    example: ['failures', 'show', consumer, MESSAGE_ID],
    about: 'shows one failure with its reasons, and the commands that end it',
    details: `Of a failure's id, a beginning of at least 7 characters is enough.
  --payload   prints the message too, which may contain personal data`,
    parse: ({ words: [consumer, messageId], options: { payload } }) => ({ consumer, messageId, payload }),
    run: async (...call) => (await import('../failures/failures.js')).showFailure(...call),
  }),
  operatorCommand({
    name: 'failures redrive',
    names: { word: listeners, options: { cause: causes, group: groups } },
    usage:
      'failures redrive (<consumer> <message id> [--not-done] | (--cause <id> | --group <id>) [--rate <n>]) [--dry-run]',
    positionals: ['consumer?', 'message id?'],
    options: {
      cause: { type: 'string' },
      group: { type: 'string' },
      rate: { type: 'string', default: RATE },
      'not-done': { type: 'boolean' },
      'dry-run': { type: 'boolean' },
    },
    example: ['failures', 'redrive', consumer, MESSAGE_ID],
    about: 'sends a message again, or all of a cause or a group, and waits up to 20 seconds for the result',
    details: `Exit code 0: processed. 3: no result yet, or stopped. 4: failed again, or skipped. 5: a probe failed again, and nothing
else was sent. May be stopped by Ctrl-C and run again: what was processed is not sent again.
  --cause     all failures of a cause at all its consumers ('failures causes'; a beginning of its id is enough). The first one of
              each consumer is a probe. Those that may have been processed before, and those that can't be redriven, are skipped
  --group     all failures of a group ('failures groups'; a beginning of its id is enough). The first one is a probe
  --rate      maximum number of messages per second, 1 to ${MAX_RATE}; default ${RATE}
  --not-done  confirms that the message was not processed before (required if no record can show it)
  --dry-run   prints what would be sent and where, and changes nothing`,
    parse: ({ words, options, wrong }): RedriveRequest | GroupRequest => {
      const dryRun = options['dry-run'];
      if (options.group !== undefined || options.cause !== undefined) {
        if (options['not-done'])
          throw wrong('--not-done is about one message: a group or a cause may have some that were processed.');
        return { ...parseGroup('failures redrive', options, describeArguments(words), wrong), dryRun };
      }
      return { ...requireMessage('failures redrive', words, wrong), notDone: options['not-done'], dryRun };
    },
    run: async (context, request) =>
      'group' in request
        ? (await import('../groups/redrive.js')).redriveAll(context, request)
        : (await import('../failures/redrive.js')).redrive(context, request),
  }),
  operatorCommand({
    name: 'failures discard',
    names: { word: listeners, options: { cause: causes, group: groups } },
    irreversible: true,
    usage:
      'failures discard (<consumer> <message id> | (--cause <id> | --group <id>) [--rate <n>]) --reason "<why>" [--dry-run]',
    positionals: ['consumer?', 'message id?'],
    options: {
      cause: { type: 'string' },
      group: { type: 'string' },
      rate: { type: 'string', default: RATE },
      reason: { type: 'string' },
      'dry-run': { type: 'boolean' },
    },
    example: ['failures', 'discard', consumer, MESSAGE_ID, '--reason', 'test data, ticket 4711'],
    about:
      'ends a failure, or all of a cause or a group, without processing; the records stay, with reason, operator and time',
    details: `Refused for the timeout of a waiting saga: 'sagas retry' sets a new one. Exit code of a cause or a group 3: stopped. 4: some refused.
  --cause     all failures of a cause at all its consumers ('failures causes'; a beginning of its id is enough)
  --group     all failures of a group ('failures groups'; a beginning of its id is enough)
  --rate      maximum number of messages per second, 1 to ${MAX_RATE}; default ${RATE}
  --reason    kept in the records, so it must not contain personal data
  --dry-run   changes nothing`,
    parse: ({ words, options, wrong }): DiscardRequest | (GroupRequest & Pick<DiscardRequest, 'reason'>) => {
      const { group, cause } = options;
      const one =
        group === undefined && cause === undefined
          ? requireMessage('failures discard', words, wrong)
          : parseGroup('failures discard', options, describeArguments(words), wrong);
      return { ...one, reason: reasonIn('failures discard', options.reason, wrong), dryRun: options['dry-run'] };
    },
    run: async (context, request) =>
      'group' in request
        ? (await import('../groups/discard.js')).discardAll(context, request)
        : (await import('../failures/discard.js')).discard(context, request),
  }),
];

type Words = readonly [string | undefined, string | undefined];

const describeArguments = ([word]: Words) => ({ word, one: 'a consumer and a message id' });

/** @throws {OperatorError} `usage` */
function requireMessage(name: string, [consumer, messageId]: Words, wrong: CommandInput['wrong']) {
  if (consumer === undefined) throw wrong(`'${name}' needs the consumer, or --cause or --group.`);
  if (messageId === undefined) throw wrong(`'${name}' needs the message id.`);
  return { consumer, messageId };
}
