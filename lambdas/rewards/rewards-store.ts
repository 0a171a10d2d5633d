import { documentClient, type Item, queryItems, type Table } from '@orderly/kit/aws';
import type { Effect } from '@orderly/kit/idempotent-consumer';
import type { ForgottenPositions } from '@orderly/kit/inbox';
import { type Envelope, MAX_SEQUENCE, toOrdinal } from '@orderly/kit/messages';
import type { RewardEntry } from './contract.js';
import { toAmount } from './domain/currencies.js';
import { buildEntry, type CountedEvent, orderIdOf, type PaidOrder } from './domain/entries.js';
import { addEntry, initialStanding, type Standing, type Tiers } from './domain/standing.js';
import { ENTRY, REWARDS } from './keys.js';

/** Entries that are read at once. */
const PAGE = 500;

/** Table of the rewards, and the tiers by which they are folded. */
export interface Rewards {
  readonly table: Table;
  readonly tiers: Tiers;
}

/** A customer's standing after one event. Positions of events are ordinals (`toOrdinal` of the kit). */
interface StandingItem {
  /** Position of the account's event after which it stands. */
  readonly sequence: number;
  /** Version of the fold and its tiers. */
  readonly rules: string;
  /** JSON. */
  readonly standing: string;
  /** Positions that restores of the accounts have forgotten; absent if there are none. */
  readonly forgotten?: readonly Span[];
}

/** Amount that a customer has paid for an order, as it is stored. */
interface OrderItem {
  /** JSON. */
  readonly order: string;
  /** Position of the event that changed it last. Absent in rows of releases before 0.4. */
  readonly sequence?: number;
}

/** Positions behind the first one, up to the second one. */
type Span = readonly [after: number, upTo: number];

/** A customer's standing. */
export interface Loaded {
  /** Position of the account's event after which it stands; 0 if there is none. */
  readonly sequence: number;
  readonly standing: Standing;
  /** Positions whose entries don't count any more. */
  readonly forgotten: readonly Span[];
}

/** Raise the number if the fold changes: then each standing is folded again from its entries. */
const rulesOf = ({ silver, gold }: Tiers): string => `1/${silver}/${gold}`;

const pkOf = (customerId: string): string => REWARDS + customerId;
const standingKey = (customerId: string) => ({ pk: pkOf(customerId), sk: 'STANDING' });
const orderKey = (customerId: string, orderId: string) => ({ pk: pkOf(customerId), sk: `ORDER#${orderId}` });
/** Letters sort behind digits, so entries of later epochs are behind those of epoch 0. */
const LATER_EPOCH = 'E';
const entrySk = (position: number): string =>
  ENTRY +
  (position > MAX_SEQUENCE ? LATER_EPOCH + String(position).padStart(16, '0') : String(position).padStart(10, '0'));
const parsePosition = (sk: string): number => Number(sk.slice(ENTRY.length).replace(LATER_EPOCH, ''));

/**
 * Reads a customer's standing, strongly consistent. A standing of other rules (an earlier release, other tiers) is
 * ignored, and folded again from the entries. The next entry stores the result.
 */
export async function loadStanding({ table, tiers }: Rewards, customerId: string): Promise<Loaded> {
  const item = (await table.read(standingKey(customerId))) as StandingItem | undefined;
  if (!item) return { sequence: 0, standing: initialStanding, forgotten: [] };
  const { sequence, rules, standing, forgotten = [] } = item;
  if (rules === rulesOf(tiers)) return { sequence, standing: JSON.parse(standing) as Standing, forgotten };
  return {
    sequence,
    standing: await refoldStanding({ table, tiers }, customerId, { upTo: sequence, forgotten }),
    forgotten,
  };
}

async function refoldStanding(
  { table, tiers }: Rewards,
  customerId: string,
  { upTo, forgotten }: Pick<Range, 'upTo' | 'forgotten'>,
): Promise<Standing> {
  let standing = initialStanding;
  for (let after = 0; after < upTo; ) {
    const page = await readEntries(table, customerId, { after, upTo, limit: PAGE, forgotten });
    for (const { entry } of page) standing = addEntry(standing, entry, tiers);
    after = page.length < PAGE ? upTo : (page.at(-1)?.sequence ?? upTo);
  }
  return standing;
}

interface Range {
  /** Position of the last entry before the range. */
  readonly after: number;
  /** Position of the last entry of the range. */
  readonly upTo: number;
  readonly limit: number;
  /** Positions in it that are left out. */
  readonly forgotten: readonly Span[];
  /** @default false */
  readonly newestFirst?: boolean;
}

/** An entry as it is stored. */
interface Found {
  /** Position of its event. */
  readonly sequence: number;
  readonly entry: RewardEntry;
  /** The order after it. Absent in entries of releases before 0.4, and in a bonus. */
  readonly order?: PaidOrder;
}

/** Reads entries with the positions of their events, strongly consistent. */
export async function readEntries(
  table: Pick<Table, 'name'>,
  customerId: string,
  { after, upTo, limit, forgotten, newestFirst = false }: Range,
): Promise<readonly Found[]> {
  const spans = subtractSpans([[after, upTo]], forgotten);
  const found: Found[] = [];
  for (const span of newestFirst ? spans.toReversed() : spans)
    if (found.length < limit)
      found.push(...(await readEntriesBetween(table, customerId, span, limit - found.length, newestFirst)));
  return found;
}

/** Returns the parts of spans that others leave, in ascending order. */
const subtractSpans = (spans: readonly Span[], others: readonly Span[]): readonly Span[] =>
  others.reduce(
    (left, [after, upTo]) =>
      left.flatMap(([from, to]) =>
        (
          [
            [from, Math.min(to, after)],
            [Math.max(from, upTo), to],
          ] as const
        ).filter(([first, last]) => first < last),
      ),
    spans,
  );

async function readEntriesBetween(
  { name }: Pick<Table, 'name'>,
  customerId: string,
  [after, upTo]: Span,
  limit: number,
  newestFirst: boolean,
): Promise<readonly Found[]> {
  const query = {
    TableName: name,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: { ':pk': pkOf(customerId), ':first': entrySk(after + 1), ':last': entrySk(upTo) },
    ScanIndexForward: !newestFirst,
    ConsistentRead: true,
  };
  const { items } = await queryItems(documentClient, query, { limit });
  return items.map(({ sk, entry, order }) => ({
    sequence: parsePosition(String(sk)),
    entry: JSON.parse(String(entry)) as RewardEntry,
    ...(order !== undefined && { order: JSON.parse(String(order)) as PaidOrder }),
  }));
}

/** An event of an account, as its customer's rewards count it. */
export interface Counting {
  readonly customerId: string;
  /** Absent for an event that gives and takes no points. */
  readonly event?: CountedEvent;
  readonly envelope: Pick<Envelope, 'epoch' | 'sequence' | 'time'>;
  /** Places that the accounts service has forgotten before this event. */
  readonly forgotten?: ForgottenPositions | undefined;
}

/**
 * Returns the writes of an event's entry, with the standing after it and the order that it is about. There are none if
 * the event was counted before: so a replay of an account's events, for example with another generation of the inbox,
 * changes nothing.
 *
 * The first event after a restore of the accounts takes back what forgotten events gave: their entries don't count any more, and
 * the standing is folded again from those before them.
 */
export async function buildWrites(
  rewards: Rewards,
  { customerId, event, envelope, forgotten }: Counting,
): Promise<Effect> {
  const { table, tiers } = rewards;
  const sequence = toOrdinal(envelope);
  const orderId = event && orderIdOf(event);
  const [read, item] = await Promise.all([
    loadStanding(rewards, customerId),
    orderId === undefined ? undefined : table.read(orderKey(customerId, orderId)),
  ]);
  if (sequence <= read.sequence) return [];
  const loaded = forgotten ? await dropForgotten(rewards, customerId, read, toOrdinal(forgotten.after)) : read;
  if (!event && loaded === read) return [];
  const before = item ? await readOrderBefore(table, customerId, item as unknown as OrderItem, loaded) : undefined;
  const counted = event && buildEntry(event, envelope.time, before);
  const standing = counted ? addEntry(loaded.standing, counted.entry, tiers) : loaded.standing;
  const TableName = table.name;
  // One runner at a time has the events of a customer, so this only guards against what bypasses the inbox.
  const isAsRead = read.sequence === 0 ? 'attribute_not_exists(pk)' : '#sequence = :read';
  const guard = read.sequence === 0 ? {} : { ExpressionAttributeValues: { ':read': read.sequence } };
  const names = read.sequence === 0 ? {} : { ExpressionAttributeNames: { '#sequence': 'sequence' } };
  const stored: StandingItem = {
    sequence,
    rules: rulesOf(tiers),
    standing: JSON.stringify(standing),
    ...(loaded.forgotten.length > 0 && { forgotten: loaded.forgotten }),
  };
  const put = (Item: Item) => ({ Put: { TableName, Item } });
  // Stored as text: the fields keep their order, and a fold of the same events gives the same bytes.
  const order = counted?.order && JSON.stringify(counted.order);
  return [
    {
      Put: {
        TableName,
        Item: { ...standingKey(customerId), ...stored },
        ConditionExpression: isAsRead,
        ...names,
        ...guard,
      },
    },
    ...(counted
      ? [
          put({
            pk: pkOf(customerId),
            sk: entrySk(sequence),
            entry: JSON.stringify(counted.entry),
            ...(order && { order }),
          }),
        ]
      : []),
    ...(orderId !== undefined && order ? [put({ ...orderKey(customerId, orderId), order, sequence })] : []),
  ];
}

/** Returns a standing without the entries behind a position, which the accounts service has forgotten. */
async function dropForgotten(rewards: Rewards, customerId: string, loaded: Loaded, after: number): Promise<Loaded> {
  if (after >= loaded.sequence) return loaded;
  const forgotten: readonly Span[] = [...loaded.forgotten, [after, loaded.sequence]];
  return { ...loaded, standing: await refoldStanding(rewards, customerId, { upTo: after, forgotten }), forgotten };
}

/**
 * Reads what a customer has paid for an order so far. If the newest change of the order was forgotten, or its row is of a release
 * before 0.4 and doesn't say which change that was, it is read from the entries that count.
 */
async function readOrderBefore(
  table: Pick<Table, 'name'>,
  customerId: string,
  item: OrderItem,
  { sequence, forgotten }: Loaded,
): Promise<PaidOrder | undefined> {
  const paid = JSON.parse(item.order) as PaidOrder;
  const { orderId, currency } = paid;
  const counts = (position: number) => !forgotten.some(([after, upTo]) => after < position && position <= upTo);
  if (forgotten.length === 0 || (item.sequence !== undefined && counts(item.sequence))) return paid;
  const all = await readEntries(table, customerId, {
    after: 0,
    upTo: sequence,
    limit: Number.MAX_SAFE_INTEGER,
    forgotten,
  });
  const ofOrder = all.filter(({ entry }) => entry.orderId === orderId);
  const points = ofOrder.reduce((sum, { entry }) => sum + entry.points, 0);
  return (
    ofOrder.at(-1)?.order ??
    (ofOrder.length === 0 ? undefined : { orderId, amount: toAmount(points, currency), currency })
  );
}
