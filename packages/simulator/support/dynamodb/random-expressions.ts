import type { AttributeValue, WireObject } from '../../services/dynamodb/wire.js';
import type { Dice } from './random.js';

type Name = 'num' | 'txt' | 'lst' | 'mp' | 'sset' | 'nset' | 'bset' | 'flag' | 'nul' | 'bin';

const NUMBERS = ['0', '1', '2', '-3', '1.5', '10', '0.1', '100000000000000000000', '12345678901234567890.12345'];
const TEXTS = ['', 'a', 'ab', 'abc', 'b', 'é', '\ud83d\ude00', '\uffee'];
const BINARIES = ['', 'AQ==', 'AQI=', 'Ag==', '/w=='];

/**
 * A generator of expressions over a few attributes, with their placeholders: mostly of matching types, so that both
 * outcomes occur.
 */
export class ExpressionWriter {
  static readonly attributes: readonly Name[] = [
    'num',
    'txt',
    'lst',
    'mp',
    'sset',
    'nset',
    'bset',
    'flag',
    'nul',
    'bin',
  ];
  private readonly names = new Map<string, string>();
  private readonly values: AttributeValue[] = [];

  constructor(private readonly dice: Dice) {}

  placeholders(): WireObject {
    const values = Object.fromEntries(this.values.map((value, at) => [`:v${at}`, value]));
    return {
      ...(this.names.size > 0 ? { ExpressionAttributeNames: Object.fromEntries(this.names) } : {}),
      ...(this.values.length > 0 ? { ExpressionAttributeValues: values } : {}),
    };
  }

  value(value: AttributeValue): string {
    this.values.push(value);
    return `:v${this.values.length - 1}`;
  }

  valueFor(name: Name): AttributeValue {
    const { dice } = this;
    switch (name) {
      case 'num':
        return { N: dice.one(NUMBERS) };
      case 'txt':
        return { S: dice.one(TEXTS) };
      case 'lst':
        return { L: dice.some(['num', 'txt', 'flag'] as const, dice.number(4)).map((each) => this.valueFor(each)) };
      case 'mp':
        return {
          M: Object.fromEntries(
            dice.some(['num', 'txt', 'lst'] as const, dice.number(4)).map((each) => [each, this.valueFor(each)]),
          ),
        };
      case 'sset':
        return { SS: dice.some(TEXTS, 1 + dice.number(3)) };
      case 'nset':
        return { NS: dice.some(NUMBERS, 1 + dice.number(3)) };
      case 'bset':
        return { BS: dice.some(BINARIES, 1 + dice.number(3)) };
      case 'flag':
        return { BOOL: dice.chance(0.5) };
      case 'nul':
        return { NULL: true };
      case 'bin':
        return { B: dice.one(BINARIES) };
    }
  }

  condition(depth: number): string {
    const { dice } = this;
    const roll = depth > 0 ? dice.number(10) : 9;
    if (roll < 2) return `${this.condition(depth - 1)} AND ${this.condition(depth - 1)}`;
    if (roll < 4) return `${this.condition(depth - 1)} OR ${this.condition(depth - 1)}`;
    if (roll < 5) return `NOT ${this.condition(depth - 1)}`;
    if (roll < 6) return `(${this.condition(0)} ${dice.one(['AND', 'or'])} ${this.condition(0)})`;
    return this.comparison();
  }

  private comparison(): string {
    const { dice } = this;
    const name = dice.one(ExpressionWriter.attributes);
    const path = this.path(name);
    const fitting = (): string =>
      this.value(this.valueFor(dice.chance(0.9) ? name : dice.one(ExpressionWriter.attributes)));
    const ordered = dice.one(['num', 'txt', 'bin'] as const);
    switch (dice.number(11)) {
      case 0:
        return `attribute_exists(${path})`;
      case 1:
        return `attribute_not_exists(${path})`;
      case 2:
        return `attribute_type(${path}, ${this.value({ S: dice.one(['S', 'N', 'L', 'M', 'SS', 'NULL']) })})`;
      case 3:
        return `begins_with(${this.path(dice.one(['txt', 'bin']))}, ${this.value(this.valueFor(dice.one(['txt', 'txt', 'bin'])))})`;
      case 4:
        return `contains(${path}, ${this.value(this.valueFor(dice.one(['num', 'txt', 'bin'])))})`;
      case 5:
        return `size(${path}) ${dice.one(['=', '>', '<=', '<>'])} ${this.value({ N: String(dice.number(4)) })}`;
      case 6:
        return `${this.path(ordered)} BETWEEN ${this.value(this.valueFor(ordered))} AND ${this.value(this.valueFor(ordered))}`;
      case 7:
        return `${path} IN (${fitting()}, ${fitting()})`;
      case 8:
        return `${path} ${dice.one(['=', '<>'])} ${fitting()}`;
      case 9:
        return `${path} ${dice.one(['=', '<>', '<'])} ${this.path(dice.one(ExpressionWriter.attributes))}`;
      default:
        return `${this.path(ordered)} ${dice.one(['<', '<=', '>', '>='])} ${this.value(this.valueFor(ordered))}`;
    }
  }

  /** Writes a range of a sort key with bounds from `bound`. */
  range(name: string, bound: () => AttributeValue): string {
    const { dice } = this;
    const value = (): string => this.value(bound());
    if (dice.chance(0.3)) return `${name} BETWEEN ${value()} AND ${value()}`;
    return `${name} ${dice.one(['=', '<', '<=', '>', '>='])} ${value()}`;
  }

  projection(): string {
    return this.dice.times(3, () => this.path(this.dice.one(ExpressionWriter.attributes))).join(', ');
  }

  update(kinds: readonly string[]): string {
    const { dice } = this;
    const sections: string[] = [];
    if (dice.chance(0.8)) sections.push(`SET ${dice.times(3, () => this.assignment(kinds)).join(', ')}`);
    if (dice.chance(0.3))
      sections.push(`REMOVE ${dice.times(2, () => this.path(dice.one(ExpressionWriter.attributes))).join(', ')}`);
    if (dice.chance(0.3)) sections.push(`ADD ${this.members(['num', 'sset', 'nset', 'bset'])}`);
    if (sections.length === 0 || dice.chance(0.2)) sections.push(`DELETE ${this.members(['sset', 'nset', 'bset'])}`);
    return sections.join(' ');
  }

  private members(names: readonly Name[]): string {
    const name = this.dice.one(names);
    return `${name} ${this.value(this.valueFor(name))}`;
  }

  private assignment(kinds: readonly string[]): string {
    const { dice } = this;
    const name = dice.one(ExpressionWriter.attributes);
    const value = (): string => this.value(this.valueFor(name));
    switch (dice.number(8)) {
      case 0:
        return `num = num ${dice.one(['+', '-'])} ${this.value(this.valueFor('num'))}`;
      case 1:
        return `num = if_not_exists(num, ${this.value({ N: '0' })}) + ${this.value(this.valueFor('num'))}`;
      case 2:
        return `lst = list_append(${dice.chance(0.5) ? 'lst' : `if_not_exists(lst, ${this.value({ L: [] })})`}, ${this.value(this.valueFor('lst'))})`;
      case 3:
        return `${name} = if_not_exists(${this.path(dice.one(ExpressionWriter.attributes))}, ${value()})`;
      case 4:
        return `kind = ${this.value({ S: dice.one(kinds) })}`;
      case 5:
        return `#lv = ${this.level()}`;
      default:
        return `${this.path(name)} = ${value()}`;
    }
  }

  private level(): string {
    this.names.set('#lv', 'level');
    return this.value({ N: String(this.dice.number(4)) });
  }

  private path(name: Name): string {
    const { dice } = this;
    const written = dice.chance(0.2) ? this.reference(name) : name;
    if (name === 'lst' && dice.chance(0.5)) return `${written}[${dice.number(4)}]`;
    if (name !== 'mp' || dice.chance(0.4)) return written;
    return `${written}.${dice.chance(0.2) ? this.reference('num') : dice.one(['num', 'txt', 'lst', 'lst[0]'])}`;
  }

  private reference(name: string): string {
    this.names.set(`#${name}`, name);
    return `#${name}`;
  }
}
