import { isDeepStrictEqual } from 'node:util';
import {
  BatchGetItemCommand,
  DeleteItemCommand,
  DynamoDBClient,
  PutItemCommand,
  paginateScan,
} from '@aws-sdk/client-dynamodb';

// Makes a table of a service equal to a copy of it that was restored to an earlier instant (runbook, "Restore to a point in
// time"). Without --write it counts the differences only. It may be stopped and run again.
//
//     node tools/restore/copy-back.mjs <table> <restored copy> [--write]
//
// Nothing else may write into the table meanwhile: the functions of the service are stopped. Its relay may run. It publishes
// what is inserted, so a commit that is put back gets `published` = false: it was published before. The log of what operators
// did stays as it is: it says who restored the service, too.

/** Items whose keys are read with one call. */
const PAGE = 100;

const [live = '', copy = '', option] = process.argv.slice(2);
if (!copy.startsWith(`${live}-restored-`) || !['--write', undefined].includes(option)) {
  console.error('Usage: node tools/restore/copy-back.mjs <table> <table>-restored-<instant> [--write]');
  process.exit(2);
}
const writes = option === '--write';
const client = new DynamoDBClient({});

const isLogOfOperators = ({ pk }) => pk.S?.startsWith('AUDIT#') ?? false;
const keyOf = ({ pk, sk }) => (sk === undefined ? { pk } : { pk, sk });
const textOf = (item) => JSON.stringify(keyOf(item));

/** Calls `each` for every item of a table, with the item of the same key in another table. */
async function withOther(table, other, each) {
  for await (const { Items = [] } of paginateScan({ client }, { TableName: table, ConsistentRead: true })) {
    for (let at = 0; at < Items.length; at += PAGE) {
      const some = Items.slice(at, at + PAGE);
      const found = new Map();
      let Keys = some.map(keyOf);
      while (Keys.length > 0) {
        const answer = await client.send(
          new BatchGetItemCommand({ RequestItems: { [other]: { Keys, ConsistentRead: true } } }),
        );
        for (const item of answer.Responses?.[other] ?? []) found.set(textOf(item), item);
        Keys = answer.UnprocessedKeys?.[other]?.Keys ?? [];
      }
      for (const item of some) await each(item, found.get(textOf(item)));
    }
  }
}

const counts = { same: 0, put: 0, deleted: 0 };
await withOther(copy, live, async (item, now) => {
  if (isLogOfOperators(item)) return;
  const isCommit = item.sk?.S?.startsWith('COMMIT#') ?? false;
  const wanted = isCommit ? { ...item, published: { BOOL: false } } : item;
  // A commit that an earlier run has put back differs by `published` only.
  if (isDeepStrictEqual(now, item) || isDeepStrictEqual(now, wanted)) {
    counts.same++;
    return;
  }
  counts.put++;
  if (writes) await client.send(new PutItemCommand({ TableName: live, Item: wanted }));
});
await withOther(live, copy, async (item, then) => {
  if (then !== undefined || isLogOfOperators(item)) return;
  counts.deleted++;
  if (writes) await client.send(new DeleteItemCommand({ TableName: live, Key: keyOf(item) }));
});
const { same, put, deleted } = counts;
console.log(
  writes
    ? `${live}: ${same} the same, ${put} put back, ${deleted} deleted`
    : `${live}: ${same} the same, ${put} would be put back, ${deleted} would be deleted (--write does it)`,
);
