import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { readItems } from '@orderly/kit/internal/aws/reading.js';
import { readEnvelope } from '@orderly/kit/internal/messages/envelope.js';
import * as z from 'zod/mini';
import type { CommandContext } from '../cli/context.js';
import { groupedBy } from '../records/grouped-by.js';
import { ConsumerRecord, type FoundRecord, payloadOf } from '../records/records.js';
import type { Member } from './group.js';

/** How an application finds the customers that failures are about. */
export interface CustomerSource {
  /** Returns the customers of subjects by the subjects; those that it doesn't know are left out. Called with all of them at once. */
  readonly ofSubjects: (
    context: Pick<CommandContext, 'documents' | 'services'>,
    subjects: readonly string[],
  ) => Promise<ReadonlyMap<string, string>>;
  /** Returns the customer that a message names in its data. It is a pure function. */
  readonly inMessage: (data: unknown) => string | undefined;
}

/** Customers of a group. */
export interface Customers {
  /** Number of different ones among those that were looked at. */
  readonly count: number;
  /** Up to three, of the newest. */
  readonly newest: readonly string[];
  /** Number of failures that were looked at: the newest. */
  readonly looked: number;
}

/** What is looked at to find the customers. */
export type FailedThing = Pick<Member, 'subject' | 'failure'>;

/** Most failures of a group whose customers are looked for, the newest. */
const MOST_LOOKED = 100;
/** Most of their messages that are read, each of at most 350 KB, where the subject says nothing. */
const MOST_MESSAGES = 20;
const SHOWN = 3;

/**
 * Finds the customers of groups: by the subjects of the newest failures of each, and else by their messages.
 * @param groups members of each group, oldest first
 * @returns the customers of each, in the same order
 */
export async function customersOf(
  context: Pick<CommandContext, 'documents' | 'services'>,
  source: CustomerSource,
  groups: readonly (readonly FailedThing[])[],
): Promise<readonly Customers[]> {
  const newest = groups.map((things) => things.slice(-MOST_LOOKED).toReversed());
  const subjects = new Set(newest.flat().flatMap(({ subject }) => subject ?? []));
  const known = await source.ofSubjects(context, [...subjects]);
  const nameOf = ({ subject = '' }: FailedThing): string | undefined => known.get(subject);
  const found: Customers[] = [];
  // One after the other: the messages of a group may be 7 MB.
  for (const things of newest) {
    const unnamed = things.flatMap((one) => (nameOf(one) === undefined && one.failure ? [one.failure] : []));
    const inMessages = await namedIn(context.documents, source, unnamed.slice(0, MOST_MESSAGES));
    const names = things.flatMap((one) => nameOf(one) ?? inMessages.get(one.failure?.record.pk ?? '') ?? []);
    const all = [...new Set(names)];
    found.push({ count: all.length, newest: all.slice(0, SHOWN), looked: things.length });
  }
  return found;
}

/** Returns the customers that the messages of failures name, by the keys of their records. */
async function namedIn(
  documents: DynamoDBDocumentClient,
  source: CustomerSource,
  failures: readonly FoundRecord[],
): Promise<ReadonlyMap<string, string>> {
  const named = new Map<string, string>();
  const byTable = groupedBy(failures, ({ listener }) => listener.service.records);
  for (const [table, own] of byTable) {
    const keys = own.map(({ record: { pk } }) => ({ pk }));
    for (const item of await readItems(documents, table, keys)) {
      const record = z.parse(ConsumerRecord, item);
      const data = dataOf(record);
      const customer = data === undefined ? undefined : source.inMessage(data);
      if (customer !== undefined) named.set(record.pk, customer);
    }
  }
  return named;
}

/** Returns the data of a failure's message; `undefined` if it can't be read. */
function dataOf(record: ConsumerRecord): unknown {
  try {
    return readEnvelope(payloadOf(record) ?? '').data;
  } catch {
    return undefined;
  }
}
