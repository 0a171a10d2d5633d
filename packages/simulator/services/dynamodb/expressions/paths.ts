/** Document paths. AWS, "Referring to item attributes when using expressions in DynamoDB". */
import type { AttributeValue, Item } from '../wire.js';
import { isReserved } from './reserved-words.js';
import { ExpressionFault, type Tokens } from './tokens.js';

/** Elements of a path: a name as written (`#reference` included), or an index into a list. */
export type PathSyntax = readonly (string | number)[];
/** A path with its references resolved. The first element is an attribute's name. */
export type Path = readonly (string | number)[];

export function parsePath(tokens: Tokens): PathSyntax {
  const path: (string | number)[] = [parseName(tokens)];
  for (;;) {
    if (tokens.takeSymbol('.')) path.push(parseName(tokens));
    else if (tokens.takeSymbol('[')) {
      if (tokens.next.kind !== 'number') tokens.fail();
      path.push(Number(tokens.take().text));
      tokens.expectSymbol(']');
    } else return path;
  }
}

function parseName(tokens: Tokens): string {
  const { kind, text } = tokens.next;
  if (kind !== 'name' && kind !== 'nameReference') tokens.fail();
  if (kind === 'name' && isReserved(text)) {
    throw new ExpressionFault(`Attribute name is a reserved keyword; reserved keyword: ${text}`);
  }
  return tokens.take().text;
}

/** Returns the value at a path; undefined if there is none, or if a value on the way has another shape. */
export function findValue(item: Item, path: Path): AttributeValue | undefined {
  let value: AttributeValue | undefined = ownAttribute(item, path[0] as string);
  for (let at = 1; at < path.length && value !== undefined; at++) value = findChild(value, path[at] as string | number);
  return value;
}

/** Attributes may have names like `constructor`. */
export const ownAttribute = (item: Item, name: string): AttributeValue | undefined =>
  Object.hasOwn(item, name) ? item[name] : undefined;

function findChild(value: AttributeValue, element: string | number): AttributeValue | undefined {
  if (typeof element === 'number') return 'L' in value ? value.L[element] : undefined;
  return 'M' in value ? ownAttribute(value.M, element) : undefined;
}

/** Formats a path as in AWS's messages: `[a, [0], b]`. */
export const pathText = (path: Path): string =>
  `[${path.map((element) => (typeof element === 'number' ? `[${element}]` : element)).join(', ')}]`;

export const isSamePath = (a: Path, b: Path): boolean =>
  a.length === b.length && a.every((element, at) => element === b[at]);

/**
 * @throws {ExpressionFault} if one path is or lies inside another, or if two use the same value as a list and as a map
 */
export function refuseOverlaps(paths: readonly Path[]): void {
  for (const [at, one] of paths.entries()) {
    for (const two of paths.slice(at + 1)) {
      let common = 0;
      while (common < one.length && common < two.length && one[common] === two[common]) common++;
      const how =
        common === one.length || common === two.length
          ? 'overlap'
          : typeof one[common] !== typeof two[common]
            ? 'conflict'
            : undefined;
      if (how) {
        throw new ExpressionFault(
          `Two document paths ${how} with each other; must remove or rewrite one of these paths; path one: ${pathText(one)}, path two: ${pathText(two)}`,
        );
      }
    }
  }
}
