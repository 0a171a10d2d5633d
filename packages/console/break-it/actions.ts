import { signal } from '@preact/signals';
import { ask } from '../page/ask.js';
import { readStatus } from '../page/clock.js';
import type { PlayedToy } from '../server/contract.js';

/** Result of the newest button, or the reason why it did nothing. */
export interface Said {
  readonly text: string;
  readonly failed: boolean;
  /** Id of the order, message or request to look at. */
  readonly id?: string;
}

export const said = signal<Said | undefined>(undefined);
/** Whether a button waits for its answer. */
export const busy = signal(false);

/** Construct to which faults can happen: `GET /_local/owners`. */
export interface Owner {
  readonly owner: string;
  readonly type: 'function' | 'queue' | 'rule';
}
export interface Owners {
  readonly owners: readonly Owner[];
  readonly kinds: Readonly<Record<Owner['type'], readonly string[]>>;
}

/** Milliseconds for which a random function is killed. */
const KILLED_FOR = 30_000;

/** Does what a button says, and shows what came of it. */
export async function act(work: () => Promise<Omit<Said, 'failed'>>): Promise<void> {
  busy.value = true;
  try {
    said.value = { ...(await work()), failed: false };
  } catch (error) {
    said.value = { text: (error as Error).message, failed: true };
  } finally {
    busy.value = false;
    await readStatus();
  }
}

export async function sendEverythingAgain() {
  const { sent } = await ask<{ sent: number }>('/_local/duplicate', { all: true });
  return { text: `${sent} messages are on the bus again: see the duplicates that are recognised.` };
}

/** Kills one of the functions that have worked lately, or any if none has. */
export async function killRandom() {
  const { items } = await ask<{ items: readonly { owner: string }[] }>('/_console/counted/delivered');
  const recent = [...new Set(items.map(({ owner }) => owner))];
  const names = recent.length > 0 ? recent : (await readOwners()).owners.filter(isFunction).map(({ owner }) => owner);
  const owner = names[Math.floor(Math.random() * names.length)];
  if (owner === undefined) throw new Error('There is no function to kill.');
  await ask('/_local/fault', { owner, kind: 'crashed', milliseconds: KILLED_FOR });
  return {
    text: `${owner} dies in each call for 30 s. Give it work now; +1 min lets the messages that it loses come again.`,
  };
}

/** The relays are the kit's functions that publish. */
export async function refuseTheBus() {
  const relays = (await readOwners()).owners.filter((one) => isFunction(one) && /\/Relay$/.test(one.owner));
  if (relays.length === 0) throw new Error('No function is a relay of an outbox: there is nobody to refuse.');
  for (const { owner } of relays)
    await ask('/_local/fault', { owner, kind: 'refused-for-long', milliseconds: KILLED_FOR });
  return {
    text: `The next call of each of ${relays.length} relays is refused, and so are those of the 30 s after it.`,
  };
}

export async function loseAnswers() {
  await ask('/_local/fault', { owner: '*', kind: 'answer-lost', next: 20 });
  return { text: 'The next 20 calls take effect, and their answers never arrive.' };
}

export async function poisonAMessage() {
  const { type, id } = await ask<{ type: string; id: string }>('/_local/poison', {});
  return {
    text: `A ${type} without its data is on the bus: no consumer can read it, and no other message waits for it.`,
    id,
  };
}

export async function calm() {
  await ask('/_local/calm', {});
  return { text: 'No fault is left.' };
}

export async function withdraw(owner: string, kind: string) {
  await ask('/_local/calm', { owner, kind });
  return { text: `${kind} at ${owner} is withdrawn.` };
}

export async function injectFault(owner: string, kind: string, next: number) {
  await ask('/_local/fault', { owner, kind, next });
  return { text: `The next ${next === 1 ? 'chance' : `${next} chances`} at ${owner}: ${kind}.` };
}

export const playToy = (id: string): Promise<PlayedToy> => ask<PlayedToy>(`/_console/toys/${id}`, {});
export const readOwners = (): Promise<Owners> => ask<Owners>('/_local/owners');

const isFunction = ({ type }: Owner): boolean => type === 'function';
