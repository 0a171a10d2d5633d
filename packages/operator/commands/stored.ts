import { operatorCommand } from '../cli/command.js';
import { timeOf } from './options.js';

/** A UUID of version 7: its first digits are its time. `aws/ids.ts` knows it too, but loads what a wrong call should not wait for. */
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** Ids of one call. */
const MOST_IDS = 20;

const MESSAGE_ID = '019aa4f2-6c1e-7d53-9f0e-2b8a4c6d8e10';

/** @param consumer name of a consumer, for the example in the help */
export const storedCommand = (consumer: string) =>
  operatorCommand({
    name: 'stored',
    names: { options: { consumer: async (...call) => (await import('./names.js')).findConsumers(...call) } },
    usage: 'stored <message id> [--with <message id>,<message id>] [--consumer <name>] [--at <time>]',
    positionals: ['message id'],
    options: { with: { type: 'string', default: '' }, consumer: { type: 'string' }, at: { type: 'string' } },
    example: ['stored', MESSAGE_ID, '--consumer', consumer],
    about: 'shows the items and the log lines that name a message, as they are stored',
    details: `Its commit, the records of its consumers, and the log lines of two minutes. Personal data is sealed in all of them.
  --with      other messages that belong to it, such as those that its effect committed: up to ${MOST_IDS - 1}
  --consumer  records and log lines of one consumer only
  --at        time around which the log is read; by default the time of the message`,
    parse: ({ words: [messageId], options: { with: others, consumer: of, at }, wrong }) => {
      const ids = [messageId, ...others.split(',').filter((id) => id !== '')];
      const strange = ids.find((id) => !ID.test(id));
      if (strange !== undefined) throw wrong(`'${strange}' is no id of a message: expected a UUID of version 7.`);
      if (ids.length > MOST_IDS) throw wrong(`There are ${ids.length} ids: expected at most ${MOST_IDS}.`);
      return { ids, consumer: of, at: timeOf('at', at, wrong) };
    },
    run: async (...call) => (await import('../records/show-stored.js')).showStored(...call),
  });
