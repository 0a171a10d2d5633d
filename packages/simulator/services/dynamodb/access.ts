import { type AccountAndRegion, DEFAULT_ACCOUNT_AND_REGION } from '../../assembly/identity.js';
import type { Access } from '../iam/model.js';

type Members = Readonly<Record<string, unknown>>;

/** Returns the partition key's attribute of a table; `undefined` if there is no such table. */
type PartitionOf = (table: string) => string | undefined;

/** A transaction needs the permissions of its parts. AWS, "Using IAM with DynamoDB transactions". */
const PARTS: Readonly<Record<string, string>> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
  Get: 'GetItem',
};

/**
 * Returns the accesses that a request to DynamoDB needs, with the keys that are compared with `dynamodb:LeadingKeys`.
 * AWS, "Using IAM policy conditions for fine-grained access control".
 */
export function requiredTableAccesses(
  operation: string,
  input: Members,
  partitionOf: PartitionOf,
  home: AccountAndRegion = DEFAULT_ACCOUNT_AND_REGION,
): readonly Access[] {
  if (operation.startsWith('Transact')) {
    const parts = (input.TransactItems as readonly Record<string, Members>[]).flatMap((item) => Object.entries(item));
    return parts.map(([kind, part]) => access(PARTS[kind] ?? kind, part, part, partitionOf, home));
  }
  if (operation.startsWith('Batch')) {
    return Object.entries(input.RequestItems as Readonly<Record<string, object>>).map(([TableName, request]) =>
      access(operation, { TableName }, request, partitionOf, home),
    );
  }
  return [access(operation, input, input, partitionOf, home)];
}

function access(
  action: string,
  { TableName, IndexName }: Members,
  keyed: object,
  partitionOf: PartitionOf,
  home: AccountAndRegion,
): Access {
  const table = String(TableName).split('/').at(-1) ?? '';
  const leading = leadingKeys(keyed, partitionOf(table) ?? '');
  return {
    action: `dynamodb:${action}`,
    resource: home.arn('dynamodb', `table/${table}${IndexName === undefined ? '' : `/index/${String(IndexName)}`}`),
    ...(leading.length > 0 && { context: { 'dynamodb:LeadingKeys': leading } }),
  };
}

/**
 * Returns the partition keys in a request, or in its part for one table. An invalid request contains none, and is
 * refused later.
 */
function leadingKeys(request: object, partition: string): readonly string[] {
  if (Array.isArray(request)) return request.flatMap((write: object) => leadingKeys(write, partition));
  const { Key, Item, Keys, PutRequest, DeleteRequest, KeyConditionExpression, ExpressionAttributeValues } =
    request as Members;
  if (PutRequest ?? DeleteRequest) return leadingKeys((PutRequest ?? DeleteRequest) as object, partition);
  const [, name = ''] = /=\s*(:\w+)/.exec(String(KeyConditionExpression ?? '')) ?? [];
  const values = [
    ...[Key, Item, ...((Keys ?? []) as readonly unknown[])].map((item) => (item as Members | undefined)?.[partition]),
    (ExpressionAttributeValues as Members | undefined)?.[name],
  ];
  return values.flatMap((value) => (value ? [Object.values(value).join('')] : []));
}
