import { signal } from '@preact/signals';
import type { History } from '../order/history.js';
import { ask } from '../page/ask.js';
import type { PlayedToy, Toy } from '../server/contract.js';

const MINUTE = 60_000;

/** Button of the first view: what it does, and what is to be seen then. */
export interface Step {
  readonly name: 'place' | 'again' | 'kill' | 'minute';
  readonly label: string;
  readonly about: string;
  /** Whether it needs a history that is shown. */
  readonly needsHistory: boolean;
}

/** Id whose history the first view shows; empty as long as there is none. */
export const followed = signal('');
/** Steps that somebody has done. */
export const done = signal<ReadonlySet<Step['name']>>(new Set());

/** Returns the steps, in the order in which they are to be done. @param toy something that the app offers to try; absent if nothing */
export function listSteps(toy: Toy | undefined): readonly Step[] {
  const place: Step = {
    name: 'place',
    label: toy?.label ?? '',
    about: 'Watch it below. A green bar is a message that a function has applied.',
    needsHistory: false,
  };
  return [
    ...(toy ? [place] : []),
    {
      name: 'again',
      label: 'Send all its messages again',
      about: 'Each arrives a second time. A grey bar is a duplicate: recognised, and nothing changed.',
      needsHistory: true,
    },
    {
      name: 'kill',
      label: 'Kill a function at work',
      about: `${toy ? 'The same is done once more' : 'A message is sent again'}, and a function dies in the middle of it: a red cross.`,
      needsHistory: true,
    },
    {
      name: 'minute',
      label: 'Let a minute pass',
      about: 'The queue delivers the lost message again, and this time it is applied.',
      needsHistory: false,
    },
  ];
}

/**
 * Does a step.
 * @param history that is shown
 * @returns one sentence that says what was done
 * @throws {Error} if it can't be done
 */
export async function takeStep({ name }: Step, toy: Toy | undefined, history: History | undefined): Promise<string> {
  const text = await TAKE[name](toy, history);
  done.value = new Set([...done.value, name]);
  return text;
}

const TAKE: Readonly<Record<Step['name'], (toy: Toy | undefined, history: History | undefined) => Promise<string>>> = {
  place: (toy) => play(toy),
  async again(_, history) {
    const messages = listMessages(history);
    // One that a relay has not published yet is on no bus, so it can't come again.
    const sent = await Promise.allSettled(messages.map((id) => ask('/_local/duplicate', { id })));
    const [refused] = sent.filter((one) => one.status === 'rejected');
    const count = sent.filter(({ status }) => status === 'fulfilled').length;
    if (count === 0) throw refused?.reason ?? new Error('No function has got a message yet: there is nothing to send.');
    return `${count} messages are on their way a second time.`;
  },
  async kill(toy, history) {
    const { owner, eventId, type } = chooseVictim(history);
    await ask('/_local/fault', { owner, kind: 'killed-before', next: 1 });
    if (toy) await play(toy);
    else await ask('/_local/duplicate', { id: eventId });
    return `${owner} dies while it works on ${type}. Its message comes again after a minute.`;
  },
  async minute() {
    await ask('/_local/forward', { milliseconds: MINUTE });
    return 'A minute has passed: what was lost came again.';
  },
};

async function play(toy: Toy | undefined): Promise<string> {
  if (!toy) throw new Error('The app offers nothing to try.');
  const { text, id } = await ask<PlayedToy>(`/_console/toys/${toy.id}`, {});
  if (id !== undefined) followed.value = id;
  return text;
}

/** Ids of the messages that a consumer has got: a message without a subscriber has nobody to recognise it. */
const listMessages = (history: History | undefined): readonly string[] => [
  ...new Set(history?.deliveries.map(({ eventId }) => eventId)),
];

/**
 * Chooses the function to kill: one in the middle of the work. Commands come one after the other, so all that follows waits for it.
 * @throws {Error} if no function has got a message
 */
export function chooseVictim(history: History | undefined): {
  readonly owner: string;
  readonly eventId: string;
  readonly type: string;
} {
  const commands = new Set(
    history?.commits.flatMap(({ messages }) => messages.filter(({ to }) => to !== undefined).map(({ id }) => id)),
  );
  const able = (history?.deliveries ?? []).flatMap(({ owner, eventId, type }) =>
    owner === undefined ? [] : [{ owner, eventId, type }],
  );
  const preferred = able.filter(({ eventId }) => commands.has(eventId));
  const among = preferred.length > 0 ? preferred : able;
  const victim = among[Math.floor(among.length / 2)];
  if (!victim) throw new Error('No function has got a message yet: there is nobody to kill.');
  return victim;
}
