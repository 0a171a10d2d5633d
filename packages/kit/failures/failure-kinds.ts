import { clock, secondsBetween } from '../aws/clock.js';
import { type DedupeWindow, findOutlivedWindow } from '../aws/dedupe-window.js';
import { SafeError, safeText } from '../aws/safe-error.js';
import { AggregateDeleted } from '../event-store/event-store.js';
import { ContractViolation } from '../messages/contract.js';
import { type Envelope, senderOf } from '../messages/envelope.js';

/**
 * Error for a message that is older than the deduplication window, so a duplicate would not be recognised (G4). Only an
 * operator may process it.
 */
export class TooOld extends SafeError {
  override readonly name = 'TooOld';
}

/**
 * Age gate: checks whether a message is so old that its record may have expired.
 * @param window deduplication window: for how long a consumer keeps its records
 * @param since time of the consumer's first deployment. Give it only for an event that an operator replays.
 * @returns the error, with ages in seconds, or `undefined` if a duplicate would still be recognised
 */
export function findTooOld(
  { time }: Pick<Envelope, 'time'>,
  window: DedupeWindow,
  since?: string | undefined,
): TooOld | undefined {
  const now = clock.now();
  const recognised = findOutlivedWindow(window, { time, now, since });
  if (recognised === undefined) return undefined;
  return new TooOld(safeText`${Math.floor(secondsBetween(time, now))} s old, recognised for ${recognised} s`);
}

/**
 * Refuses a command from a service that may not send commands to this one. A service may always send commands to
 * itself: its timers and operators put them straight into its queue, and only the service has the permission to do so.
 * @param commanders names of the services that may send commands, as the consumer's construct lists them
 * @returns the refusal, or `undefined` for an event and for a command from an allowed service
 */
export function checkSender(
  { to, source }: Pick<Envelope, 'to' | 'source'>,
  commanders: readonly string[],
): ContractViolation | undefined {
  if (to === undefined || [to, ...commanders].includes(senderOf({ source }))) return undefined;
  return senderNotAllowedError();
}

/**
 * Creates the refusal of a command. Both the consumer and the bus rule that keeps such commands out of its queue use
 * it.
 */
export const senderNotAllowedError = (): ContractViolation =>
  new ContractViolation('SENDER_NOT_ALLOWED', 'the source may not command this service');

/** Error for a message that crashed its function, or could not be delivered, until its queue gave it up. */
export class DeadLettered extends SafeError {
  override readonly name = 'DeadLettered';
}

/** Error for a message that the bus or the queue will never accept. `message` is the error code. */
export class Unsendable extends SafeError {
  override readonly name = 'Unsendable';
}

/** Codes of what a newer release may have sent. */
const NEWER: ReadonlySet<ContractViolation['code']> = new Set(['NEWER_TYPE', 'NEWER_VERSION']);

/** Names of DynamoDB errors that are permanent: the item is too large, or breaks the rules for keys and requests. */
const NEVER = new Set(['TooLarge', 'ValidationException']);

/**
 * Tells whether a retry cannot help. A failure is permanent if the message breaks its contract, is too old or too
 * large, if its aggregate was deleted, or if the business refuses it for ever.
 *
 * A type or a version that is not known may come from a running deployment, which updates rules, publishers and consumers in
 * no order, so it is retried. All unknown errors (throttling, conflicts, timeouts, our own faults) are retried too, until
 * the message's attempts are used up.
 */
export function isPermanent(error: unknown, isRefusal: (error: unknown) => boolean): boolean {
  if (error instanceof ContractViolation) return !NEWER.has(error.code);
  if (error instanceof TooOld || error instanceof AggregateDeleted) return true;
  return (error instanceof Error && NEVER.has(error.name)) || isRefusal(error);
}
