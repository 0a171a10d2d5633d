import { documents, itemsOf, type Table } from '@orderly/kit/aws';
import type { Effect } from '@orderly/kit/idempotent-consumer';
import type { RewardEntry } from './contract.js';
import { type CountedEvent, entryOf, orderIdOf, type PaidOrder } from './domain/entries.js';
import { initialStanding, type Standing, standingAfter, type Tiers } from './domain/standing.js';
import { ENTRY, REWARDS } from './keys.js';

/** Entries that a fold reads at once. */
const PAGE = 500;

/** Table of the rewards, and the tiers by which they are folded. */
export interface Rewards {
  readonly table: Table;
  readonly tiers: Tiers;
}

/** A customer's standing after the entry of one event. */
interface StandingItem {
  /** Sequence of the account's event with the newest entry. */
  readonly sequence: number;
  /** Version of the fold and its tiers. */
  readonly rules: string;
  /** JSON. */
  readonly standing: string;
}

/** A customer's standing, and the sequence of the account's event with the newest entry; 0 if there is none. */
export interface Loaded {
  readonly sequence: number;
  readonly standing: Standing;
}

/** Raise the number if the fold changes: then each standing is folded again from its entries. */
const rulesOf = ({ silver, gold }: Tiers): string => `1/${silver}/${gold}`;

const pkOf = (customerId: string): string => REWARDS + customerId;
const standingKey = (customerId: string) => ({ pk: pkOf(customerId), sk: 'STANDING' });
const orderKey = (customerId: string, orderId: string) => ({ pk: pkOf(customerId), sk: `ORDER#${orderId}` });
const entrySk = (sequence: number): string => ENTRY + String(sequence).padStart(10, '0');

/**
 * Reads a customer's standing, strongly consistent. A standing of other rules (an earlier release, other tiers) is
 * ignored, and folded again from the entries. The next entry stores the result.
 */
export async function standingOf({ table, tiers }: Rewards, customerId: string): Promise<Loaded> {
  const item = (await table.read(standingKey(customerId))) as StandingItem | undefined;
  if (!item) return { sequence: 0, standing: initialStanding };
  const { sequence, rules, standing } = item;
  if (rules === rulesOf(tiers)) return { sequence, standing: JSON.parse(standing) as Standing };
  return { sequence, standing: await foldedAgain({ table, tiers }, customerId, sequence) };
}

async function foldedAgain({ table, tiers }: Rewards, customerId: string, upTo: number): Promise<Standing> {
  let standing = initialStanding;
  for (let after = 0; after < upTo; ) {
    const page = await entriesOf(table, customerId, { after, upTo, limit: PAGE });
    for (const { entry } of page) standing = standingAfter(standing, entry, tiers);
    after = page.length < PAGE ? upTo : (page.at(-1)?.sequence ?? upTo);
  }
  return standing;
}

interface Range {
  /** Sequence of the last entry before the range. */
  readonly after: number;
  /** Sequence of the last entry of the range. */
  readonly upTo: number;
  readonly limit: number;
  /** @default false */
  readonly newestFirst?: boolean;
}

/** Reads entries with the sequences of their events, strongly consistent. */
export async function entriesOf(
  { name }: Pick<Table, 'name'>,
  customerId: string,
  { after, upTo, limit, newestFirst = false }: Range,
): Promise<readonly { readonly sequence: number; readonly entry: RewardEntry }[]> {
  const query = {
    TableName: name,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: { ':pk': pkOf(customerId), ':first': entrySk(after + 1), ':last': entrySk(upTo) },
    ScanIndexForward: !newestFirst,
    ConsistentRead: true,
  };
  const { items } = await itemsOf(documents, query, { limit });
  return items.map(({ sk, entry }) => ({
    sequence: Number(String(sk).slice(ENTRY.length)),
    entry: JSON.parse(String(entry)) as RewardEntry,
  }));
}

/**
 * Returns the writes of an event's entry, with the standing after it and the order that it is about. There are none if
 * the event was counted before: so a replay of an account's events, for example with another generation of the inbox,
 * changes nothing.
 */
export async function writesOf(
  rewards: Rewards,
  event: CountedEvent,
  { sequence, time }: { readonly sequence: number; readonly time: string },
): Promise<Effect> {
  const { table, tiers } = rewards;
  const { customerId } = event.data;
  const orderId = orderIdOf(event);
  const [loaded, item] = await Promise.all([
    standingOf(rewards, customerId),
    orderId === undefined ? undefined : table.read(orderKey(customerId, orderId)),
  ]);
  if (sequence <= loaded.sequence) return [];
  const before = item ? (JSON.parse(item.order as string) as PaidOrder) : undefined;
  const { entry, order } = entryOf(event, time, before);
  const standing = standingAfter(loaded.standing, entry, tiers);
  const TableName = table.name;
  // One runner at a time has the events of a customer, so this only guards against what bypasses the inbox.
  const isAsRead = loaded.sequence === 0 ? 'attribute_not_exists(pk)' : '#sequence = :read';
  const guard = loaded.sequence === 0 ? {} : { ExpressionAttributeValues: { ':read': loaded.sequence } };
  const names = loaded.sequence === 0 ? {} : { ExpressionAttributeNames: { '#sequence': 'sequence' } };
  const stored: StandingItem = { sequence, rules: rulesOf(tiers), standing: JSON.stringify(standing) };
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
    // Stored as text: the fields keep their order, and a fold of the same events gives the same bytes.
    { Put: { TableName, Item: { pk: pkOf(customerId), sk: entrySk(sequence), entry: JSON.stringify(entry) } } },
    ...(order
      ? [
          {
            Put: { TableName, Item: { ...orderKey(customerId, order.orderId), order: JSON.stringify(order) } },
          },
        ]
      : []),
  ];
}
