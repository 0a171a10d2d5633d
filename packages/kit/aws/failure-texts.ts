import { Env } from './environment.js';
import { findKnownText } from './known-texts.js';
import { ELLIPSIS, SafeError } from './safe-error.js';

/** Longest text of a failure, in characters. */
export const MAX_TEXT_CHARACTERS = 500;
/** Errors of a chain of causes whose texts are looked at. */
const MAX_CAUSES = 5;
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
export function toFailureText(error: unknown): FailureText {
  const chain = collectCauses(error);
  const whole = truncate(joinTexts(chain.map(messageIn)));
  if (process.env[Env.FAILURE_TEXTS] === 'full')
    return { shown: truncate(joinTexts(chain.map((one) => withCode(one, messageIn(one))))) };
  const safe = chain.map((one) => SafeError.textOf(one) ?? (one instanceof Error ? findKnownText(one) : undefined));
  const [own = '', ...causes] = safe.map((text, at) => withCode(chain[at], text ?? ''));
  const known = joinTexts(causes);
  const shown = truncate(own === '' && known !== '' ? `caused by ${known}` : joinTexts([own, known]));
  const isHidden = safe.some((text, at) => text === undefined && messageIn(chain[at]) !== '');
  return { shown, ...(isHidden && { hidden: whole }) };
}

/** Returns an error and its causes, the error first. */
function collectCauses(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let one = error; one !== undefined && chain.length < MAX_CAUSES && !chain.includes(one); ) {
    chain.push(one);
    one = one instanceof Error ? one.cause : undefined;
  }
  return chain;
}

function messageIn(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown;
  return thrown instanceof Error && typeof thrown.message === 'string' ? thrown.message : '';
}

/** Joins texts, without those that are empty or stand in the one before. */
const joinTexts = (texts: readonly string[]): string =>
  texts.filter((text, at) => text !== '' && !(texts[at - 1] ?? '').includes(text)).join(': ');

function withCode(error: unknown, text: string): string {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (!CODE.test(code) || text.includes(code)) return text;
  return text === '' ? code : `${code}: ${text}`;
}

/** Characters that no terminal should be sent: controls, line separators, and marks that change the direction of text. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** Returns a text in one line of at most {@link MAX_TEXT_CHARACTERS} characters. */
export function truncate(text: string): string {
  // Cut first as well: a message may have megabytes.
  const line = text
    .slice(0, 4 * MAX_TEXT_CHARACTERS)
    .replace(UNPRINTABLE, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const characters = [...line];
  return characters.length > MAX_TEXT_CHARACTERS
    ? `${characters.slice(0, MAX_TEXT_CHARACTERS - 1).join('')}${ELLIPSIS}`
    : line;
}
