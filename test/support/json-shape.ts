/** A field of JSON objects, by its path: `failures[].messageId`. */
export interface Field {
  readonly types: ReadonlySet<string>;
  /** Whether an object that could have it has it not. */
  readonly isOptional: boolean;
}

/**
 * Returns the fields of JSON objects that have one shape.
 * @param same what is replaced in a path by nothing: where a tree has the same objects again
 */
export function describeShape(values: readonly unknown[], same?: RegExp): ReadonlyMap<string, Field> {
  const objects = new Map<string, number>();
  const seen = new Map<string, { readonly types: Set<string>; times: number }>();
  const note = (path: string, type: string): void => {
    const known = seen.get(path) ?? { types: new Set(), times: 0 };
    known.types.add(type);
    known.times++;
    seen.set(path, known);
  };
  const walk = (value: unknown, at: string): void => {
    const path = same ? at.replace(same, '') : at;
    if (Array.isArray(value)) {
      note(path, 'array');
      for (const one of value) walk(one, `${at}[]`);
    } else if (typeof value === 'object' && value !== null) {
      note(path, 'object');
      objects.set(path, (objects.get(path) ?? 0) + 1);
      for (const [name, one] of Object.entries(value)) walk(one, at === '' ? name : `${at}.${name}`);
    } else note(path, value === null ? 'null' : typeof value);
  };
  for (const value of values) walk(value, '');
  const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('.')));
  return new Map(
    [...seen]
      .filter(([path]) => path !== '')
      .map(([path, { types, times }]) => {
        const isElement = path.endsWith('[]');
        return [path, { types, isOptional: !isElement && times < (objects.get(parentOf(path)) ?? 0) }] as const;
      }),
  );
}

/** Returns the fields of a command that a page documents: lines of a block below the command's heading. */
export function documentedShape(page: string, command: string): ReadonlyMap<string, Field> {
  const [, section = ''] = page.split(`\n## ${command}\n`);
  const [own = ''] = section.split('\n## ');
  const lines = [...own.matchAll(/^ {4}(\S+(?: new)?)(?<!\?)(\??) +([\w|]+)(?: {2,}.*)?$/gm)];
  return new Map(
    lines.map(([, path = '', optional, types = '']) => [
      path,
      { types: new Set(types.split('|')), isOptional: optional === '?' },
    ]),
  );
}

const formatShape = (path: string, { types, isOptional }: Field): string =>
  `${path}${isOptional ? '?' : ''}  ${[...types].toSorted().join('|')}`;

/**
 * Compares what commands print with what is documented.
 * @returns lines that the documentation lacks, and those that it has in vain; a field that is documented as optional need not
 *   have been seen
 */
export function differencesBetween(
  seen: ReadonlyMap<string, Field>,
  documented: ReadonlyMap<string, Field>,
): { readonly missing: readonly string[]; readonly wrong: readonly string[] } {
  const isSaid = (path: string, { types, isOptional }: Field): boolean => {
    const known = documented.get(path);
    return (
      known !== undefined && [...types].every((type) => known.types.has(type)) && (known.isOptional || !isOptional)
    );
  };
  // An object or an array is documented by what is in it.
  const isContainer = (path: string, { types }: Field): boolean =>
    [...types].every((type) => type === 'object' || type === 'array') &&
    [...seen.keys(), ...documented.keys()].some((one) => one.startsWith(`${path}.`) || one.startsWith(`${path}[]`));
  return {
    missing: [...seen].flatMap(([path, field]) =>
      isContainer(path, field) || isSaid(path, field) ? [] : [formatShape(path, field)],
    ),
    wrong: [...documented].flatMap(([path, field]) =>
      seen.has(path) || field.isOptional ? [] : [formatShape(path, field)],
    ),
  };
}
