import { effect, signal } from '@preact/signals';
import type { CountName, Counts } from '../server/contract.js';
import { ask } from './ask.js';
import { formatNumber } from './format.js';
import { connection, gaps, listen } from './stream.js';

/** The newest numbers; undefined until they are there. */
export const proof = signal<ProvenCounts | undefined>(undefined);

/** Numbers of a local cloud, with what became of its deliveries. */
export type ProvenCounts = Counts & { readonly deliveries?: Readonly<Record<Ending, number>> };

/** Words for what became of a delivery, in the order in which they are shown. */
const ENDINGS = {
  applied: 'applied',
  stored: 'stored for later',
  duplicates: 'duplicates',
  done: 'handed to runners',
  postponed: 'come again',
  refused: 'refused',
  crashed: 'crashed',
  underWay: 'under way',
} as const;
type Ending = keyof typeof ENDINGS;

/** Says what became of all deliveries: `Delivered 12: 8 applied, 3 stored for later, 1 duplicates.` Nothing, if that isn't known. */
export function describeDeliveries({ deliveries }: ProvenCounts): string {
  if (!deliveries) return '';
  const known = (Object.keys(ENDINGS) as Ending[]).filter((ending) => deliveries[ending] > 0);
  const all = known.reduce((sum, ending) => sum + deliveries[ending], 0);
  return all === 0
    ? ''
    : `Delivered ${formatNumber(all)}: ${known.map((ending) => `${formatNumber(deliveries[ending])} ${ENDINGS[ending]}`).join(', ')}.`;
}

/** Least milliseconds between two questions: numbers are read, not stared at. */
const APART = 400;
/** Milliseconds after which they are asked for although nothing has happened: an audit may have ended. */
const ANYWAY = 5_000;

/** Words for a number, and what it counts. */
export const WORDS: Readonly<Record<CountName, { readonly label: string; readonly about: string }>> = {
  committed: {
    label: 'committed',
    about: 'Commits that the outbox has handed to a relay: state and message in one write.',
  },
  published: {
    label: 'published',
    about: 'Messages that the bus has accepted, as often as it has: a relay that dies sends again.',
  },
  delivered: {
    label: 'delivered',
    about: 'Messages that a consumer got from its queue, each attempt counted: at least once, and often more.',
  },
  applied: {
    label: 'applied',
    about:
      'Deliveries that changed something. What an inbox or a lane has stored is processed later, and counted on its own.',
  },
  duplicates: {
    label: 'duplicates recognised',
    about: 'Deliveries that changed nothing, because their message was applied before.',
  },
  crashes: {
    label: 'crashes survived',
    about: 'Invocations that ended without an answer, and whose messages have been processed since.',
  },
  lost: { label: 'lost', about: 'Deliveries without a record, and in no queue: the delivery audit compares them.' },
  twice: { label: 'done twice', about: 'Effects that happened more than once: the audit looks for each.' },
};

let asked = 0;
let planned = false;

/** Keeps the numbers up to date while the page is visible. */
export function keepProof(): void {
  listen(() => plan());
  setInterval(() => {
    if (!document.hidden && Date.now() - asked > ANYWAY) plan();
  }, ANYWAY);
  effect(() => {
    if (gaps.value >= 0 && connection.value === 'live') plan();
  });
}

function plan(): void {
  if (planned) return;
  planned = true;
  setTimeout(read, Math.max(0, asked + APART - Date.now()));
}

async function read(): Promise<void> {
  asked = Date.now();
  planned = false;
  const answer = await ask<ProvenCounts>('/_console/counts').catch(() => undefined);
  if (answer) proof.value = answer;
}
