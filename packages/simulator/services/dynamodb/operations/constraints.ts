/**
 * Constraints that AWS checks on the members of a request before anything else, and their messages. AWS, "API
 * Reference" (request parameters of each operation).
 */
import { serialization } from '../errors.js';

/**
 * Checks one member.
 * @param path of the member in the request, for the message; computed only once a request is known to be invalid
 * @returns what it violates; undefined if it is valid
 */
export type Constraint = (value: unknown, path: string) => readonly string[] | undefined;

export const violation = (value: unknown, path: string, constraint: string): readonly string[] => [
  `Value ${value === undefined ? 'null' : `'${formatValue(value)}'`} at '${path}' failed to satisfy constraint: ${constraint}`,
];

/** Formats a value in the way of AWS's messages, which is Java's way of showing objects. */
function formatValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatValue).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value);
  return `{${members.map(([name, member]) => `${name}=${formatValue(member)}`).join(', ')}}`;
}

/** Formats a list of structures of one type. */
function shownAs(type: string, list: readonly object[]): string {
  const members = (each: object): string =>
    Object.entries(each)
      .map(([name, member]) => `${toMessageName(name)}=${formatValue(member)}`)
      .join(', ');
  return `[${list.map((each) => `${type}(${members(each)})`).join(', ')}]`;
}

/** The name of a member in messages: `tableName`. */
export const toMessageName = (member: string): string =>
  member === 'SSESpecification' ? 'sSESpecification' : member.charAt(0).toLowerCase() + member.slice(1);

export const anything: Constraint = () => undefined;

export const oneOf =
  (...values: readonly string[]): Constraint =>
  (value, path) =>
    values.includes(value as string)
      ? undefined
      : violation(value, path, `Member must satisfy enum value set: [${values.join(', ')}]`);

export const atLeast =
  (least: number, most = Number.POSITIVE_INFINITY): Constraint =>
  (value, path) => {
    if (typeof value !== 'number') throw serialization('Unexpected value type in payload');
    if (value >= least && value <= most) return undefined;
    return violation(
      value,
      path,
      value < least
        ? `Member must have value greater than or equal to ${least}`
        : `Member must have value less than or equal to ${most}`,
    );
  };

export const text =
  (least: number, most: number, pattern?: RegExp): Constraint =>
  (value, path) => {
    if (typeof value !== 'string') throw serialization('Unexpected value type in payload');
    if (value.length < least) {
      return violation(value, path, `Member must have length greater than or equal to ${least}`);
    }
    if (value.length > most) return violation(value, path, `Member must have length less than or equal to ${most}`);
    if (!pattern || pattern.test(value)) return undefined;
    return violation(value, path, `Member must satisfy regular expression pattern: ${pattern.source.slice(1, -1)}`);
  };

const NAME = /^[a-zA-Z0-9_.-]+$/;

/** A table's name, or its ARN. AWS, "Supported data types and naming rules in Amazon DynamoDB". */
const named = text(1, 255, NAME);
export const tableName: Constraint = (value, path) =>
  typeof value === 'string' && value.startsWith('arn:') ? undefined : named(value, path);

/** Name of a table or an index that is created. */
export const newName: Constraint = text(3, 255, NAME);

/** @param type of its members, for messages @default they are shown as maps */
export const members =
  (least: number, most: number, member: Constraint = anything, type?: string): Constraint =>
  (value, path) => {
    if (!Array.isArray(value)) throw serialization('Unexpected value type in payload');
    if (value.length < least) {
      return violation(value, path, `Member must have length greater than or equal to ${least}`);
    }
    if (value.length > most) {
      const list = type === undefined ? value : shownAs(type, value);
      return violation(list, path, `Member must have length less than or equal to ${most}`);
    }
    const all = value.flatMap((each, at) => member(each, `${path}.${at + 1}.member`) ?? []);
    return all.length > 0 ? all : undefined;
  };

/** An object whose members satisfy constraints; others are ignored. */
export const structure =
  (required: readonly string[], constraints: Readonly<Record<string, Constraint>>): Constraint =>
  (value, path) => {
    if (typeof value !== 'object' || value === null) throw serialization('Unexpected value type in payload');
    const given = value as Readonly<Record<string, unknown>>;
    const prefix = path === '' ? '' : `${path}.`;
    const all = [
      ...required
        .filter((member) => given[member] === undefined)
        .flatMap((member) => violation(undefined, `${prefix}${toMessageName(member)}`, 'Member must not be null')),
      ...Object.entries(constraints).flatMap(([member, constraint]) =>
        given[member] === undefined ? [] : (constraint(given[member], `${prefix}${toMessageName(member)}`) ?? []),
      ),
    ];
    return all.length > 0 ? all : undefined;
  };
