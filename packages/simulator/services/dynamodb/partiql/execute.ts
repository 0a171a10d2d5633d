/** AWS, "API Reference: ExecuteStatement, BatchExecuteStatement, ExecuteTransaction". */

import { NotModelled } from '../../../wire/operation.js';
import { type CancellationReason, cancelled, DynamoDbError, duplicateItem, validation } from '../errors.js';
import { keyOf as keyAttributes } from '../keys.js';
import { anything, atLeast, members, structure, text } from '../operations/constraints.js';
import type { Call } from '../operations/context.js';
import { query, scan } from '../operations/query.js';
import { readRequest } from '../operations/request.js';
import { CAPACITY, defineShape, ON_CONDITION_FAILURE } from '../operations/shape.js';
import { deleteItem, putItem, updateItem } from '../operations/single.js';
import type { Tokens } from '../operations/tokens.js';
import { transactGetItems, transactWriteItems } from '../operations/transactions.js';
import type { KeySchema } from '../table-definition.js';
import { normalizeItem } from '../values.js';
import type { Item, WireObject } from '../wire.js';
import { type Literal, Parameters, StatementSource } from './operands.js';
import { type Exists, parseStatement, type Select, type Statement } from './statement.js';
import { StatementTokens } from './statement-tokens.js';
import { projectItem, splitKey, toDeleteItem, toGetItem, toPutItem, toQueryOrScan, toUpdateItem } from './translate.js';

const STATEMENT = {
  Statement: text(1, 8192),
  Parameters: members(1, Number.POSITIVE_INFINITY),
  ReturnValuesOnConditionCheckFailure: ON_CONDITION_FAILURE,
};
const EXECUTE = defineShape(['Statement'], {
  ...STATEMENT,
  ConsistentRead: anything,
  Limit: atLeast(1),
  NextToken: anything,
  ReturnConsumedCapacity: CAPACITY,
});
const BATCH = defineShape(['Statements'], {
  Statements: members(1, 25, structure(['Statement'], STATEMENT)),
  ReturnConsumedCapacity: CAPACITY,
});
const TRANSACTION = defineShape(['TransactStatements'], {
  TransactStatements: members(1, 100, structure(['Statement'], STATEMENT)),
  ClientRequestToken: text(1, 36),
  ReturnConsumedCapacity: CAPACITY,
});

/** Carries out one statement by the operation that it means. */
export function executeStatement(call: Call, given: WireObject): WireObject {
  const input = readRequest(given, EXECUTE);
  const statement = parseInput(input);
  if (statement.kind === 'select') return executeSelect(call, statement, input);
  if (statement.kind === 'exists') throw validation('EXISTS is only allowed in a transaction');
  const { Attributes, ConsumedCapacity } = executeWrite(call, statement, input);
  return { Items: Attributes ? [Attributes] : [], ...(ConsumedCapacity ? { ConsumedCapacity } : {}) };
}

function parseInput({ Statement: statement, Parameters: parameters = [] }: WireObject): Statement {
  return parseStatement(
    new StatementSource(new StatementTokens(String(statement)), new Parameters(parameters as readonly Literal[])),
  );
}

function executeSelect(call: Call, select: Select, options: WireObject): WireObject {
  const { Limit, ConsistentRead, ReturnConsumedCapacity, NextToken } = options;
  const { operation, input } = toQueryOrScan(select, findKeySchema(call, select));
  const start = NextToken === undefined ? {} : { ExclusiveStartKey: positionIn(NextToken) };
  const paging = { Limit, ConsistentRead, ReturnConsumedCapacity, ...start };
  const page = (operation === 'Query' ? query : scan)(call, { ...input, ...paging });
  const { Items, LastEvaluatedKey, ConsumedCapacity } = page;
  const next = LastEvaluatedKey && { LastEvaluatedKey, NextToken: encodeToken(LastEvaluatedKey) };
  return {
    Items: (Items as readonly Item[]).map((item) => projectItem(item, select.paths)),
    ...(next ? next : {}),
    ...(ConsumedCapacity ? { ConsumedCapacity } : {}),
  };
}

function findKeySchema(
  call: Call,
  { table: name, index }: { readonly table: string; readonly index?: string },
): KeySchema {
  const table = call.table(name);
  return (index === undefined ? undefined : table.indexes.get(index)?.definition.key) ?? table.definition.key;
}

function executeWrite(call: Call, statement: Exclude<Statement, Select | Exists>, options: WireObject): WireObject {
  const { ReturnConsumedCapacity, ReturnValuesOnConditionCheckFailure } = options;
  const key = findKeySchema(call, statement);
  const more = { ReturnConsumedCapacity, ReturnValuesOnConditionCheckFailure };
  if (statement.kind === 'insert') {
    try {
      return putItem(call, { ...toPutItem(statement, key), ReturnConsumedCapacity });
    } catch (error) {
      throw isFailedCondition(error) ? duplicateItem(error.effects) : error;
    }
  }
  const returning = { ...more, ReturnValues: statement.returning };
  return statement.kind === 'update'
    ? updateItem(call, { ...toUpdateItem(statement, key), ...returning })
    : deleteItem(call, { ...toDeleteItem(statement, key), ...returning });
}

const isFailedCondition = (error: unknown): error is DynamoDbError =>
  error instanceof DynamoDbError && error.type === 'ConditionalCheckFailedException';

const encodeToken = (position: unknown): string => Buffer.from(JSON.stringify(position)).toString('base64');

function positionIn(token: unknown): unknown {
  try {
    return JSON.parse(Buffer.from(String(token), 'base64').toString());
  } catch {
    throw validation('The provided NextToken is invalid');
  }
}

/** Carries out each statement by itself; one that fails has its error in its place of the answer. */
export function batchExecuteStatement(call: Call, given: WireObject): WireObject {
  const input = readRequest(given, BATCH);
  const statements = (input.Statements as readonly WireObject[]).map((each) => ({
    each,
    plan: planBatchMember(call, each),
  }));
  const reads = statements.flatMap(({ plan }) => ('statement' in plan ? [plan.statement.kind === 'select'] : []));
  if (new Set(reads).size > 1) throw mixedOperationsError('BatchExecuteStatement');
  const items = statements.flatMap(({ plan }) => ('item' in plan ? [plan.item] : []));
  if (new Set(items).size < items.length) throw validation('Provided list of item keys contains duplicates');
  const Responses = statements.map(({ each, plan }) =>
    'Error' in plan ? plan : executeBatchMember(call, plan.statement, each),
  );
  return { Responses, ...call.consumption.report(input.ReturnConsumedCapacity, 'many') };
}

const mixedOperationsError = (operation: string): DynamoDbError =>
  validation(`${operation} API does not support both read and write operations in the same request.`);

interface Planned {
  readonly statement: Exclude<Statement, Exists>;
  /** Text that identifies its item. */
  readonly item: string;
}

/** @returns a statement on one item, or the answer that it can't be carried out */
function planBatchMember(call: Call, input: WireObject): Planned | Failed {
  let name: string | undefined;
  try {
    const statement = parseInput(input);
    if (statement.kind === 'exists') throw validation('EXISTS is only allowed in a transaction');
    name = statement.table;
    const { definition } = call.table(name);
    const Key =
      statement.kind === 'insert'
        ? keyAttributes(normalizeItem(statement.item), definition.key)
        : splitKey(statement.where, definition.key).Key;
    return { statement, item: JSON.stringify([name, Key]) };
  } catch (error) {
    return toBatchError(error, name);
  }
}

function executeBatchMember(call: Call, statement: Planned['statement'], input: WireObject): object {
  const { table: TableName } = statement;
  try {
    if (statement.kind !== 'select') {
      const { Attributes } = executeWrite(call, statement, input);
      return { TableName, ...(Attributes ? { Item: Attributes } : {}) };
    }
    const { ConsistentRead } = input;
    const [Item] = executeSelect(call, statement, { ConsistentRead }).Items as readonly Item[];
    return { TableName, ...(Item ? { Item } : {}) };
  } catch (error) {
    return toBatchError(error, TableName);
  }
}

interface Failed {
  readonly TableName?: string;
  readonly Error: WireObject;
}

/** Returns an error in its place of a batch's answer. */
function toBatchError(error: unknown, table: string | undefined): Failed {
  if (!(error instanceof DynamoDbError)) throw error;
  const { Item } = error.body;
  const Code = error.type === 'ValidationException' ? 'ValidationError' : error.type.replace(/Exception$/, '');
  return {
    ...(table === undefined ? {} : { TableName: table }),
    Error: { Code, Message: error.message, ...(Item ? { Item } : {}) },
  };
}

/** Carries out statements that all read, or all write. */
export function executeTransaction(call: Call, given: WireObject, tokens: Tokens): WireObject {
  const input = readRequest(given, TRANSACTION);
  const { TransactStatements, ClientRequestToken, ReturnConsumedCapacity } = input;
  const statements = (TransactStatements as readonly WireObject[]).map((each) => ({
    each,
    statement: parseInput(each),
  }));
  const selects = statements.flatMap(({ statement }) => (statement.kind === 'select' ? [statement] : []));
  if (selects.length === statements.length) {
    const TransactItems = selects.map((select) => ({
      Get: toGetItem(select, findKeySchema(call, { table: select.table })),
    }));
    const { Responses, ...more } = transactGetItems(call, { TransactItems, ReturnConsumedCapacity });
    const items = (Responses as readonly { readonly Item?: Item }[]).map(({ Item }, at) =>
      Item ? { Item: projectItem(Item, selects[at]?.paths) } : {},
    );
    return { Responses: items, ...more };
  }
  if (selects.length > 0) throw mixedOperationsError('ExecuteTransaction');
  const TransactItems = statements.map(({ each, statement }) => toTransactionMember(call, statement, each));
  try {
    const done = transactWriteItems(call, { TransactItems, ClientRequestToken, ReturnConsumedCapacity }, tokens);
    return { Responses: [], ...done };
  } catch (error) {
    const inserts = statements.map(({ statement }) => statement.kind === 'insert');
    throw error instanceof DynamoDbError ? withDuplicates(error, inserts) : error;
  }
}

function toTransactionMember(
  call: Call,
  statement: Statement,
  { ReturnValuesOnConditionCheckFailure }: WireObject,
): WireObject {
  const more = { ReturnValuesOnConditionCheckFailure };
  switch (statement.kind) {
    case 'insert':
      return { Put: { ...toPutItem(statement, findKeySchema(call, statement)), ...more } };
    case 'update':
      return { Update: { ...toUpdateItem(statement, findKeySchema(call, statement)), ...more } };
    case 'delete':
      return { Delete: { ...toDeleteItem(statement, findKeySchema(call, statement)), ...more } };
    case 'exists': {
      const { select } = statement;
      return {
        ConditionCheck: { ...toDeleteItem(select, findKeySchema(call, { table: select.table }), true), ...more },
      };
    }
    case 'select':
      throw new NotModelled('PartiQL: SELECT in a transaction that writes');
  }
}

/** An INSERT that finds an item is a reason of its own. */
function withDuplicates(error: DynamoDbError, inserts: readonly boolean[]): DynamoDbError {
  const { CancellationReasons: reasons } = error.body as { CancellationReasons?: readonly CancellationReason[] };
  if (!reasons) return error;
  const told = reasons.map(
    (reason, at): CancellationReason =>
      inserts[at] && reason.Code === 'ConditionalCheckFailed'
        ? { Code: 'DuplicateItem', Message: 'Duplicate primary key exists in table' }
        : reason,
  );
  return cancelled(told, error.effects);
}
