import { limitOf, operatorCommand } from '../command.js';
import { discard } from '../discard.js';
import { listFailures, showFailure } from '../failures.js';
import { redrive } from '../redrive.js';

const MESSAGE_ID = '019aa4f2-6c1e-7d53-9f0e-2b8a4c6d8e10';

/** @param consumer name of a consumer, for the examples in the help */
export const failuresCommands = (consumer: string) => [
  operatorCommand({
    name: 'failures list',
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
    parse: ({ options: { consumer, limit, before }, wrong }) => {
      if (before !== undefined && Number.isNaN(Date.parse(before)))
        throw wrong(`--before is '${before}': expected a time, as 2026-12-01T08:00:00Z.`);
      const time = before === undefined ? undefined : new Date(before).toISOString();
      return { consumer, limit: limitOf(limit, wrong), before: time };
    },
    run: listFailures,
  }),
  operatorCommand({
    name: 'failures show',
    usage: 'failures show <consumer> <message id> [--payload]',
    positionals: ['consumer', 'message id'],
    options: { payload: { type: 'boolean' } },
    example: ['failures', 'show', consumer, MESSAGE_ID],
    about: 'shows one failure with its reasons, and the commands that end it',
    details: '  --payload   prints the message too, which may contain personal data',
    parse: ({ words: [consumer, messageId], options: { payload } }) => ({ consumer, messageId, payload }),
    run: showFailure,
  }),
  operatorCommand({
    name: 'failures redrive',
    usage: 'failures redrive <consumer> <message id> [--not-done] [--dry-run]',
    positionals: ['consumer', 'message id'],
    options: { 'not-done': { type: 'boolean' }, 'dry-run': { type: 'boolean' } },
    example: ['failures', 'redrive', consumer, MESSAGE_ID],
    about: 'sends the message again, and waits up to 20 seconds for the result',
    details: `Exit code 0: processed. 3: no result yet. 4: failed again.
  --not-done  confirms that the message was not processed before (required if no record can show it)
  --dry-run   prints what would be sent and where, and changes nothing`,
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
    about: 'ends a failure without processing the message; the record stays, with reason, operator and time',
    details: `Refused for the timeout of a waiting saga: 'sagas retry' sets a new one.
  --reason    kept in the record, so it must not contain personal data
  --dry-run   changes nothing`,
    parse: ({ words: [consumer, messageId], options, wrong }) => {
      const reason = options.reason?.trim();
      if (!reason) throw wrong("'failures discard' needs --reason: the record keeps it.");
      return { consumer, messageId, reason, dryRun: options['dry-run'] };
    },
    run: discard,
  }),
];
