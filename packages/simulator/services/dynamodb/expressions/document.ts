/** Changes inside documents, without changing the old document. AWS, "Using update expressions in DynamoDB". */
import { validation } from '../errors.js';
import type { AttributeValue, Item } from '../wire.js';
import { findValue, ownAttribute, type Path } from './paths.js';

export interface Replacement {
  readonly path: Path;
  readonly value: AttributeValue;
}

export interface Removal {
  readonly path: Path;
}

const invalidPath = () => validation('The document path provided in the update expression is invalid for update');

/** Sets values at their paths; values beyond a list's end are appended, in the order of their indexes. */
export function placeValues(item: Item, replacements: readonly Replacement[]): Item {
  let changed = item;
  for (const { path, value } of [...replacements].sort(byLastIndex)) {
    changed = withAttribute(changed, path[0] as string, (old) => withValueAt(old, path, 1, value));
  }
  return changed;
}

/** Removes values. An index refers to the list in `original`: later members move up only after all removals. */
export function removeValues(original: Item, item: Item, removals: readonly Removal[]): Item {
  let changed = item;
  for (const { path } of [...removals].sort((a, b) => byLastIndex(b, a))) {
    if (path.length > 1 && !isContainer(findValue(original, path.slice(0, -1)), path.at(-1))) throw invalidPath();
    if (findValue(original, path) === undefined) continue;
    changed = withAttribute(changed, path[0] as string, (old) => withoutValueAt(old, path, 1));
  }
  return changed;
}

function byLastIndex({ path: a }: Removal, { path: b }: Removal): number {
  const [x, y] = [a.at(-1), b.at(-1)];
  return typeof x === 'number' && typeof y === 'number' ? x - y : 0;
}

const isContainer = (value: AttributeValue | undefined, element: string | number | undefined): boolean =>
  value !== undefined && (typeof element === 'number' ? 'L' in value : 'M' in value);

/** Returns a value with another one set at the rest of a path. */
function withValueAt(old: AttributeValue | undefined, path: Path, at: number, value: AttributeValue): AttributeValue {
  const element = path[at];
  if (element === undefined) return value;
  if (typeof element === 'string') {
    if (!old || !('M' in old)) throw invalidPath();
    return Object.freeze({ M: withAttribute(old.M, element, (child) => withValueAt(child, path, at + 1, value)) });
  }
  if (!old || !('L' in old)) throw invalidPath();
  const list = [...old.L];
  list[Math.min(element, list.length)] = withValueAt(list[element], path, at + 1, value);
  return Object.freeze({ L: Object.freeze(list) });
}

/** Returns a value without the part at the rest of a path; undefined if nothing remains. */
function withoutValueAt(old: AttributeValue | undefined, path: Path, at: number): AttributeValue | undefined {
  const element = path[at];
  if (element === undefined || old === undefined) return undefined;
  if (typeof element === 'string') {
    if (!('M' in old)) throw invalidPath();
    return Object.freeze({ M: withAttribute(old.M, element, (child) => withoutValueAt(child, path, at + 1)) });
  }
  if (!('L' in old)) throw invalidPath();
  const child = withoutValueAt(old.L[element], path, at + 1);
  const list = child ? old.L.with(element, child) : old.L.toSpliced(element, 1);
  return Object.freeze({ L: Object.freeze(list) });
}

function withAttribute(
  item: Item,
  name: string,
  change: (old: AttributeValue | undefined) => AttributeValue | undefined,
): Item {
  const value = change(ownAttribute(item, name));
  const { [name]: _old, ...others } = item;
  return Object.freeze(value === undefined ? others : { ...others, [name]: value });
}
