/** A pattern, a filter, or a part of one. */
type Pattern = { readonly [name: string]: unknown };

/** A pattern with an operator that isn't modelled: ignoring it would silently match wrongly. */
export class PatternNotModelled extends Error {
  override readonly name = 'PatternNotModelled';
}

/**
 * Matches an event against a pattern. AWS, "Creating Amazon EventBridge event patterns" and, with the same syntax,
 * "Control which events Lambda sends to your function".
 */
export function matches(pattern: Pattern, event: unknown): boolean {
  return Object.entries(pattern).every(([name, wanted]) => {
    if (name === '$or') return (wanted as readonly Pattern[]).some((choice) => matches(choice, event));
    const value = isObject(event) ? event[name] : undefined;
    if (!Array.isArray(wanted)) return matches(wanted as Pattern, value);
    const values = Array.isArray(value) ? value : [value];
    return wanted.some((test) => values.some((one) => fits(test, one)));
  });
}

function fits(test: unknown, value: unknown): boolean {
  if (!isObject(test)) return test === value;
  const [[operator, operand] = ['', undefined]] = Object.entries(test);
  switch (operator) {
    case 'exists':
      return (value !== undefined) === operand;
    case 'prefix':
      return typeof value === 'string' && value.startsWith(String(operand));
    case 'suffix':
      return typeof value === 'string' && value.endsWith(String(operand));
    case 'equals-ignore-case':
      return typeof value === 'string' && value.toLowerCase() === String(operand).toLowerCase();
    case 'anything-but': {
      if (value === undefined) return false;
      if (isObject(operand)) return !fits(operand, value);
      return !(Array.isArray(operand) ? operand : [operand]).includes(value);
    }
    case 'wildcard':
      return typeof value === 'string' && wildcard(String(operand)).test(value);
    case 'numeric':
      return typeof value === 'number' && numeric(operand as readonly unknown[], value);
    default:
      throw new PatternNotModelled(`pattern operator '${operator}'`);
  }
}

function numeric(tests: readonly unknown[], value: number): boolean {
  for (let at = 0; at < tests.length; at += 2) {
    const bound = Number(tests[at + 1]);
    const holds = {
      '=': value === bound,
      '<': value < bound,
      '<=': value <= bound,
      '>': value > bound,
      '>=': value >= bound,
    }[String(tests[at])];
    if (holds === undefined) throw new PatternNotModelled(`numeric operator '${String(tests[at])}'`);
    if (!holds) return false;
  }
  return true;
}

const compiled = new Map<string, RegExp>();

/**
 * Compiles a pattern: `*` matches any text, `?` matches one character if `single` is set; everything else matches
 * itself.
 */
export function wildcard(text: string, single = false): RegExp {
  const name = `${single}${text}`;
  const known = compiled.get(name);
  if (known) return known;
  const escaped = text.replace(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[\\s\\S]*');
  const made = new RegExp(`^${single ? escaped.replaceAll('?', '[\\s\\S]') : escaped.replaceAll('?', '\\?')}$`);
  compiled.set(name, made);
  return made;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
