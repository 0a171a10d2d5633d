/** AWS, "Using projection expressions in DynamoDB". */
import type { AttributeValue, Item } from '../wire.js';
import { ownAttribute, type Path, parsePath, refuseOverlaps } from './paths.js';
import { asExpressionError, cacheParser, type Placeholders } from './placeholders.js';
import type { Tokens } from './tokens.js';

/** `null` selects the whole value. */
type Tree = Map<string | number, Tree | null>;

const projectionSyntax = cacheParser((tokens: Tokens) => {
  const paths = [parsePath(tokens)];
  while (tokens.takeSymbol(',')) paths.push(parsePath(tokens));
  tokens.expectEnd();
  return paths;
});

export interface Projection {
  readonly paths: readonly Path[];
  readonly of: (item: Item) => Item;
}

/**
 * Compiles a projection; undefined (all attributes) if there is no expression.
 * @throws {DynamoDbError} ValidationException
 */
export function bindProjection(text: string | undefined, placeholders: Placeholders): Projection | undefined {
  if (text === undefined) return undefined;
  return asExpressionError('ProjectionExpression', () => {
    const paths = projectionSyntax(text).map((path) => placeholders.path(path));
    refuseOverlaps(paths);
    return { paths, of: (item) => project(item, paths) };
  });
}

/** Returns the parts of an item at the paths, in their place; selected list members close up. */
export function project(item: Item, paths: readonly Path[]): Item {
  const tree: Tree = new Map();
  for (const path of paths) plant(tree, path);
  return pickItem(item, tree);
}

function plant(tree: Tree, path: Path): void {
  let at = tree;
  for (const element of path.slice(0, -1)) {
    const next: Tree = at.get(element) ?? new Map();
    at.set(element, next);
    at = next;
  }
  at.set(path.at(-1) as string | number, null);
}

function pickItem(item: Item, tree: Tree): Item {
  const picked: Record<string, AttributeValue> = {};
  for (const [name, below] of tree) {
    const value = pick(ownAttribute(item, String(name)), below);
    if (value !== undefined) picked[String(name)] = value;
  }
  return picked;
}

function pick(value: AttributeValue | undefined, tree: Tree | null): AttributeValue | undefined {
  if (value === undefined || tree === null) return value;
  if ('M' in value) {
    const M = pickItem(value.M, tree);
    return Object.keys(M).length > 0 ? { M } : undefined;
  }
  if (!('L' in value)) return undefined;
  const indexes = [...tree.keys()].filter((index) => typeof index === 'number').sort((a, b) => a - b);
  const L = indexes
    .map((index) => pick(value.L[index], tree.get(index) ?? null))
    .filter((member) => member !== undefined);
  return L.length > 0 ? { L } : undefined;
}
