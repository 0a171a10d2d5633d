import { operatorCommand } from '../cli/command.js';
import { reasonIn } from './options.js';

/** @param consumer name of a consumer, for the examples in the help */
export const consumersCommands = (consumer: string) => [
  operatorCommand({
    name: 'consumers list',
    usage: 'consumers list',
    positionals: [],
    options: {},
    example: ['consumers', 'list'],
    about: 'lists the consumers: which ones run or are paused, by whom and why, and how many messages wait',
    details: `running: it gets messages. paused: an operator paused it. switched off: its mapping is off, and no operator has noted why.
running, though paused: something, such as a deployment, has switched it on; 'consumers pause' or 'consumers resume' makes it clear.`,
    parse: () => ({}),
    run: async (context) => (await import('../consumers/consumer-list.js')).listConsumers(context),
  }),
  operatorCommand({
    name: 'consumers pause',
    names: { word: async (...call) => (await import('./names.js')).findConsumers(...call) },
    usage: 'consumers pause <consumer> --reason "<why>"',
    positionals: ['consumer'],
    options: { reason: { type: 'string' } },
    example: ['consumers', 'pause', consumer, '--reason', 'it books twice, ticket 4711'],
    about: 'stops giving messages to a consumer; they wait in its queue, and none of them counts as tried',
    details: `The consumer ends the messages that it is handling now. Its queue keeps messages for seven days. A restore leaves it paused; so does a deployment that
doesn't change its event source mapping. 'status', 'doctor' and 'consumers list' show it.
  --reason    kept with your name and the time, so it must not contain personal data`,
    parse: ({ words: [name], options, wrong }) => ({
      consumer: name,
      reason: reasonIn('consumers pause', options.reason, wrong),
    }),
    run: async (...call) => (await import('../consumers/pause-consumer.js')).pauseConsumer(...call),
  }),
  operatorCommand({
    name: 'consumers resume',
    names: { word: async (...call) => (await import('./names.js')).findConsumers(...call) },
    usage: 'consumers resume <consumer>',
    positionals: ['consumer'],
    options: {},
    example: ['consumers', 'resume', consumer],
    about: 'gives messages to a paused consumer again',
    details: 'It also switches on a consumer whose event source mapping was switched off in another way.',
    parse: ({ words: [name] }) => ({ consumer: name }),
    run: async (...call) => (await import('../consumers/pause-consumer.js')).resumeConsumer(...call),
  }),
];
