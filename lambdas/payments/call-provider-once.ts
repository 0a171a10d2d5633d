import { clock, secondsBetween } from '@orderly/kit/aws';
import { KEY_MEMORY_SECONDS, ProviderUndecided } from './provider/payment-provider.js';

/**
 * The provider's effect is unknown, and another attempt could repeat it. An operator has to decide, so it becomes a
 * failure record.
 */
export class PaymentUnclear extends Error {
  override readonly name = 'PaymentUnclear';
  readonly code = 'PROVIDER_STAYS_UNDECIDED';
}

/** Margin before the end of the provider's key memory, for clock differences and the duration of an attempt. */
const MEMORY_MARGIN_SECONDS = 3600;
/**
 * Maximum number of keys that one delivery tries. If the provider stored a failure for the last one, an operator has to
 * decide.
 */
const MAX_KEYS = 3;

export interface ExternalEffect<T> {
  /**
   * Idempotency key, derived from the business id (`<paymentId>:charge`), never from a message: all attempts have the
   * same key.
   */
  readonly key: string;
  /** Earliest possible time of the first attempt; ISO 8601. */
  readonly since: string;
  readonly act: (key: string) => Promise<T>;
  /** Returns what the provider did; `undefined` if it did nothing. */
  readonly ask: () => Promise<T | undefined>;
}

/**
 * Produces one effect at a provider, however often it is called (design, section 8). While the provider remembers a key
 * and has a definite answer under it, the key is enough. In all other cases, this function asks the provider what it
 * did before it does anything.
 *
 *     first attempt                      later attempt
 *     act(key) -> done, answer lost
 *                                        within 24 h: act(key) -> the first answer
 *                                        after 24 h: the key is forgotten, act(key) would do it again:
 *                                                    ask() -> done
 *     act(key) -> 500, which is stored
 *                                        act(key) -> 500, whatever was done: ask() -> done, or act(key:2)
 *
 * @throws {PaymentUnclear} the provider failed under every key; also throws what `act` and `ask` throw
 */
export async function callProviderOnce<T>({ key, since, act, ask }: ExternalEffect<T>): Promise<T> {
  const mayBeForgotten = secondsBetween(since, clock.now()) > KEY_MEMORY_SECONDS - MEMORY_MARGIN_SECONDS;
  if (mayBeForgotten) {
    const done = await ask();
    if (done) return done;
  }
  for (let number = 1; number <= MAX_KEYS; number++) {
    try {
      return await act(number === 1 ? key : `${key}:${number}`);
    } catch (error) {
      if (!(error instanceof ProviderUndecided)) throw error;
      const done = await ask();
      if (done) return done;
    }
  }
  throw new PaymentUnclear('the provider fails, and says that it did nothing');
}
