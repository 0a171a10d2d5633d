import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/**
 * Approved list of reads of DynamoDB, with the consistency of each and the reason for it. A read that is weaker than its
 * caller believes shows in few histories, or in none where a condition of a later write catches it. So a new read, or one whose
 * consistency changes, needs an entry here.
 *
 * - `strong`: `ConsistentRead: true`
 * - `eventual`: sees the state of a moment ago
 * - `index`: a global secondary index, which is never strongly consistent
 * - otherwise: the expression that decides
 */
const APPROVED: Readonly<Record<string, readonly (readonly [read: string, why: string])[]>> = {
  'lambdas/accounts/exhausted-list.ts': [['Query index', 'a list for people; its rows follow the events']],
  'lambdas/baskets/basket-store.ts': [['Query strong', 'a page without holders ends the roll-out of a price']],
  'lambdas/baskets/products.ts': [
    ['BatchGet strong', 'a line is priced by it, and its version decides which event is newer'],
  ],
  'lambdas/catalog/product-store.ts': [
    ['BatchGet strong', 'an order is priced by it, and no later write checks it'],
    ['Query index', 'a list for people'],
  ],
  'lambdas/operations/list-fill.ts': [
    ['Get eventual', 'a list for people; a version is kept for a minute after lists stop reading it'],
  ],
  'lambdas/operations/order-facts.ts': [['Get strong', 'what an operator reads as pending was pending at that moment']],
  'lambdas/operations/placed-orders.ts': [['Query eventual', 'a list for people; its rows follow the events']],
  'lambdas/orders/customer-reads.ts': [
    [
      'Query eventual',
      'limits are hints here, the account counts exactly; a status that is late by a moment is as late in its queue',
    ],
  ],
  'lambdas/orders/list-statuses.ts': [
    ['Get strong', 'a copying that was cut off continues where it was'],
    ['Scan strong', 'a status that was stored is copied; its consumer stores later ones in both places'],
  ],
  'lambdas/orders/order-list.ts': [
    ['Query eventual', 'a list for people; its rows follow the events'],
    ['Query eventual', 'orders under way are counted; the list itself is later than any lag of this read'],
  ],
  'lambdas/orders/review-list.ts': [['Query strong', 'an empty page ends the release of reviewed orders']],
  'lambdas/payments/provider/stripe-customers.ts': [['Get strong', 'after a lost race the winner must be found']],
  'lambdas/reports/report-store.ts': [
    ['Query strong', 'a report counts every page, and is never changed'],
    ['Query strong', 'a report that was closed is shown'],
    ['Query strong', 'the first report decides which days may be missing'],
  ],
  'lambdas/rewards/rewards-store.ts': [['Query strong', 'entries up to a sequence that was read before are all there']],
  'lambdas/webhooks/delivery-rows.ts': [['Query strong', 'a delivery that was made is shown']],
  'lambdas/webhooks/subscribers.ts': [
    ['Query strong', 'a webhook that was registered receives events of each later event'],
  ],
  'packages/kit/aws/table.ts': [
    ['Get strong', 'its users decide on the item'],
    ['BatchGet strong', 'its users decide on the items'],
  ],
  'packages/kit/event-store/dynamodb-event-store.ts': [
    ['Query strong', 'projections show what it loads, and no later write checks that it is the newest'],
  ],
  'packages/kit/failures/failure-records.ts': [['Get strong', 'the reasons of earlier failures are written back']],
  'packages/kit/failures/step-failures.ts': [
    ['Get strong', 'the first failure of a step may have been recorded a moment ago'],
  ],
  'packages/kit/idempotent-consumer/process-once.ts': [
    [
      'Get consistent',
      'strong after a refusal, which may be the own success, committed a moment ago; eventual before a repeat: its transaction is refused if the record is not seen',
    ],
  ],
  'packages/kit/idempotent-receiver/key-record.ts': [
    ['Get strong', 'a refusal may be the own success, committed a moment ago'],
  ],
  'packages/kit/idempotent-receiver/session.ts': [
    ['Get strong', 'a refusal may be the own success, committed a moment ago; and a client reads its last access'],
  ],
  'packages/kit/inbox/collected-messages.ts': [
    ['Get strong', 'a window closes on the messages that it has'],
    ['BatchGet strong', 'a window closes on the messages that it has'],
  ],
  'packages/kit/inbox/measure.ts': [
    ['BatchGet eventual', 'a metric'],
    ['Query input', 'a metric, by an index'],
  ],
  'packages/kit/inbox/sequenced-messages.ts': [
    ['Get strong', 'the cursor decides whether a message waits for another one'],
  ],
  'packages/kit/inbox/stored-messages.ts': [['Get strong', 'the record was changed a moment ago by whoever reads it']],
  'packages/operator/audit-log/audit-log.ts': [['Query strong', 'what an operator did a moment ago is listed']],
  'packages/operator/audit/deliveries.ts': [
    ['BatchGet consistent', 'what an eventual read does not find is read again, strongly consistent'],
    ['BatchGet strong', 'a commit that was published, or discarded, a moment ago'],
  ],
  'packages/operator/auditor/audit-skipped-time.ts': [
    ['Scan eventual', 'a local cloud, whose commits are older than the time that was skipped'],
  ],
  'packages/operator/auditor/auditor.ts': [
    [
      'Query index',
      'commits are judged a quarter of an hour after they were made; an entry that is later is not judged',
    ],
  ],
  'packages/operator/auditor/resent-deliveries.ts': [['Query strong', 'the run before may have sent it a moment ago']],
  'packages/operator/auditor/watermarks.ts': [
    ['Get strong', 'after a refused write: is what is stored this very write?'],
    ['Query strong', 'a watermark that was moved a moment ago refuses the next write'],
    ['Query strong', 'what was sent again a moment ago is counted'],
  ],
  'packages/operator/records/commits.ts': [['Query strong', 'an operator decides on it']],
  'packages/operator/consumers/pauses.ts': [['Query strong', 'a second pause must see the first one']],
  'packages/operator/failures/discard-in-sequence.ts': [
    ['Get strong', 'the transaction checks the cursor as it was read'],
    ['Get strong', 'a place that is taken needs no tombstone; the transaction checks one that seemed free'],
  ],
  'packages/operator/groups/cause-notes.ts': [['Query strong', 'who has just noted something sees it']],
  'packages/operator/groups/customers.ts': [['BatchGet eventual', 'a list for an operator']],
  'packages/operator/records/feed.ts': [
    ['Query index', 'messages are judged a quarter of an hour after their commits, and late entries by the next audit'],
    [
      'Query index',
      'the status counts the newest commits that the index shows; the next one counts those that it shows late',
    ],
    ['Query index', 'the feed is the only way to the commits of a time'],
    ['BatchGet eventual', 'commits that the index shows exist'],
    ['BatchGet strong', 'a commit that the eventual read did not find again'],
  ],
  'packages/operator/inboxes/inbox.ts': [['Query index', 'a list for an operator']],
  'packages/operator/people/personal-data.ts': [
    ['Query index', 'the feed is the only way to the commits of a time; the command waits until it has them'],
    ['Get strong', 'an operator decides on it'],
  ],
  'packages/operator/records/consumer-records.ts': [
    ['Get strong', 'an operator decides on it'],
    ['BatchGet strong', 'what they do not show is reported, or recorded as a failure'],
    ['Query index', 'a list for an operator'],
  ],
  'packages/operator/records/show-stored.ts': [
    ['BatchGet eventual', 'the feed is read behind them, and who sees none asks again'],
    ['BatchGet eventual', 'records are shown to an operator, who may ask again'],
  ],
  'packages/operator/restore/restore-record.ts': [
    ['Query strong', 'it says which steps must not come again'],
    ['Get strong', 'another run may have taken over a moment ago'],
  ],
  'packages/operator/restore/restore-run.ts': [
    ['Query index', 'the relay has been quiet for minutes, so the index has what it has recorded'],
  ],
  'packages/operator/restore/table-comparison.ts': [
    ['Scan strong', 'what it does not see is neither put back nor deleted'],
    ['BatchGet strong', 'an item counts as missing or new by it, and is written then'],
  ],
  'packages/operator/sagas/saga-list.ts': [
    ['Query eventual', 'a list for an operator'],
    ['Query index', 'a list for an operator'],
  ],
  'packages/operator/status/read-status.ts': [
    ['Query index', 'a count for an operator'],
    ['Query index', 'a count for an operator'],
    ['Query eventual', 'a count for an operator'],
  ],
  'packages/kit/personal-data/personal-keys.ts': [
    ['Get strong', 'nothing of a forgotten person may be read or sealed, and no later write checks it'],
  ],
  'packages/kit/projection/checkpoint.ts': [['Get strong', 'a runner continues where the one before ended']],
  'packages/kit/projection/compare.ts': [['Get strong', 'a row that changes meanwhile is no difference']],
  'packages/kit/projection/aggregate-loader.ts': [
    ['Get strong', 'an operator may have discarded the failure a moment ago'],
  ],
  'packages/kit/projection/projection.ts': [
    [
      "Get read === 'newest'",
      'writers must see a version that is being built; readers may see the pointer of a moment ago',
    ],
  ],
  'packages/kit/projection/replay.ts': [
    ['Scan index', 'the feed; rows of commits that it does not show yet are found by the comparison'],
    ['Scan strong', 'the comparison finds every row that was there before the rebuild'],
  ],
  'packages/kit/saga/round-trips.ts': [['Get eventual', 'a hint: the silence of a step may be explained']],
  'packages/kit/timers/sweeper.ts': [['Query index', 'timers that are due; what it misses is due at the next sweep']],
  'packages/kit/timers/timer-dispatcher.ts': [
    ['BatchGet strong', 'the index shows timers that were sent, or ended, a moment ago: they are not sent again'],
  ],
};

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const READ =
  /^(?!\s*\*).*?(?:new (Get|BatchGet|TransactGet|Query|Scan|ExecuteStatement|BatchExecuteStatement|ExecuteTransaction)(?:Items?)?Command\(|\bpaginate(Query|Scan)\(|(?<!function )\b(queryItems|readItems)\()/gm;

/** Commands that the functions send which follow pages to their end (`packages/kit/aws/read-items.ts`, which is no reader itself). */
const SENT: Readonly<Record<string, string>> = { queryItems: 'Query', readItems: 'BatchGet' };
const READING = 'packages/kit/aws/read-items.ts';

/** Returns the reads in a source, in their order: `Get strong`. */
const readsIn = (source: string): readonly string[] =>
  [...source.matchAll(READ)].map((found) => {
    const [text, command, paginated, helper = ''] = found;
    const given = argumentsFrom(source, found.index + text.length);
    return `${command ?? paginated ?? SENT[helper]} ${consistencyOf(helper === 'queryItems' ? queryIn(given, source, found.index) : given)}`;
  });

/** Returns the query that `queryItems` is given: its second argument, or the constant that this names. */
function queryIn(given: string, source: string, before: number): string {
  const [, name = ''] = /^[\w.]+,\s*(\w+)\b(?!\()/.exec(given) ?? [];
  const declared = name === '' ? -1 : source.lastIndexOf(`const ${name}`, before);
  if (declared < 0) return given;
  const from = source.indexOf('{', declared) + 1;
  return argumentsFrom(source, from);
}

function consistencyOf(given: string): string {
  if (/^\w+$/.test(given)) return given;
  if (/\bIndexName\b/.test(given)) return 'index';
  const [, asked = /[{,]\s*consistent,/.test(given) ? 'consistent' : undefined] =
    /\b(?:ConsistentRead|consistent): ([^,\n}]+)/.exec(given) ?? [];
  return asked === undefined ? 'eventual' : asked.trim() === 'true' ? 'strong' : asked.trim();
}

/** Returns the text up to the bracket that closes an open one. */
function argumentsFrom(source: string, from: number): string {
  let depth = 1;
  let at = from;
  for (; depth > 0 && at < source.length; at++) {
    if ('([{'.includes(source[at] ?? '')) depth++;
    if (')]}'.includes(source[at] ?? '')) depth--;
  }
  return source.slice(from, at - 1).trim();
}

const sources = ['lambdas', 'packages/kit', 'packages/operator'].flatMap((folder) =>
  readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !/(^|\/)node_modules\//.test(file))
    .map((file) => `${folder}/${file}`),
);

test('every read of a table has the consistency that was approved, with a reason', () => {
  const found = sources
    .map((file) => [file, readsIn(readFileSync(ROOT + file, 'utf8'))] as const)
    .filter(([file, reads]) => reads.length > 0 && file !== READING);
  const approved = Object.entries(APPROVED).map(([file, reads]) => [file, reads.map(([read]) => read)] as const);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(approved));
});

test('a read is seen, however it is written', () => {
  const source = `
    await documents.send(new GetCommand({ TableName, Key: { pk: of(id) }, ConsistentRead: true }));
    client.send(new QueryCommand({
      TableName,
      IndexName: 'due',
    }));
    for await (const page of paginateScan({ client }, { TableName })) use(page);
    * const { Item } = await documents.send(new GetCommand({ TableName }));
    documents.send(new BatchGetItemCommand(input));
    documents.send(new GetCommand({ TableName, ConsistentRead: isNew }));
  `;
  expect(readsIn(source)).toEqual(['Get strong', 'Query index', 'Scan eventual', 'BatchGet input', 'Get isNew']);
});
