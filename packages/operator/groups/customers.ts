import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { readItems } from '@orderly/kit/internal/aws/read-items.js';
import { readEnvelope } from '@orderly/kit/internal/messages/envelope.js';
import * as z from 'zod/mini';
import type { CommandContext } from '../cli/context.js';
import { ConsumerRecord, type FoundRecord, readPayload } from '../records/consumer-records.js';
import { groupBy } from '../records/group-by.js';
import type { Member } from './group.js';

/** How an application finds the customers that failures are about. */
export interface CustomerSource {
  /** Returns the customers of subjects by the subjects; those that it doesn't know are left out. Called with all of them at once. */
  readonly findBySubjects: (
    context: Pick<CommandContext, 'documents' | 'services'>,
    subjects: readonly string[],
  ) => Promise<ReadonlyMap<string, string>>;
  /** Returns the customer that a message names in its data. It is a pure function. */
  readonly findInMessage: (data: unknown) => string | undefined;
}

/** Customers of a group. */
export interface AffectedCustomers {
  /** Number of different ones among those that were looked at. */
  readonly count: number;
  /** Up to three, of the newest. */
  readonly newest: readonly string[];
  /** Number of failures that were looked at: the newest. */
  readonly looked: number;
}

/** Sources in which the customers are searched. */
export type FailedItem = Pick<Member, 'subject' | 'failure'>;

/** Most failures of a group whose customers are looked for, the newest. */
const MAX_SEARCHED = 100;
/** Most of their messages that are read, each of at most 350 KB, where the subject says nothing. */
const MAX_MESSAGES_READ = 20;
const SHOWN = 3;

/**
 * Finds the customers of groups: by the subjects of the newest failures of each, and else by their messages.
 * @param groups members of each group, oldest first
 * @returns the customers of each, in the same order
 */
export async function findCustomers(
  context: Pick<CommandContext, 'documents' | 'services'>,
  source: CustomerSource,
  groups: readonly (readonly FailedItem[])[],
): Promise<readonly AffectedCustomers[]> {
  const newest = groups.map((things) => things.slice(-MAX_SEARCHED).toReversed());
  const subjects = new Set(newest.flat().flatMap(({ subject }) => subject ?? []));
  const known = await source.findBySubjects(context, [...subjects]);
  const nameOf = ({ subject = '' }: FailedItem): string | undefined => known.get(subject);
  const found: AffectedCustomers[] = [];
  const read: MessageCustomers = new Map();
  // One after the other: the messages of a group may be 7 MB.
  for (const things of newest) {
    const unnamed = things.flatMap((one) => (nameOf(one) === undefined && one.failure ? [one.failure] : []));
    const inMessages = await findCustomersInMessages(
      context.documents,
      source,
      unnamed.slice(0, MAX_MESSAGES_READ),
      read,
    );
    const names = things.flatMap((one) => nameOf(one) ?? inMessages.get(one.failure?.record.pk ?? '') ?? []);
    const all = [...new Set(names)];
    found.push({ count: all.length, newest: all.slice(0, SHOWN), looked: things.length });
  }
  return found;
}

/** Customers that messages name, by the keys of their records: `undefined` of a message that names none. */
type MessageCustomers = Map<string, string | undefined>;

/**
 * Returns the customers that the messages of failures name, by the keys of their records.
 * @param named those that were read before. A failure is in a group and in a cause, and its message is read once
 */
async function findCustomersInMessages(
  documents: DynamoDBDocumentClient,
  source: CustomerSource,
  failures: readonly FoundRecord[],
  named: MessageCustomers,
): Promise<ReadonlyMap<string, string | undefined>> {
  const unread = failures.filter(({ record: { pk } }) => !named.has(pk));
  const byTable = groupBy(unread, ({ listener }) => listener.service.records);
  for (const [table, own] of byTable) {
    const keys = own.map(({ record: { pk } }) => ({ pk }));
    for (const { pk } of keys) named.set(pk, undefined);
    for (const item of await readItems(documents, table, keys)) {
      const record = z.parse(ConsumerRecord, item);
      const data = readData(record);
      named.set(record.pk, data === undefined ? undefined : source.findInMessage(data));
    }
  }
  return named;
}

/** Returns the data of a failure's message; `undefined` if it can't be read. */
function readData(record: ConsumerRecord): unknown {
  try {
    return readEnvelope(readPayload(record) ?? '').data;
  } catch {
    return undefined;
  }
}
