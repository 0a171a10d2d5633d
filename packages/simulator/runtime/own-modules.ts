/** Modules that depend on nothing outside, so that code gets copies of Node's own. */
const REAL = [
  'assert',
  'assert/strict',
  'buffer',
  'constants',
  'events',
  'path',
  'path/posix',
  'path/win32',
  'punycode',
  'querystring',
  'readline',
  'readline/promises',
  'stream',
  'stream/consumers',
  'stream/promises',
  'stream/web',
  'string_decoder',
  'url',
  'util',
  'util/types',
];

/** Other names of modules. */
const ALIASES: Readonly<Record<string, string>> = { sys: 'util' };

/** Modules that are members of others: `require('util').types` is `require('util/types')`. */
const MEMBERS = [
  'assert',
  'assert/strict',
  'events',
  'path',
  'path/win32',
  'readline/promises',
  'stream',
  'stream/promises',
  'util/types',
];

type Callable = (...args: unknown[]) => unknown;

/**
 * Returns the modules of one environment that are Node's own. Code may assign to a module, as a package does that instruments others, and its
 * environment alone has what it assigned to a module. What it assigns to a member, as to `util.inspect.defaultOptions` or to a prototype, reaches all.
 */
export function createOwnModules(): (name: string) => unknown {
  const made = new Map<unknown, unknown>();
  const members = new Set<unknown>(MEMBERS.map((name) => process.getBuiltinModule(name)));
  const own = (real: object): unknown => {
    // Node's `constants` is frozen.
    if (Object.isFrozen(real)) return real;
    const known = made.get(real);
    if (known) return known;
    const copy = typeof real === 'function' ? callable(real as Callable) : {};
    made.set(real, copy);
    const shown = (value: unknown): unknown => (members.has(value) ? own(value as object) : value);
    Object.setPrototypeOf(copy, shown(Object.getPrototypeOf(real)) as object | null);
    for (const name of Reflect.ownKeys(real)) {
      const found = Object.getOwnPropertyDescriptor(real, name);
      if (found) Object.defineProperty(copy, name, ownMember(real, found, shown));
    }
    return copy;
  };
  return (name) => {
    const called = Object.hasOwn(ALIASES, name) ? ALIASES[name] : name;
    return called !== undefined && REAL.includes(called) ? own(process.getBuiltinModule(called) as object) : undefined;
  };
}

/** Returns a member of a copy. What code assigns to one with accessors stays in the copy. */
function ownMember(
  real: object,
  { get, set, ...found }: PropertyDescriptor,
  shown: (value: unknown) => unknown,
): PropertyDescriptor {
  if (!get) return { ...found, value: shown(found.value) };
  let read = (): unknown => shown(get.call(real));
  return {
    ...found,
    get: () => read(),
    ...(set && {
      set: (value: unknown) => {
        read = () => value;
      },
    }),
  };
}

/**
 * Returns a function that does the same, and can have members of its own. A class shares its prototype, so that all that Node makes of it is an
 * instance. Any other function is bound, which leaves no frame in a stack: `assert` reads there what it was called with.
 */
function callable(real: Callable): object {
  if (Object.keys(real.prototype ?? {}).length === 0) return real.bind(undefined);
  return function Own(this: unknown, ...args: unknown[]): unknown {
    // Old code calls the class as a function.
    return new.target ? Reflect.construct(real, args, new.target) : Reflect.apply(real, this, args);
  };
}
