import type { Stage } from './stage.js';

/** A demonstration of one pattern, on a running local cloud. */
export interface Demo {
  readonly name: string;
  /** Pattern that it shows, in the words of the field. */
  readonly pattern: string;
  readonly about: string;
  /** Damage that it does and mends, or the time that it lets pass. It says so first. @default it does neither */
  readonly warning?: string;
  readonly play: (stage: Stage) => Promise<void>;
}

const STAYS_AHEAD = `The clock of the local cloud then stays ahead. npm run orderly -- local reset sets it back, and empties everything.`;

/** All demos, in the order of the list that `npm run demo` prints. Their code is loaded when they are played. */
export const DEMOS: readonly Demo[] = [
  {
    name: 'dedupe',
    pattern: 'idempotent consumer',
    about: 'each command arrives twice: at a naive consumer, one with Powertools, an idempotent one',
    warning: 'It makes the function Inventory/OnCommands die after its next write; the fault is withdrawn at the end.',
    play: async (stage) => (await import('./dedupe.js')).play(stage),
  },
  {
    name: 'charge',
    pattern: 'idempotent receiver',
    about: 'Bob is to pay 100 euros, and his client asks twice',
    warning:
      'It makes the function Payments/RequestPayment die after its next write; the fault is withdrawn at the end.',
    play: async (stage) => (await import('./charge.js')).play(stage),
  },
  {
    name: 'numbers',
    pattern: 'idempotent receiver',
    about: 'numbered updates of a user: repeated, answered from the record, refused when they are old',
    play: async (stage) => (await import('./numbers.js')).play(stage),
  },
  {
    name: 'basket',
    pattern: 'event bus',
    about: 'a price changes, and a basket shows the old price beside the new one',
    play: async (stage) => (await import('./basket.js')).play(stage),
  },
  {
    name: 'suspect',
    pattern: 'inbox, single',
    about: 'a user becomes SUSPECT, and all their active orders wait for a review',
    play: async (stage) => (await import('./suspect.js')).play(stage),
  },
  {
    name: 'rewards',
    pattern: 'inbox, sequential',
    about: 'a purchase, its refund and a bonus arrive in another order',
    warning:
      'It holds back messages of the queue Rewards/AccountEvents/Queue; the fault is withdrawn when the purchase is held.',
    play: async (stage) => (await import('./rewards.js')).play(stage),
  },
  {
    name: 'report',
    pattern: 'inbox, batch',
    about: 'a day closes at midnight, and a late event counts on the next day',
    warning: `It lets up to two days pass, and reports hear nothing for a part of them.\n${STAYS_AHEAD}`,
    play: async (stage) => (await import('./report.js')).play(stage),
  },
  {
    name: 'saga',
    pattern: 'saga',
    about: 'an order is approved; another is refused, and compensated step by step',
    play: async (stage) => (await import('./saga.js')).play(stage),
  },
  {
    name: 'forget',
    pattern: 'crypto-shredding',
    about: 'a person is forgotten: the events stay, and nobody can read their data',
    play: async (stage) => (await import('./forget.js')).play(stage),
  },
  {
    name: 'time',
    pattern: 'event sourcing',
    about: 'an order and an account as they were, and who changed them',
    play: async (stage) => (await import('./time.js')).play(stage),
  },
  {
    name: 'outbox',
    pattern: 'transactional outbox',
    about: 'the relay is down: nothing is lost, and the delivery audit sends again',
    warning: 'It makes the function Inventory/Outbox/Relay crash; the fault is withdrawn at the end.',
    play: async (stage) => (await import('./outbox.js')).play(stage),
  },
];

const column = (all: readonly string[]): number => Math.max(...all.map(({ length }) => length));
const [names, patterns] = [column(DEMOS.map(({ name }) => name)), column(DEMOS.map(({ pattern }) => pattern))];

/** The list that `npm run demo` prints. */
export const LIST = `npm run demo <name> plays one of them on the running npm start, in seconds:

${DEMOS.map(({ name, pattern, about }) => `  ${name.padEnd(names)}  ${pattern.padEnd(patterns)}  ${about}`).join('\n')}

They can be played in any order, and any number of times. docs/patterns.md explains the patterns.`;
