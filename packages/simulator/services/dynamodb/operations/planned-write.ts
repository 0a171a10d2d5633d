/**
 * A requested write, checked as far as possible without the item. AWS, "API Reference: PutItem, UpdateItem, DeleteItem,
 * ConditionCheck".
 */
import { itemRefused } from '../errors.js';
import { bindCondition, type Condition } from '../expressions/condition.js';
import type { Path } from '../expressions/paths.js';
import { Placeholders } from '../expressions/placeholders.js';
import { bindUpdate, type Update } from '../expressions/update.js';
import { checkIndexKeys, checkItem, keyOf, readKey } from '../keys.js';
import { itemBytes, MAX_ITEM_BYTES } from '../size.js';
import type { Table } from '../table.js';
import { attributeNames } from '../table-definition.js';
import { invalid, normalizeItem } from '../values.js';
import type { Item, ItemKey, WireObject } from '../wire.js';
import type { Call } from './context.js';
import { textMember } from './request.js';

export interface PlannedWrite {
  readonly table: Table;
  readonly item: ItemKey;
  /** If absent, the write is unconditional. */
  readonly condition?: Condition;
  readonly returnOnFailure: boolean;
  /**
   * Returns the item after the write.
   * @throws {DynamoDbError} ValidationException if the current item doesn't allow it
   */
  readonly next: (before: Item | undefined) => Item | undefined;
  /** Present if it only checks and writes nothing. */
  readonly check?: true;
  /** Paths that an update changes. */
  readonly paths?: readonly Path[];
}

export function planPut(call: Call, input: WireObject): PlannedWrite {
  const table = call.table(input.TableName);
  const item = normalizeItem(input.Item);
  checkItem(item, table.definition, itemBytes(item));
  const key = keyOf(item, table.definition.key);
  return { table, item: { table: table.name, key }, ...condition(input), next: () => item };
}

export function planDelete(call: Call, input: WireObject): PlannedWrite {
  return { ...planKeyed(call, input), ...condition(input), next: () => undefined };
}

export function planCheck(call: Call, input: WireObject): PlannedWrite {
  return { ...planKeyed(call, input), ...condition(input), next: (before) => before, check: true };
}

export function planUpdate(call: Call, input: WireObject): PlannedWrite {
  const planned = planKeyed(call, input);
  const { definition } = planned.table;
  const text = textMember(input, 'UpdateExpression');
  const placeholders = new Placeholders(input, ['UpdateExpression', 'ConditionExpression']);
  const update: Update = text === undefined ? { paths: [], apply: (item) => item } : bindUpdate(text, placeholders);
  for (const [name] of update.paths) {
    if (attributeNames(definition.key).includes(String(name))) {
      throw invalid(`Cannot update attribute ${name}. This attribute is part of the key`);
    }
  }
  const next = (before: Item | undefined): Item => {
    const item = update.apply(before ?? planned.item.key);
    checkIndexKeys(item, definition);
    if (itemBytes(item) > MAX_ITEM_BYTES) {
      throw itemRefused('Item size to update has exceeded the maximum allowed size');
    }
    return item;
  };
  return { ...planned, ...condition(input, placeholders), next, paths: update.paths };
}

function planKeyed(call: Call, input: WireObject): Pick<PlannedWrite, 'table' | 'item'> {
  const table = call.table(input.TableName);
  return { table, item: { table: table.name, key: readKey(input.Key, table.definition) } };
}

/** Reads the placeholders last: none may remain unused. */
function condition(input: WireObject, shared?: Placeholders): Pick<PlannedWrite, 'condition' | 'returnOnFailure'> {
  const text = textMember(input, 'ConditionExpression');
  const placeholders = shared ?? new Placeholders(input, ['ConditionExpression']);
  const bound = bindCondition('ConditionExpression', text, placeholders);
  placeholders.refuseUnused();
  const returnOnFailure = input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD';
  return { ...(text === undefined ? {} : { condition: bound }), returnOnFailure };
}
