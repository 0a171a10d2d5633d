import type { AttributeValue, Item, WireObject } from '../../services/dynamodb/wire.js';
import type { RandomOperation } from './random-operations.js';

/**
 * Returns an answer in a form in which the model and DynamoDB Local must agree. Everything that is normalised here
 * either has no order on AWS as well (sets, batches, items of an index with equal sort keys, scans), or is a known
 * fault of DynamoDB Local:
 *
 * 1. ReturnValues UPDATED_OLD and UPDATED_NEW show whole top-level attributes; AWS shows the updated parts of them. So
 *   only the names of the attributes are compared.
 * 2. An update inside a transaction that doesn't fit its item is a ValidationException; AWS cancels the transaction
 *   with the reason ValidationError ("API Reference: TransactWriteItems"). Both count as the same here.
 * 3. Units of transactions and batches differ from the documented ones (a Put of 10 bytes in a transaction costs 4),
 *   and a Query that reads nothing costs 0. They aren't compared; unit tests check them against the documentation.
 * 4. The wording of some messages differs from AWS's: only the error's type is compared here, and an item or reasons if
 *   they come with it.
 *
 * 5. A page that its Limit ends at the very bound of a sort key's range (`=`, `<=`, `>=`, BETWEEN) has no
 *   LastEvaluatedKey. AWS promises only that its absence means the end; the model returns one, as for any full page.
 * 6. An index over two attributes costs a write unit if an item that has only one of them changes. On AWS an item that
 *   is in the index neither before nor after costs nothing there ("Using Global Secondary Indexes"). So the units of
 *   `byKind`, and their sum with others, aren't compared.
 * 7. Results of arithmetic keep zeros after the point ("100.0"); AWS trims leading and trailing zeros.
 * 8. A Query for a partition key above 2,048 bytes finds nothing; AWS refuses such a key ("Quotas in Amazon DynamoDB").
 *   The generator writes none.
 *
 * 9. A Scan of a local index costs as much as the whole items, and nothing for what it fetches from the table. AWS
 *   charges for the index's entries, and for what is fetched ("Local secondary indexes"). These units aren't compared.
 *   Nor are those of an index with all attributes: DynamoDB Local counts a few bytes more for each of its entries.
 *
 * The generator avoids these cases: SET of an index's key to another type (DynamoDB Local stores it, AWS refuses it),
 * parts of requests in JSON of a wrong type (DynamoDB Local converts them, AWS answers SerializationException), and two
 * writes of one item in a transaction (DynamoDB Local checks the conditions first).
 */
export function toComparable({ operation, input }: RandomOperation, status: number, body: WireObject): unknown {
  if (status !== 200) return refusal(body);
  const { ConsumedCapacity, ...answer } = body;
  const returned = String(input.ReturnValues ?? '');
  return sortMembers({
    ...answer,
    ...(body.Attributes && returned.startsWith('UPDATED') ? { Attributes: Object.keys(body.Attributes).sort() } : {}),
    ...(unitsAgree(operation, body) ? { ConsumedCapacity: comparableUnits(ConsumedCapacity, operation) } : {}),
    ...(endsAtBound(input, body) ? { LastEvaluatedKey: undefined } : {}),
    ...(Array.isArray(body.Items) && unordered(input, operation) ? { Items: sorted(body.Items) } : {}),
    ...(operation === 'BatchGetItem' ? { Responses: Object.values(body.Responses as object).map(sorted) } : {}),
    ...(operation === 'BatchWriteItem' ? { UnprocessedItems: Object.values(body.UnprocessedItems as object) } : {}),
  });
}

function refusal(body: WireObject): unknown {
  const type = String(body.__type).split('#')[1];
  const reasons = (body.CancellationReasons ?? []) as readonly { Code: string; Item?: Item }[];
  if (reasons.some(({ Code }) => Code === 'ValidationError')) return { type: 'ValidationException', reasons: [] };
  return sortMembers({ type, item: body.Item, reasons: reasons.map(({ Code, Item: item }) => ({ Code, item })) });
}

const unitsAgree = (operation: string, body: WireObject): boolean =>
  ['PutItem', 'UpdateItem', 'DeleteItem', 'GetItem'].includes(operation) || Number(body.ScannedCount) > 0;

/** Units of the table and of the indexes that have keys only. */
function comparableUnits(capacity: unknown, operation: string): unknown {
  const { Table, GlobalSecondaryIndexes, LocalSecondaryIndexes: local } = (capacity ?? {}) as WireObject;
  const kindKeys = (GlobalSecondaryIndexes as WireObject | undefined)?.kindKeys;
  return operation === 'Scan' && local
    ? undefined
    : { Table, kindKeys, levels: (local as WireObject | undefined)?.levels };
}

const endsAtBound = ({ Limit, KeyConditionExpression }: WireObject, { ScannedCount }: WireObject): boolean =>
  Limit !== undefined && ScannedCount === Limit && / AND .*(=|BETWEEN)/.test(String(KeyConditionExpression));

const unordered = (input: WireObject, operation: string): boolean =>
  operation === 'Scan' || input.IndexName !== undefined || isUnordered(input.Statement);

/** A statement about no single partition. */
const isUnordered = (statement: unknown): boolean => statement !== undefined && !/pk = /.test(String(statement));

const sorted = (items: unknown): unknown =>
  (items as readonly unknown[]).map((item) => JSON.stringify(sortMembers(item))).sort();

/** Sorts the members of objects and of sets. */
export function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value as { readonly [name: string]: AttributeValue })
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    entries.map(([name, member]) => [
      name,
      name === 'N'
        ? trimmed(String(member))
        : ['SS', 'NS', 'BS'].includes(name) && Array.isArray(member)
          ? [...member].sort()
          : sortMembers(member),
    ]),
  );
}

const trimmed = (number: string): string => (number.includes('.') ? number.replace(/\.?0+$/, '') : number);
