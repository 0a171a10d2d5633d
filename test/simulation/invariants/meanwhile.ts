import { LISTED_STATUS } from '../../../lambdas/orders/keys.js';
import { PROJECTIONS } from '../../../packages/kit/projection/contract.js';
import { parseKeyVersion, parseVersions } from '../../../packages/kit/projection/versions.js';
import type { Violation } from '../../../packages/simulator/search/scenario.js';
import { type Commit, type Facts, isCommit, type Line, linesOf, type Write } from '../../support/simulation/facts.js';
import type { Row } from '../../support/simulation/orderly.js';
import { type Check, violation } from './violation.js';

/** Promises about moments of a history, which its end no longer shows. */
export const meanwhile: Check = (facts) => [
  ...listsNeverGoBack(facts),
  ...timersAreInTime(facts),
  ...rejectionsNameWhatWasShort(facts),
];

/** Lists by what the partition keys of their rows begin with. */
const LISTS: Readonly<Record<string, string>> = { CUSTOMER: 'orders-list', CREDIT: 'accounts-exhausted' };

/**
 * A list never shows an older state of an order or an account than before, also while a rebuild switches its version. This is
 * about the table: a reader who is served by another replica may see the state of a moment ago.
 */
function listsNeverGoBack({ writes }: Facts): readonly Violation[] {
  /** By list, version of the list and id. */
  const rows = new Map<string, Map<number, Map<string, number>>>();
  const reads = new Map<string, number>();
  const shown = new Map<string, Map<string, number>>();
  const versions = (list: string) => rows.get(list) ?? rows.set(list, new Map()).get(list) ?? new Map();
  return writes.flatMap(({ at, fn, changes }) => {
    const touched = new Set<string>();
    for (const { before, after } of changes) {
      const row = after ?? before;
      const list = listOf(row);
      if (list === undefined || !row) continue;
      touched.add(list);
      if (row.sk === 'POINTER') {
        reads.set(list, parseVersions(after).reads);
        continue;
      }
      const version = parseKeyVersion(String(row.sk));
      const ofVersion = versions(list).get(version) ?? new Map<string, number>();
      versions(list).set(version, ofVersion);
      if (after) ofVersion.set(idOf(row), Number(after.version));
      else ofVersion.delete(idOf(row));
    }
    return [...touched].flatMap((list) => {
      const now: ReadonlyMap<string, number> = versions(list).get(reads.get(list) ?? 1) ?? new Map();
      const before = shown.get(list) ?? new Map<string, number>();
      shown.set(list, new Map(now));
      return [...before]
        .filter(([id, version]) => (now.get(id) ?? 0) < version)
        .map(([id, version]) =>
          violation(
            'a list never shows an older state than before',
            `${list} ${id}: ${version}, then ${now.get(id) ?? 'nothing'}, by ${fn} at ${new Date(at).toISOString()}`,
            id,
          ),
        );
    });
  });
}

function listOf(row: Row | undefined): string | undefined {
  const pk = String(row?.pk);
  if (row?.sk === 'POINTER') return pk.startsWith(PROJECTIONS) ? pk.slice(PROJECTIONS.length) : undefined;
  return typeof row?.version === 'number' ? LISTS[pk.slice(0, pk.indexOf('#'))] : undefined;
}

/** The order of a customer's row is in its sort key. An account's row, and the status beside a customer's list, have a partition each. */
function idOf({ pk, sk }: Row): string {
  const key = String(pk).startsWith('CREDIT#') || sk === LISTED_STATUS ? String(pk) : String(sk);
  return key.slice(key.lastIndexOf('#') + 1);
}

/**
 * A timer is handed out with the sweep after its moment. Milliseconds: the sweeper runs each minute, its index may be a minute
 * behind, and clocks differ.
 */
const IN_TIME = 3 * 60_000;
/** A fault of the sweeper: its invocation is retried after minutes, and what it was doing is due an hour later at most. */
const LATER_BY_A_FAULT = 70 * 60_000;

/** A timer of a saga comes when the saga said that it would, unless the sweeper itself is in trouble. */
function timersAreInTime(facts: Facts): readonly Violation[] {
  const { writes, orderly } = facts;
  const { cloud } = orderly;
  const sweepers = [...cloud.functions.values()].filter(({ label }) => /Sweeper$/.test(label));
  const faults = cloud.faults.injected.filter(({ point }) =>
    sweepers.some(({ label }) => point.startsWith(label)),
  ).length;
  const bound = IN_TIME + faults * LATER_BY_A_FAULT;
  const waiting = new Map<string, number>();
  const broken: Violation[] = [];
  for (const { at, changes } of writes) {
    for (const { before, after } of changes) {
      const pk = String((after ?? before)?.pk);
      if (!TIMER.test(pk)) continue;
      const { failures = [] } = (after ?? {}) as { readonly failures?: readonly { readonly name: string }[] };
      // What the queue refuses in the simulator passes. The timer may be cleared later, so the end does not show it.
      if (after?.status === 'FAILED' && failures[0]?.name === 'Unsendable')
        broken.push(violation('a timer that the queue refuses for a moment is sent later', pk, pk));
      const due = waiting.get(pk);
      const isLate = due !== undefined && at - due > bound;
      if (isLate && !sweepers.some(({ failsUntil }) => failsUntil > due)) {
        const told = `${pk} was due at ${new Date(due).toISOString()}, and touched at ${new Date(at).toISOString()}`;
        broken.push(violation('a timer is handed out within minutes', told, pk));
      }
      waiting.delete(pk);
      if (before || after?.status !== 'PENDING') continue;
      // A saga that receives late of what began its wait sets a timer that is due already.
      waiting.set(pk, Math.max(at, Date.parse(String(after.executeAt))));
      const meant = timerSetIn(changes, pk);
      if (meant !== undefined && meant !== after.executeAt)
        broken.push(
          violation('a timer is due when its saga says', `${pk} ${String(after.executeAt)}, not ${meant}`, pk),
        );
    }
  }
  return broken;
}

/** Key of the record of a saga's timer, with its number. */
const TIMER = /\/timer-(\d+)$/;

/** Returns the moment that the saga's commit in the same write names for a timer. */
function timerSetIn(changes: Write['changes'], pk: string): string | undefined {
  const number = Number(TIMER.exec(pk)?.[1]);
  return eventsIn(changes)
    .filter(({ type }) => type === 'TimerSet')
    .map(({ data }) => JSON.parse(data) as { readonly number: number; readonly at: string })
    .find((set) => set.number === number)?.at;
}

const eventsIn = (changes: Write['changes']): Commit['events'] =>
  changes.flatMap(({ before, after }) =>
    before === undefined && after && isCommit(after) ? (after as unknown as Commit).events : [],
  );

/** Milliseconds from the refusal of a reservation to the commit that tells of it: one invocation, and a write that is late. */
const REFUSED_BEFORE = 90_000;

interface Counted {
  readonly at: number;
  readonly sku: string;
  readonly available: number;
}

/**
 * A rejected reservation names exactly the lines for which there was too little, at one moment of its attempt: what does fit is
 * never rejected. What its transaction reserves for other orders may be taken first; pieces that come back before that
 * transaction is written come too late for it.
 */
function rejectionsNameWhatWasShort(facts: Facts): readonly Violation[] {
  const counted: Counted[] = [];
  const commanded = commandedReservations(facts);
  return facts.writes.flatMap(({ at, changes }) => {
    const reserved = new Map<string, number>();
    for (const { before, after } of changes) {
      if (String(after?.pk).startsWith('StockItem#') && after?.sk === 'STATE') {
        const sku = String(after.pk).slice('StockItem#'.length);
        counted.push({ at, sku, available: Number(after.available) });
        reserved.set(sku, Math.max(0, Number(before?.available ?? 0) - Number(after.available)));
      }
    }
    return eventsIn(changes)
      .filter(({ type }) => type === 'StockRejected')
      .flatMap(({ data }) => {
        const { orderId, skus } = JSON.parse(data) as { readonly orderId: string; readonly skus: readonly string[] };
        const { lines: ordered, sentAt } = commanded.get(orderId) ?? {};
        const from = Math.max(sentAt ?? 0, at - REFUSED_BEFORE);
        if (!ordered || [new Map(), reserved].some((taken) => wasShort(ordered, skus, { counted, from, taken })))
          return [];
        const told = `${orderId}: ${skus.join(', ')} of ${ordered.map(({ sku, quantity }) => `${quantity} ${sku}`).join(', ')}`;
        return [violation('a rejection names exactly the lines that were short', told, orderId)];
      });
  });
}

interface Commanded {
  readonly lines: readonly Line[];
  /** Milliseconds since 1970; absent if only an audit sent it. */
  readonly sentAt?: number;
}

/** Returns each reservation that was commanded, by its order. */
function commandedReservations({ published, orderly }: Facts): ReadonlyMap<string, Commanded> {
  const found = new Map<string, Commanded>();
  const add = (detail: unknown, at?: number): void => {
    const { type, data } = detail as { readonly type?: string; readonly data?: { readonly orderId?: string } };
    if (type !== 'ReserveStock' || data?.orderId === undefined) return;
    const sentAt = found.get(data.orderId)?.sentAt ?? at;
    found.set(data.orderId, { lines: linesOf(JSON.stringify(data)), ...(sentAt !== undefined && { sentAt }) });
  };
  // In this order, so that the last lines count, and the first time.
  for (const { event, at } of orderly.cloud.events.accepted) add(event.detail, at);
  if (orderly.cloud.losesMessages) for (const { detail } of published.values()) add(detail);
  return found;
}

interface Moments {
  readonly counted: readonly Counted[];
  /** Beginning of the attempt, milliseconds since 1970. */
  readonly from: number;
  /** Pieces of each SKU that others take first. */
  readonly taken: ReadonlyMap<string, number>;
}

/** Tells whether there was a moment of the attempt at which just these of the ordered SKUs were short. */
function wasShort(ordered: readonly Line[], skus: readonly string[], { counted, from, taken }: Moments): boolean {
  const available = new Map<string, number>();
  const areShort = (): boolean =>
    ordered.every(
      ({ sku, quantity }) => skus.includes(sku) === (available.get(sku) ?? 0) - (taken.get(sku) ?? 0) < quantity,
    );
  let since = false;
  for (const { at, sku, available: left } of counted) {
    if (!since && at >= from) {
      since = true;
      if (areShort()) return true;
    }
    available.set(sku, left);
    if (since && areShort()) return true;
  }
  return areShort();
}
