import {
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Sleep } from '../records/message-sender.js';
import { takenOverError } from './restore-record.js';
import {
  addPage,
  comparePages,
  type Differences,
  noDifferences,
  PASSES,
  type Place,
  type TablePair,
  textKeyOf,
  type Write,
} from './table-comparison.js';

/** Limits of a transaction, and one item less for its condition. */
const MAX_WRITES = 99;
/** Characters of a transaction's items as JSON. That is more than their bytes count, which are limited to 4 MB. */
const MAX_CHARACTERS = 3_500_000;
/** How often a transaction that meets another one, or is throttled, is tried again. */
const MAX_ATTEMPTS = 10;

/** Most items that are compared before a run notes how far it is, if nothing was to be written meanwhile. */
const MAX_UNNOTED = 1_000;

/** The condition that allows a write, and how a run waits. */
export interface CopyAccess {
  readonly documents: DynamoDBDocumentClient;
  /**
   * Makes the condition of each transaction, that the run may still write. It is an update of the record of the run, which notes in the
   * same transaction how far the run has come.
   */
  readonly check: (place: Place) => TransactWriteItem;
  readonly wait: Sleep;
  /** Called with the number of items that were read. @throws to stop */
  readonly told: (read: number) => void;
}

/**
 * Makes a live table equal to its copy: puts what is missing or differs, deletes what is new. It may be stopped and repeated, from the place
 * that the last transaction has noted. Nothing else may write into the table meanwhile. The relay may run: a commit that is put back gets
 * `published` = false, because it was published before.
 * @param from place before the first item. @default the beginning
 * @returns the items from there on
 * @throws {OperatorError} `refused` if another run has taken over
 */
export async function copyBack(access: CopyAccess, pair: TablePair, now: string, from?: Place): Promise<Differences> {
  const found = noDifferences();
  let open: Write[] = [];
  let characters = 0;
  let unnoted = 0;
  let place: Place = from ?? { pass: 0 };
  const flush = async (): Promise<void> => {
    await carryOut(access, pair, open, place);
    [open, characters, unnoted] = [[], 0, 0];
  };
  for await (const page of comparePages(access.documents, pair, now, from)) {
    for (const write of page.writes) {
      const size = JSON.stringify(write).length;
      // `place` is the item of the last write before this one: what lies between them is equal.
      if (open.length === MAX_WRITES || (open.length > 0 && characters + size > MAX_CHARACTERS)) await flush();
      open.push(write);
      characters += size;
      place = { pass: page.place.pass, after: textKeyOf(write.put ?? write.delete) };
    }
    place = page.place;
    addPage(found, page);
    unnoted += page.read;
    if (unnoted >= MAX_UNNOTED) await flush();
    access.told(found.same + found.put + found.deleted);
  }
  place = { pass: PASSES.length };
  await flush();
  return found;
}

/** @throws {OperatorError} `refused` if another run has taken over */
async function carryOut(
  { documents, check, wait }: CopyAccess,
  { live }: TablePair,
  writes: readonly Write[],
  place: Place,
): Promise<void> {
  const TransactItems: TransactWriteItem[] = [
    check(place),
    ...writes.map((write) =>
      write.put ? { Put: { TableName: live, Item: write.put } } : { Delete: { TableName: live, Key: write.delete } },
    ),
  ];
  for (let tried = 1; ; tried++) {
    try {
      await documents.send(new TransactWriteItemsCommand({ TransactItems }));
      return;
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const codes = (error.CancellationReasons ?? []).map(({ Code }) => Code);
      if (codes[0] === 'ConditionalCheckFailed') throw takenOverError();
      const passes = codes.every(
        (code) =>
          code === 'None' ||
          code === 'TransactionConflict' ||
          code === 'ThrottlingError' ||
          code === 'ProvisionedThroughputExceeded',
      );
      if (!passes || tried === MAX_ATTEMPTS) throw error;
      await wait(Math.min(tried, 5));
    }
  }
}
