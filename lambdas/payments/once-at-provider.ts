import { clock, secondsBetween } from '../../packages/kit/aws/clock.js';
import { KEY_MEMORY_SECONDS, ProviderUndecided } from './provider/payment-provider.js';

/** Nobody knows what the provider did, and another try could do it twice: for an operator, as a failure record. */
export class PaymentUnclear extends Error {
  override readonly name = 'PaymentUnclear';
  readonly code = 'PROVIDER_STAYS_UNDECIDED';
}

/** Clocks differ, and an attempt takes its time: the provider is asked that much before it may have forgotten. */
const MEMORY_MARGIN_SECONDS = 3600;
/** Keys that one delivery tries: a stored failure of the last one goes to an operator. */
const MOST_KEYS = 3;

export interface ExternalEffect<T> {
  /** By the business id (`<paymentId>:charge`), never by a message: whoever tries it, and whenever, has the same one. */
  readonly key: string;
  /** ISO 8601: nobody can have tried before. */
  readonly since: string;
  readonly act: (key: string) => Promise<T>;
  /** What the provider did; nothing where it did nothing. */
  readonly ask: () => Promise<T | undefined>;
}

/**
 * One effect at a provider, however often this is tried (design, section 8). A key is enough while the provider remembers
 * it and has an answer under it; beyond either, it is asked what it did before anything is done.
 *
 *     first try                          a later one
 *     act(key) -> done, answer lost
 *                                        within 24 h: act(key) -> the first answer
 *                                        after 24 h: the key is forgotten, act(key) would do it again:
 *                                                    ask() -> done
 *     act(key) -> 500, which is stored
 *                                        act(key) -> 500, whatever was done: ask() -> done, or act(key:2)
 *
 * @throws {PaymentUnclear} the provider failed under every key; what `act` and `ask` throw
 */
export async function onceAtProvider<T>({ key, since, act, ask }: ExternalEffect<T>): Promise<T> {
  const mayBeForgotten = secondsBetween(since, clock.now()) > KEY_MEMORY_SECONDS - MEMORY_MARGIN_SECONDS;
  if (mayBeForgotten) {
    const done = await ask();
    if (done) return done;
  }
  for (let number = 1; number <= MOST_KEYS; number++) {
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
