import { operatorCommand } from '../command.js';
import { discard } from '../discard.js';
import { listFailures, showFailure } from '../failures.js';
import { redrive } from '../redrive.js';

const MESSAGE_ID = '019aa4f2-6c1e-7d53-9f0e-2b8a4c6d8e10';

/** @param consumer name of a consumer, for the examples in the help */
export const failuresCommands = (consumer: string) => [
  operatorCommand({
    name: 'failures list',
    usage: 'failures list [--consumer <name>]',
    positionals: [],
    options: { consumer: { type: 'string' } },
    example: ['failures', 'list', '--consumer', consumer],
    about: 'what could not be processed or published, newest first',
    details: '  --consumer  those of one consumer; `relay` for what could not be published',
    parse: ({ options }) => ({ consumer: options.consumer }),
    run: listFailures,
  }),
  operatorCommand({
    name: 'failures show',
    usage: 'failures show <consumer> <message id> [--payload]',
    positionals: ['consumer', 'message id'],
    options: { payload: { type: 'boolean' } },
    example: ['failures', 'show', consumer, MESSAGE_ID],
    about: 'one failure with its reasons and what can be done about it',
    details: "  --payload   the message too: people's data",
    parse: ({ words: [consumer, messageId], options: { payload } }) => ({ consumer, messageId, payload }),
    run: showFailure,
  }),
  operatorCommand({
    name: 'failures redrive',
    usage: 'failures redrive <consumer> <message id> [--not-done] [--dry-run]',
    positionals: ['consumer', 'message id'],
    options: { 'not-done': { type: 'boolean' }, 'dry-run': { type: 'boolean' } },
    example: ['failures', 'redrive', consumer, MESSAGE_ID],
    about: 'has it done again, and waits a moment for what comes of it',
    details: `Ends with 0 where it is done, 3 where that isn't known yet, 4 where it failed again.
  --not-done  you have made sure that it was not done before (needed where nobody else can know)
  --dry-run   says what would be sent where, and changes nothing`,
    parse: ({ words: [consumer, messageId], options }) => ({
      consumer,
      messageId,
      notDone: options['not-done'],
      dryRun: options['dry-run'],
    }),
    run: redrive,
  }),
  operatorCommand({
    name: 'failures discard',
    usage: 'failures discard <consumer> <message id> --reason "<why>" [--dry-run]',
    positionals: ['consumer', 'message id'],
    options: { reason: { type: 'string' }, 'dry-run': { type: 'boolean' } },
    example: ['failures', 'discard', consumer, MESSAGE_ID, '--reason', 'test data, ticket 4711'],
    about: 'it will never be done; the record stays, with why, who and when',
    details: `Refused for the clock of a saga that waits: 'sagas retry' sets a new one.
  --reason    kept in the record: no people's data
  --dry-run   changes nothing`,
    parse: ({ words: [consumer, messageId], options, wrong }) => {
      const reason = options.reason?.trim();
      if (!reason) throw wrong("'failures discard' needs --reason: whoever finds the record later wants to know.");
      return { consumer, messageId, reason, dryRun: options['dry-run'] };
    },
    run: discard,
  }),
];
