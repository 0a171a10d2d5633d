import { toFailureText } from '../aws/failure-texts.js';
import { newId } from '../aws/ids.js';
import { describeError } from '../aws/telemetry.js';
import type { Place, Sealed } from '../messages/sealed.js';

/** One reason why a message failed: kind and place of the fault, and of its text what may be kept. */
export interface FailureReason {
  readonly at: string;
  /** Name of the error. */
  readonly name: string;
  /** Its code and its safe text, which contain nothing of the message. */
  readonly message: string;
  readonly stack: readonly string[];
  /** All of its text, if that may contain a person's data. */
  readonly sealed?: SealedText;
}

/** Text that is sealed with the data key of the person whom the message names. */
export interface SealedText {
  readonly person: string;
  readonly text: Sealed;
}

/** Seals texts with the keys that people have. `PersonalKeys` of `personal-data/` does it. */
export interface TextKeys {
  /** @returns `undefined` if the person has no key, or is forgotten */
  seal(person: string, plain: unknown, place: Place): Promise<Sealed | undefined>;
}

/** Milliseconds that a failure record waits for the seal of its text. */
const SEAL_TIMEOUT_MS = 1_000;

/** An error, on its way into a failure record, with its sealed text. */
class WithSealedText {
  constructor(
    readonly error: unknown,
    readonly sealed: SealedText,
  ) {}
}

/** Describes an error for a record. A text that may contain a person's data is left out, unless `withSealedText` added it. */
export function toFailureReason(error: unknown, at: string): FailureReason {
  if (error instanceof WithSealedText) return { ...toFailureReason(error.error, at), sealed: error.sealed };
  const { name, stack } = describeError(error);
  return { at, name, message: toFailureText(error).shown, stack };
}

/**
 * Adds its sealed text to an error, if the text may contain a person's data. The text is left out if the message names nobody, if
 * the person has no key or is forgotten, and if it can't be sealed within a second: nothing that happens here keeps a failure
 * from being recorded.
 * @param of consumer of the message, and the person whom the message names
 * @param keys of people, if the function has them
 * @returns what `FailureRecords` and `StoredMessages` take as an error
 */
export async function withSealedText(
  error: unknown,
  { consumer, person }: { readonly consumer: string; readonly person: string | undefined },
  keys: TextKeys | undefined,
): Promise<unknown> {
  const { hidden } = toFailureText(error);
  if (hidden === undefined || person === undefined || !keys) return error;
  const place = { ...failureTextPlace(consumer), event: newId() };
  const text = await withTimeout(SEAL_TIMEOUT_MS, () => keys.seal(person, hidden, place));
  return text ? new WithSealedText(error, { person, text }) : error;
}

/** Returns the place of sealed texts in the records of a consumer. */
export const failureTextPlace = (consumer: string): Omit<Place, 'event'> => ({
  aggregate: `Failure#${consumer}`,
  field: 'text',
});

/** @returns `undefined` if the work fails, or takes longer */
async function withTimeout<T>(milliseconds: number, work: () => Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  try {
    return await Promise.race([work(), late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
