import { isDeepStrictEqual } from 'node:util';
import { windowAt } from '../../../packages/kit/aws/dedupe-window.js';
import { type Envelope, messageIdOf } from '../../../packages/kit/messages/envelope.js';
import type { Violation } from '../../../packages/simulator/search/scenario.js';
import {
  type Commit,
  type Counter,
  type Facts,
  isCommit,
  type Line,
  linesOf,
  type Write,
} from '../../support/simulation/facts.js';
import type { Row } from '../../support/simulation/orderly.js';
import { type Check, violation } from './violation.js';

/** Checks what must hold after each single write, by replaying the writes in their order. */
export const steps: Check = (facts) => {
  const ledger = new Ledger(facts);
  return facts.writes.flatMap((write) => ledger.after(write));
};

/** Maximum difference between clocks, in seconds: the age gate closes a whole day before. */
const CLOCKS_DIFFER = 60;

class Ledger {
  private readonly versions = new Map<string, number>();
  /** Cursors of sequential inboxes. */
  private readonly positions = new Map<string, number>();
  private readonly times = new Map<string, string>();
  private readonly reserved = new Map<string, number>();
  private readonly events: ReadonlySet<string>;
  /** Cancellations of orders whose sagas compensate. */
  private readonly underWay: ReadonlySet<string>;
  /** Charges of payments that pay no order, and refunds that no goods came back for. */
  private readonly ofNoOrder: ReadonlySet<string>;
  private readonly projections: readonly string[];
  /** Deduplication window in force at a time, the longest of all consumers, in seconds. */
  private readonly windowAt: (time: string) => number;

  constructor({ published, listeners }: Facts) {
    const all = [...published.values()];
    this.events = new Set(all.map(({ detail }) => identityOf(detail)));
    this.underWay = new Set(
      all
        .filter(({ detail }) => (detail as { data?: { underWay?: boolean } }).data?.underWay)
        .map(({ detail }) => identityOf(detail)),
    );
    this.ofNoOrder = new Set(
      all
        .filter(({ detail }) => {
          const { type, data } = detail as { type?: string; data?: { orderId?: string } };
          return (type === 'PaymentCharged' || type === 'PaymentRefunded') && data?.orderId === undefined;
        })
        .map(({ detail }) => identityOf(detail)),
    );
    this.windowAt = (time) =>
      Math.max(...listeners.map(({ consumer }) => windowAt(consumer.dedupeWindowSeconds, time)));
    this.projections = listeners.filter(({ consumer }) => consumer.projection).map(({ name }) => `${name}@`);
  }

  after(write: Write): readonly Violation[] {
    // Checks the version that the decision read, before the write changes it.
    const undecided = this.decidedOnTheLastVersion(write);
    return [
      ...undecided,
      ...write.changes.flatMap(({ before, after }) => [
        ...this.commit(before, after),
        ...recordedOnce(write, before, after),
        ...neverBack(before, after),
      ]),
      ...this.commitsWithItsRecord(write),
      ...write.changes.flatMap(({ after }) => this.counter(after)),
      ...onHandIsRight(write),
    ];
  }

  /** G1: no write overwrites a commit, and none leaves a gap. */
  private commit(before: Row | undefined, after: Row | undefined): readonly Violation[] {
    if (before && isCommit(before)) return [violation('a commit never changes', keyOf(before), idOf(before))];
    if (!after || !isCommit(after)) return [];
    const { pk, sk, events, lastVersion, at } = after as unknown as Commit;
    const found = this.times.get(pk) ?? '';
    this.times.set(pk, at);
    const goesBack =
      at < found
        ? [violation("the times of an aggregate's commits never decrease", `${pk} ${sk}: ${at}, ${found}`, pk)]
        : [];
    const version = this.versions.get(pk) ?? 0;
    this.versions.set(pk, lastVersion);
    for (const { type, data } of events) {
      const sign = type === 'StockReserved' ? 1 : type === 'StockReleased' || type === 'StockDispatched' ? -1 : 0;
      if (sign !== 0) this.reserve(linesOf(data), sign);
    }
    const whole = Number(sk.slice('COMMIT#'.length)) === version + 1 && lastVersion === version + events.length;
    const gap = whole ? [] : [violation('commits are gapless', `${pk} ${sk} after version ${version}`, idOf(after))];
    return [...goesBack, ...gap, ...this.staysForTheWindow(after as unknown as Commit)];
  }

  /** Design, section 3: a commit doesn't expire before its consumers forget its events. */
  private staysForTheWindow({ pk, sk, at, expiresAt }: Commit): readonly Violation[] {
    if (expiresAt === undefined || expiresAt >= Date.parse(at) / 1000 + this.windowAt(at) - CLOCKS_DIFFER) return [];
    return [violation('a commit stays for the deduplication window', `${pk} ${sk} expires at ${expiresAt}`, pk)];
  }

  private reserve(lines: readonly Line[], sign: 1 | -1): void {
    for (const { sku, quantity } of lines) this.reserved.set(sku, (this.reserved.get(sku) ?? 0) + sign * quantity);
  }

  /** Stock is conserved and never below zero, at any moment. */
  private counter(after: Row | undefined): readonly Violation[] {
    if (!String(after?.pk).startsWith('StockItem#') || after?.sk !== 'STATE') return [];
    const { onHand, reserved, available } = after as unknown as Counter;
    const sku = idOf(after);
    const live = this.reserved.get(sku) ?? 0;
    const told = `${sku}: on hand ${onHand}, reserved ${reserved}, available ${available}, by reservations ${live}`;
    const found: Violation[] = [];
    if (available < 0 || reserved < 0) found.push(violation('stock is never below zero', told, sku));
    if (onHand !== available + reserved) found.push(violation('on hand = available + reserved', told, sku));
    if (reserved !== live) found.push(violation('reserved stock is the sum of the reservations', told, sku));
    return found;
  }

  /** G2, G3: the effect of a message or a keyed change, and its record, are one write. */
  private commitsWithItsRecord({ fn, changes }: Write): readonly Violation[] {
    return changes.flatMap(({ after }) => {
      if (!after || !isCommit(after)) return [];
      const { trigger, requestHash, sk } = after as unknown as Commit;
      const isOfAMessage = this.events.has(trigger);
      const isKeyedChange = requestHash !== undefined && sk !== 'COMMIT#0000000001';
      if (!isOfAMessage && !isKeyedChange) return [];
      const isItsRecord = (row: Row | undefined): boolean => {
        const pk = String(row?.pk);
        if (!isOfAMessage) return isOfARequest(pk);
        // A sequential inbox has its record at the message's place.
        return pk.endsWith(`#${trigger}`) || (PLACE.test(pk) && row?.status === 'PROCESSED');
      };
      if (changes.some((change) => isItsRecord(change.after))) return [];
      return [
        violation('an effect and its deduplication record are one write', `${keyOf(after)} by ${fn}`, idOf(after)),
      ];
    });
  }

  /** Design, section 3: a decision without events comes with a check that the version it read is still the newest. */
  private decidedOnTheLastVersion({ fn, changes, conditions }: Write): readonly Violation[] {
    if (changes.some(({ after }) => after && isCommit(after))) return [];
    const record = changes.find(
      ({ before, after }) =>
        after?.status === 'PROCESSED' ||
        // Opening a session records nothing yet.
        (isOfARequest(String(after?.pk)) && (before !== undefined || String(after?.pk).startsWith('api#'))),
    );
    const pk = String(record?.after?.pk);
    // A repeat is an access to its session: it moves the end, and decides nothing.
    if (record && pk.startsWith('session#') && isAccess(record)) return [];
    if (!record || this.projections.some((name) => pk.startsWith(name))) return [];
    // Only the order's saga decides here: the other consumers read nothing and decide nothing.
    if (this.underWay.has(pk.slice(pk.indexOf('#') + 1)) && !pk.startsWith('orders-saga@')) return [];
    // A payment that pays no order settles no credit, and a refund without a return is none: the event alone says so.
    if (pk.startsWith('accounts-payments@') && this.ofNoOrder.has(pk.slice(pk.indexOf('#') + 1))) return [];
    // A message that failed before it was stored is now stored at its place, and the inbox decides it there.
    if (changes.some(({ before, after }) => before === undefined && PLACE.test(String(after?.pk)))) return [];
    // Deleting what is not sealed is repeatable and reads nothing.
    if (pk.startsWith('payments-users@')) return [];
    // A line is marked before its order is placed: that an order has none can't become wrong later.
    if (pk.startsWith('baskets-orders@')) return [];
    // A day is counted under the fencing token of its record: no other runner commits (invariants/reports.ts).
    if (pk.startsWith('reports-daily@')) return [];
    // The end of a delivery is what its receiver answered, which no version tells.
    if (pk.startsWith('webhooks-deliveries@')) return [];
    // Baskets know products by a copy, whose version is the product's: no commit of theirs.
    const isCopy = (row: Row | undefined): boolean => String(row?.pk).startsWith('PRODUCT#');
    if (changes.some(({ after }) => isCopy(after)) || conditions.some(({ key, holds }) => holds && isCopy(key))) {
      return [];
    }
    const place = PLACE.exec(pk);
    if (place) return this.movesItsCursor(Number(place[1]), pk, changes);
    const checked = conditions.some(
      ({ key, holds }) =>
        holds &&
        (HAS_ITS_VERSION.has(String(key.sk).replace(/^AUTH#.*/, 'AUTH#')) ||
          (isCommit(key) && Number(String(key.sk).slice('COMMIT#'.length)) === this.nextVersion(key))),
    );
    return checked ? [] : [violation('a decision without events is recorded with its version', `${pk} by ${fn}`, pk)];
  }

  /**
   * A sequential inbox decides by the place: the record, the effect and the cursor are one write. What the cursor has
   * passed is recorded again without an effect, once its record has expired.
   */
  private movesItsCursor(sequence: number, pk: string, changes: Write['changes']): readonly Violation[] {
    const cursor = pk.replace(PLACE, '#CURSOR');
    const move = changes.find(({ after }) => after?.pk === cursor);
    const moved = move?.after?.position;
    // An operator who discards a message moves the cursor by no function.
    const before = move ? Number(move.before?.position ?? 0) : (this.positions.get(cursor) ?? 0);
    if (moved !== undefined) this.positions.set(cursor, Number(moved));
    if (moved === sequence && sequence === before + 1) return [];
    if (moved === undefined && sequence <= before && changes.length === 1) return [];
    const told = `${pk}: cursor ${before} to ${String(moved)}`;
    return [violation('a sequential inbox moves its cursor by one, with the effect of the message', told, pk)];
  }

  private nextVersion(key: Row): number {
    return (this.versions.get(String(key.pk)) ?? 0) + 1;
  }
}

/** Place of a message in a sequential inbox, in the key of its record. */
const PLACE = /#SEQ#(\d{10})$/;

/**
 * Sort keys of items that have their own version: state-stored aggregates, copies of other services' states, and what an
 * account knows of an order.
 */
const HAS_ITS_VERSION = new Set(['STATE', 'STATUS', 'ADDRESS', 'PAYER', 'AUTH#']);

/** Stock on hand changes only by an operator's count, or by a dispatch in the same write, by just its pieces. */
function onHandIsRight({ fn, changes }: Write): readonly Violation[] {
  const events = changes.flatMap(({ after }) => (after && isCommit(after) ? (after as unknown as Commit).events : []));
  return changes.flatMap(({ before, after }) => {
    if (!before || !after || !String(after.pk).startsWith('StockItem#') || after.sk !== 'STATE') return [];
    const sku = idOf(after);
    if (events.some(({ type, data }) => type === 'StockSet' && JSON.parse(data).sku === sku)) return [];
    const left = events
      .flatMap(({ type, data }) => (type === 'StockDispatched' ? linesOf(data) : []))
      .reduce((sum, line) => sum + (line.sku === sku ? line.quantity : 0), 0);
    if (Number(before.onHand) - Number(after.onHand) === left) return [];
    const told = `${sku}: ${String(before.onHand)} to ${String(after.onHand)}, ${left} dispatched, by ${fn}`;
    return [violation('on hand falls only by a dispatch or by an operator', told, sku)];
  });
}

/** G3: after a record says that a message was processed, no consumer processes it again. */
function recordedOnce({ fn }: Write, before: Row | undefined, after: Row | undefined): readonly Violation[] {
  if (before?.status !== 'PROCESSED') return [];
  // A rescheduled timeout has a new number, and the old number is ignored.
  if (after === undefined && /\/timer-\d+$/.test(String(before.pk))) return [];
  return [violation('a message is recorded as processed once', `${String(before.pk)} again by ${fn}`)];
}

/** A projection's row, a basket's copy of a product and a session are never replaced by an older one. */
function neverBack(before: Row | undefined, after: Row | undefined): readonly Violation[] {
  if (!before || !after) return [];
  const goesBack = (field: string): boolean => Number(after[field]) < Number(before[field]);
  const told = (field: string): string => `${keyOf(after)} ${before[field]} to ${after[field]}`;
  if (goesBack('answeredUpTo')) return [violation('a session never goes back', told('answeredUpTo'), String(after.pk))];
  if (!goesBack('version')) return [];
  if (after.sk === 'PRODUCT')
    return [violation('what baskets know of a product never goes back', told('version'), idOf(after))];
  return /^(CUSTOMER|CREDIT)#/.test(String(after.pk))
    ? [violation('a row of a list is never replaced by an older one', told('version'), idOf(after))]
    : [];
}

/** Whether a key belongs to a request's idempotency key, or to the session of its number. */
const isOfARequest = (pk: string): boolean => /^(api|session)#/.test(pk);

const keyOf = ({ pk, sk }: Row): string => `${pk} ${sk}`;
const idOf = ({ pk }: Row): string => String(pk).slice(String(pk).indexOf('#') + 1);

/** Whether a change of a session leaves its answers as they are. */
const isAccess = ({
  before,
  after,
}: {
  readonly before?: Row | undefined;
  readonly after?: Row | undefined;
}): boolean =>
  before !== undefined && ['answers', 'answeredUpTo'].every((name) => isDeepStrictEqual(before[name], after?.[name]));

/** Returns the identity of a published event, also of one that is no envelope. */
const identityOf = (detail: unknown): string => {
  const { id, source = '.', to } = detail as Partial<Envelope>;
  return messageIdOf({ id: String(id), source, ...(to === undefined ? {} : { to }) });
};
