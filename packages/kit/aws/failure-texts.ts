import { Env } from './environment.js';
import { knownTextOf } from './known-texts.js';
import { CUT, SafeError } from './safe-error.js';

/** Longest text of a failure, in characters. */
export const LONGEST_TEXT = 500;
/** Errors of a chain of causes whose texts are looked at. */
const MOST_CAUSES = 5;
/** Shape of a `code`: what is not shaped so may be a value. */
const CODE = /^[\w.:-]{1,100}$/;

/** Texts of an error and of its causes. */
export interface FailureText {
  /** Text that records and logs may show. Empty if they may show nothing. */
  readonly shown: string;
  /** All of the text, if a part of it is neither shown nor recognised: it may contain a person's data. */
  readonly hidden?: string;
}

/**
 * Returns the text of an error with those of its causes. Shown are an error's `code`, texts that it declares as safe
 * ({@link SafeError}), and those of the language, the platform and the SDK (`known-texts.ts`). An environment with
 * `failureTexts: 'full'` shows everything.
 */
export function failureText(error: unknown): FailureText {
  const chain = chainOf(error);
  const whole = cut(joined(chain.map(textIn)));
  if (process.env[Env.FAILURE_TEXTS] === 'full')
    return { shown: cut(joined(chain.map((one) => withCode(one, textIn(one))))) };
  const safe = chain.map((one) => SafeError.textOf(one) ?? (one instanceof Error ? knownTextOf(one) : undefined));
  const [own = '', ...causes] = safe.map((text, at) => withCode(chain[at], text ?? ''));
  const known = joined(causes);
  const shown = cut(own === '' && known !== '' ? `caused by ${known}` : joined([own, known]));
  const isHidden = safe.some((text, at) => text === undefined && textIn(chain[at]) !== '');
  return { shown, ...(isHidden && { hidden: whole }) };
}

/** Returns an error and its causes, the error first. */
function chainOf(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let one = error; one !== undefined && chain.length < MOST_CAUSES && !chain.includes(one); ) {
    chain.push(one);
    one = one instanceof Error ? one.cause : undefined;
  }
  return chain;
}

function textIn(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown;
  return thrown instanceof Error && typeof thrown.message === 'string' ? thrown.message : '';
}

/** Joins texts, without those that are empty or stand in the one before. */
const joined = (texts: readonly string[]): string =>
  texts.filter((text, at) => text !== '' && !(texts[at - 1] ?? '').includes(text)).join(': ');

function withCode(error: unknown, text: string): string {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (!CODE.test(code) || text.includes(code)) return text;
  return text === '' ? code : `${code}: ${text}`;
}

/** Characters that no terminal should be sent: controls, line separators, and marks that change the direction of text. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** Returns a text in one line of at most {@link LONGEST_TEXT} characters. */
export function cut(text: string): string {
  // Cut first as well: a message may have megabytes.
  const line = text
    .slice(0, 4 * LONGEST_TEXT)
    .replace(UNPRINTABLE, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const characters = [...line];
  return characters.length > LONGEST_TEXT ? `${characters.slice(0, LONGEST_TEXT - 1).join('')}${CUT}` : line;
}
