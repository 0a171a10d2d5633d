/** A part of Node that would reach outside of the simulator, or whose result no seed decides. */
export class NotSimulated extends Error {
  override readonly name = 'NotSimulated';

  constructor(what: string) {
    super(`${what} is not simulated`);
  }
}

type Members = Readonly<Record<string, unknown>>;

const refused = new Map<string, Members>();

/** Returns a module with the constants of Node's, whose functions and classes refuse when they are used. */
export function refusing(name: string): Members {
  const known = refused.get(name);
  if (known) return known;
  const real = (process.getBuiltinModule(`node:${name}`) ?? {}) as Members;
  const made = Object.fromEntries(
    Object.entries(real).map(([member, value]) => [
      member,
      typeof value === 'function' ? refuser(`${name}.${member}`) : value,
    ]),
  );
  refused.set(name, made);
  return made;
}

/** Returns a function that refuses by its name. It is no arrow function, since packages extend classes of Node when they are loaded. */
export function refuser(what: string): () => never {
  return function refuse(): never {
    throw new NotSimulated(what);
  };
}

/** Returns a module of Node with its model, and what the model lacks refuses by name. */
export const completed = <Model extends object>(name: string, model: Model): Model => ({ ...refusing(name), ...model });
