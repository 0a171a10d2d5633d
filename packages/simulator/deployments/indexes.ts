import type { Json, JsonObject } from '../assembly/intrinsics.js';
import { isSame } from './template.js';

const TABLES: readonly string[] = ['AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table'];

/**
 * Returns why DynamoDB refuses to change the indexes of a table in one update, or undefined if it does not. It creates or deletes one
 * global secondary index at a time; an index with other keys or another projection is a new one.
 * AWS::DynamoDB::Table, GlobalSecondaryIndexes: "You can delete or add one global secondary index without interruption. If you do both
 * in the same update [...], the update fails." The refusal's text is CloudFormation's.
 */
export function refusedIndexes(type: string, before: JsonObject, after: JsonObject): string | undefined {
  if (!TABLES.includes(type)) return undefined;
  const [old, present] = [indexesOf(before), indexesOf(after)];
  const gone = [...old.keys()].filter((name) => !present.has(name));
  const added = [...present.keys()].filter((name) => !old.has(name));
  const changed = [...present].filter(([name, keys]) => old.has(name) && !isSame(old.get(name), keys));
  if (gone.length + added.length + 2 * changed.length <= 1) return undefined;
  const named = [
    ...gone.map((name) => `without ${name}`),
    ...added.map((name) => `with ${name}`),
    ...changed.map(([name]) => `${name} with other keys or another projection`),
  ];
  return `Cannot perform more than one GSI creation or deletion in a single update (${named.join(', ')})`;
}

function indexesOf({ GlobalSecondaryIndexes }: JsonObject): ReadonlyMap<string, Json> {
  const indexes = (GlobalSecondaryIndexes as readonly JsonObject[] | undefined) ?? [];
  return new Map(
    indexes.map(({ IndexName, KeySchema = [], Projection = {} }) => [String(IndexName), { KeySchema, Projection }]),
  );
}
