import type { Operation } from '../../services/dynamodb/model.js';
import type { AttributeValue, Item, WireObject } from '../../services/dynamodb/wire.js';
import type { Dice } from './random.js';
import { ExpressionWriter } from './random-expressions.js';

export interface RandomOperation {
  readonly operation: Operation;
  readonly input: WireObject;
}

const KINDS = ['a', 'b'];
const TAGS = ['a', 'ab', 'b', 'é'];
/** Invalid keys: an empty one, and one that is longer than a sort key may be. */
const NO_KEYS = ['', 'x'.repeat(1025)];

/** A generator of requests over a few items of one table, most of them valid. */
export class OperationWriter {
  constructor(
    private readonly dice: Dice,
    private readonly table: string,
    /** Local indexes of the table; those over `level` and over `tag` have these names. */
    private readonly local: readonly ('levels' | 'tags')[] = [],
  ) {}

  next(): RandomOperation {
    const { dice } = this;
    const roll = dice.number(100);
    if (roll < 24) return { operation: 'PutItem', input: this.put({ single: true }) };
    if (roll < 50) return { operation: 'UpdateItem', input: this.update({ single: true }) };
    if (roll < 58) return { operation: 'DeleteItem', input: this.delete({ single: true }) };
    if (roll < 64) return { operation: 'GetItem', input: this.get() };
    if (roll < 80) return { operation: 'Query', input: this.query() };
    if (roll < 83) return { operation: 'Scan', input: this.scan() };
    if (roll < 94) return { operation: 'TransactWriteItems', input: this.transaction() };
    if (roll < 96)
      return {
        operation: 'TransactGetItems',
        input: { TransactItems: this.distinct(3, () => this.get()).map((get) => ({ Get: get })) },
      };
    if (roll < 98)
      return {
        operation: 'BatchGetItem',
        input: {
          RequestItems: {
            [this.table]: {
              Keys: this.distinct(4, () => ({ Key: this.key() })).map(({ Key }) => Key),
              ConsistentRead: true,
            },
          },
        },
      };
    return { operation: 'BatchWriteItem', input: { RequestItems: { [this.table]: this.batch() } } };
  }

  private key(): Item {
    return { pk: { S: this.dice.one(['p', 'q']) }, sk: { N: String(this.dice.number(5)) } };
  }

  private item(): Item {
    const { dice } = this;
    const writer = new ExpressionWriter(dice);
    const item: Record<string, AttributeValue> = { ...this.key() };
    if (dice.chance(0.6)) item.kind = { S: dice.one(KINDS) };
    if (dice.chance(0.6)) item.level = { N: String(dice.number(4)) };
    if (dice.chance(0.5)) item.tag = { S: dice.one(TAGS) };
    for (const name of dice.some(ExpressionWriter.attributes, 5)) item[name] = writer.valueFor(name);
    if (dice.chance(0.2)) item.filler = { S: 'x'.repeat(dice.number(9000)) };
    if (dice.chance(0.02)) item.kind = dice.one([{ N: '1' }, { S: '' }]);
    if (dice.chance(0.02)) item.tag = { S: dice.one(NO_KEYS) };
    if (dice.chance(0.02)) delete item.sk;
    return item;
  }

  private put({ single }: { single: boolean }): WireObject {
    return {
      TableName: this.table,
      Item: this.item(),
      ...this.condition(),
      ...this.returning(single, ['NONE', 'ALL_OLD']),
    };
  }

  private delete({ single }: { single: boolean }): WireObject {
    return {
      TableName: this.table,
      Key: this.key(),
      ...this.condition(),
      ...this.returning(single, ['NONE', 'ALL_OLD']),
    };
  }

  private update({ single }: { single: boolean }): WireObject {
    const writer = new ExpressionWriter(this.dice);
    const UpdateExpression = writer.update(KINDS);
    const ConditionExpression = this.dice.chance(0.4) ? writer.condition(2) : undefined;
    const values = ['NONE', 'ALL_OLD', 'ALL_NEW', 'UPDATED_OLD', 'UPDATED_NEW'];
    return {
      TableName: this.table,
      Key: this.key(),
      UpdateExpression,
      ...(ConditionExpression ? { ConditionExpression } : {}),
      ...writer.placeholders(),
      ...this.returning(single, values),
    };
  }

  private condition(): WireObject {
    if (this.dice.chance(0.5)) return {};
    const writer = new ExpressionWriter(this.dice);
    return { ConditionExpression: writer.condition(3), ...writer.placeholders() };
  }

  private returning(single: boolean, values: readonly string[]): WireObject {
    return {
      ...(this.dice.chance(0.7) ? { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } : {}),
      ...(single && this.dice.chance(0.7) ? { ReturnValues: this.dice.one(values) } : {}),
      ...(single ? { ReturnConsumedCapacity: 'INDEXES' } : {}),
    };
  }

  private get(): WireObject {
    const writer = new ExpressionWriter(this.dice);
    const projection = this.dice.chance(0.5) ? { ProjectionExpression: writer.projection() } : {};
    return { TableName: this.table, Key: this.key(), ...projection, ...writer.placeholders() };
  }

  private query(): WireObject {
    const { dice } = this;
    const writer = new ExpressionWriter(dice);
    const IndexName = dice.one([undefined, undefined, 'byKind', 'kindKeys', 'byTag', ...this.local] as const);
    const ofTable = IndexName === undefined || this.isLocal(IndexName);
    const hash = ofTable ? 'pk' : 'kind';
    const parts = [`${hash} = ${writer.value({ S: dice.chance(0.03) ? '' : dice.one(ofTable ? ['p', 'q'] : KINDS) })}`];
    if (dice.chance(0.7)) {
      if (IndexName === undefined) parts.push(writer.range('sk', () => ({ N: String(dice.number(5)) })));
      if (IndexName === 'byKind' || IndexName === 'levels')
        parts.push(writer.range('level', () => ({ N: String(dice.number(5)) })));
      if (IndexName === 'byTag' || IndexName === 'tags') parts.push(this.tagRange(writer));
    }
    return {
      TableName: this.table,
      KeyConditionExpression: parts.join(' AND '),
      ...this.reading(writer, IndexName),
      ...(dice.chance(0.5) ? { ScanIndexForward: dice.chance(0.5) } : {}),
      ...(IndexName === undefined && dice.chance(0.3) ? { Limit: 1 + dice.number(4) } : {}),
    };
  }

  private isLocal(index: string): boolean {
    return this.local.some((name) => name === index);
  }

  private tagRange(writer: ExpressionWriter): string {
    const { dice } = this;
    const tag = (): AttributeValue => ({ S: dice.one(dice.chance(0.1) ? NO_KEYS : TAGS) });
    return dice.chance(0.2) ? `begins_with(tag, ${writer.value(tag())})` : writer.range('tag', tag);
  }

  private scan(): WireObject {
    return {
      TableName: this.table,
      ...this.reading(new ExpressionWriter(this.dice), this.dice.one([undefined, 'byKind', ...this.local])),
    };
  }

  private reading(writer: ExpressionWriter, IndexName: string | undefined): WireObject {
    const { dice } = this;
    const filter = dice.chance(0.3) ? { FilterExpression: writer.condition(2) } : {};
    const projection = dice.chance(0.3) ? { ProjectionExpression: writer.projection() } : {};
    return {
      ...(IndexName ? { IndexName } : {}),
      ...(IndexName === undefined || this.isLocal(IndexName) ? { ConsistentRead: dice.chance(0.9) } : {}),
      ...(dice.chance(0.1) ? { Select: 'COUNT' } : {}),
      ...filter,
      ...projection,
      ...writer.placeholders(),
      ReturnConsumedCapacity: 'INDEXES',
    };
  }

  private transaction(): WireObject {
    const TransactItems = this.distinct(4, () => this.member(), false).map(({ member }) => member);
    return { TransactItems };
  }

  private member(): { readonly Key?: unknown; readonly Item?: Item; readonly member: WireObject } {
    const roll = this.dice.number(10);
    if (roll < 4) {
      const Put = this.put({ single: false });
      return { Item: Put.Item as Item, member: { Put } };
    }
    if (roll < 8) {
      const Update = this.update({ single: false });
      return { Key: Update.Key, member: { Update } };
    }
    const keyed = this.delete({ single: false });
    const check = roll === 9 && keyed.ConditionExpression !== undefined;
    return { Key: keyed.Key, member: check ? { ConditionCheck: keyed } : { Delete: keyed } };
  }

  private batch(): readonly WireObject[] {
    return this.distinct(3, () => (this.dice.chance(0.7) ? { Item: this.item() } : { Key: this.key() })).map((each) =>
      'Item' in each ? { PutRequest: each } : { DeleteRequest: each },
    );
  }

  /** Keeps parts for different items, and occasionally a duplicate. */
  private distinct<T extends { readonly Key?: unknown; readonly Item?: Item }>(
    most: number,
    make: () => T,
    repeats = true,
  ): readonly T[] {
    const seen = new Set<string>();
    const all = this.dice.times(most, make);
    if (repeats && this.dice.chance(0.05)) return all;
    return all.filter(({ Key, Item }) => {
      const { pk, sk } = (Item ?? Key) as Item;
      const id = JSON.stringify([pk, sk]);
      if (seen.has(id)) return false;
      seen.add(id);
      return true;
    });
  }
}
