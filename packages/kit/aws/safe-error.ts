/** Strings that the compiler knows one by one. `string`, template literal types and branded strings are not among them. */
type Constant<T> = T extends string ? (Record<never, never> extends Record<T, 1> ? never : T) : T;

/** Part of a safe text that varies: a number, a boolean, or one of a closed list of strings. */
type SafePart = number | boolean | string;

/** Shape of a string part: a code or a name of the program. Anything else is cut, whatever its type says. */
const CODE = /^[A-Za-z][\w.:-]{0,63}$/;

/** Stands for a part of a text that was cut. */
export const ELLIPSIS = '…';

/** Text of a {@link SafeError}. Only {@link safeText} makes one, so a composed string is none. */
export class SafeText {
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  /** For texts that the kit itself composes of codes, paths and names of settings. No public module exports it. */
  static trusted(text: string): SafeText {
    return new SafeText(text);
  }

  /** @returns the text, or `undefined` for anything that is no safe text */
  static unwrap(value: unknown): string | undefined {
    return typeof value === 'object' && value !== null && #text in value ? value.#text : undefined;
  }
}

/**
 * Makes the text of a {@link SafeError}: what stands in the source, with numbers, booleans and strings of a closed list. Any
 * other string doesn't compile, since it may come from data. At run time, a string that is not shaped like a code is cut, too.
 *
 * Numbers are kept: never pass one that is about a person.
 * @example
 * safeText`the fraud service answered ${response.status}`
 */
export function safeText<const Parts extends readonly SafePart[]>(
  text: TemplateStringsArray,
  ...parts: { readonly [At in keyof Parts]: Constant<Parts[At]> }
): SafeText {
  const shown = parts.map((part) => (isSafePart(part) ? String(part) : ELLIPSIS));
  return SafeText.trusted(text.map((constant, at) => constant + (shown[at] ?? '')).join(''));
}

/** The compiler lets `any` through. */
const isSafePart = (part: unknown): boolean =>
  typeof part === 'string' ? CODE.test(part) : typeof part === 'number' || typeof part === 'boolean';

/**
 * Error whose text failure records, logs and operators' commands show in every environment. Its text is written in the source
 * and holds nothing of a message, so it can't contain a person's data. All other texts are kept only as `failure-reasons.md`
 * says.
 * @example
 * throw new SafeError(safeText`the fraud service is down`, { cause });
 * @example
 * class FraudServiceDown extends SafeError {
 *   override readonly name = 'FraudServiceDown';
 *   constructor(status: number) {
 *     super(safeText`the fraud service answered ${status}`);
 *   }
 * }
 */
export class SafeError extends Error {
  override readonly name: string = 'SafeError';
  /** Beside `message`, which anybody could set. */
  readonly #safe: string | undefined;

  constructor(text: SafeText, options?: ErrorOptions) {
    const safe = SafeText.unwrap(text);
    super(safe ?? String(text), options);
    this.#safe = safe;
  }

  /** @returns the text of a safe error; `undefined` for any other error */
  static textOf(error: unknown): string | undefined {
    return typeof error === 'object' && error !== null && #safe in error ? error.#safe : undefined;
  }
}
