import { operatorCommand } from '../cli/command.js';
import { INBOX_STATES } from '../inboxes/inbox-states.js';
import { reasonIn } from './options.js';

const MESSAGE_ID = '019aa4f2-6c1e-7d53-9f0e-2b8a4c6d8e10';
const isState = (text: string): text is (typeof INBOX_STATES)[number] =>
  (INBOX_STATES as readonly string[]).includes(text);

/** @param inbox name of an inbox's consumer, for the examples in the help */
export const inboxCommands = (inbox: string) => [
  operatorCommand({
    name: 'inbox list',
    usage: 'inbox list [--consumer <name>] [--state <state>] [--subject <Type/id>]',
    positionals: [],
    options: { consumer: { type: 'string' }, state: { type: 'string' }, subject: { type: 'string' } },
    example: ['inbox', 'list', '--consumer', inbox, '--state', 'failed'],
    about: 'lists stored messages that have not been processed, oldest first',
    details: `  --consumer  messages of one inbox only
  --state     ${INBOX_STATES.join(', ')}
  --subject   messages about one aggregate only`,
    parse: ({ options: { consumer, state, subject }, wrong }) => {
      if (state !== undefined && !isState(state)) {
        throw wrong(`--state is '${state}': expected ${INBOX_STATES.join(', ')}.`);
      }
      return { consumer, state, subject };
    },
    run: async (...call) => (await import('../inboxes/inbox.js')).listInbox(...call),
  }),
  operatorCommand({
    name: 'inbox show',
    usage: 'inbox show <consumer> <message id> [--payload]',
    positionals: ['consumer', 'message id'],
    options: { payload: { type: 'boolean' } },
    example: ['inbox', 'show', inbox, MESSAGE_ID],
    about: 'shows one stored message with its state and the reasons of its failed attempts',
    details: '  --payload   prints the message too, which may contain personal data',
    parse: ({ words: [consumer, messageId], options: { payload } }) => ({ consumer, messageId, payload }),
    run: async (...call) => (await import('../inboxes/inbox.js')).showInbox(...call),
  }),
  operatorCommand({
    name: 'inbox retry',
    usage: 'inbox retry <consumer> <message id> [--not-done] [--dry-run]',
    positionals: ['consumer', 'message id'],
    options: { 'not-done': { type: 'boolean' }, 'dry-run': { type: 'boolean' } },
    example: ['inbox', 'retry', inbox, MESSAGE_ID],
    about: 'gives a failed message new attempts, and waits up to 20 seconds for the result',
    details: `The message continues from its saved progress. Exit code 0: processed. 3: no result yet. 4: failed again.
  --not-done  confirms that the message was not processed before (required if no record can show it)
  --dry-run   prints what would be sent and where, and changes nothing`,
    parse: ({ words: [consumer, messageId], options }) => ({
      consumer,
      messageId,
      notDone: options['not-done'],
      dryRun: options['dry-run'],
    }),
    run: async (...call) => (await import('../inboxes/inbox.js')).retryInbox(...call),
  }),
  operatorCommand({
    name: 'inbox discard',
    irreversible: true,
    usage: 'inbox discard <consumer> <message id> --reason "<why>" [--dry-run]',
    positionals: ['consumer', 'message id'],
    options: { reason: { type: 'string' }, 'dry-run': { type: 'boolean' } },
    example: ['inbox', 'discard', inbox, MESSAGE_ID, '--reason', 'test data, ticket 4711'],
    about: 'ends a failed message without processing it; the record stays, with reason, operator and time',
    details: `  --reason    kept in the record, so it must not contain personal data
  --dry-run   changes nothing`,
    parse: ({ words: [consumer, messageId], options, wrong }) => ({
      consumer,
      messageId,
      reason: reasonIn('inbox discard', options.reason, wrong),
      dryRun: options['dry-run'],
    }),
    run: async (...call) => (await import('../inboxes/inbox.js')).discardInbox(...call),
  }),
];
