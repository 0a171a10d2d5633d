/** Which members the requests of an operation have. AWS, "API Reference" (request parameters of each operation). */
import type { ExpressionName } from '../expressions/placeholders.js';
import { anything, type Constraint, oneOf, tableName } from './constraints.js';

/** The members of one operation's requests. */
export interface Shape {
  readonly required: readonly string[];
  readonly members: ReadonlyMap<string, Constraint>;
  /** In the order of AWS's messages. */
  readonly expressions: readonly ExpressionName[];
  /** Parameters that expressions have replaced, in the order of AWS's messages. */
  readonly legacy: readonly string[];
}

export const CAPACITY: Constraint = oneOf('INDEXES', 'TOTAL', 'NONE');
export const COLLECTION_METRICS: Constraint = oneOf('SIZE', 'NONE');
export const ON_CONDITION_FAILURE: Constraint = oneOf('ALL_OLD', 'NONE');

/** @param required must be there; a `TableName` among them must be a table's name */
export function defineShape(
  required: readonly string[],
  constrained: Readonly<Record<string, Constraint>>,
  expressions: readonly ExpressionName[] = [],
  legacy: readonly string[] = [],
): Shape {
  const placeholders = expressions.length > 0 ? ['ExpressionAttributeNames', 'ExpressionAttributeValues'] : [];
  const members = new Map<string, Constraint>(Object.entries(constrained));
  for (const member of [...expressions, ...placeholders, ...legacy, ...required]) {
    if (!members.has(member)) members.set(member, member === 'TableName' ? tableName : anything);
  }
  return { required, members, expressions, legacy };
}
