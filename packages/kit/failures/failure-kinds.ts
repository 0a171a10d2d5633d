import { clock, secondsBetween } from '../aws/clock.js';
import { AggregateDeleted } from '../event-store/event-store.js';
import { ContractViolation } from '../messages/contract.js';
import { type Envelope, senderOf } from '../messages/envelope.js';

/** A message older than the window in which a duplicate would be recognised (G4): only an operator may process it. */
export class TooOld extends Error {
  override readonly name = 'TooOld';
}

/** The gate closes this much before the record can expire. */
const AGE_MARGIN_SECONDS = 86_400;

/**
 * Whether a message is so old that its record may have expired, in seconds; nothing where it would still be recognised.
 * @param window seconds for which a consumer keeps its records
 */
export function tooOldBy({ time }: Pick<Envelope, 'time'>, window: number): TooOld | undefined {
  const age = secondsBetween(time, clock.now());
  if (age <= window - AGE_MARGIN_SECONDS) return undefined;
  return new TooOld(`${Math.floor(age)} s old, recognised for ${window} s`);
}

/**
 * Refuses a command from a service that may not command this one. A service may always command itself: its timers and
 * operators put such commands straight into its queue, and only it has the right to do so.
 * @param commanders names of the services that may, as the consumer's construct lists them
 * @returns the refusal; nothing for an event, and for a command from a service that may
 */
export function foreignCommand(
  { to, source }: Pick<Envelope, 'to' | 'source'>,
  commanders: readonly string[],
): ContractViolation | undefined {
  if (to === undefined || [to, ...commanders].includes(senderOf({ source }))) return undefined;
  return senderNotAllowed();
}

/** The refusal of a command, by its consumer or by the rule that keeps it away from its consumer. */
export const senderNotAllowed = (): ContractViolation =>
  new ContractViolation('SENDER_NOT_ALLOWED', 'the source may not command this service');

/** What crashed its function, or could not be handed over, until its queue gave it up. */
export class DeadLettered extends Error {
  override readonly name = 'DeadLettered';
}

/** What its bus or queue will never take; `message` is their error code. */
export class Unsendable extends Error {
  override readonly name = 'Unsendable';
}

/** What DynamoDB will never take: too large, or against its rules for keys and requests. */
const NEVER = new Set(['TooLarge', 'ValidationException']);

/**
 * Whether trying again can't help: the message breaks its contract, is too old or too large, its aggregate was deleted,
 * or the business forbids it for ever. A version above the known one may be a deployment under way, and is tried again;
 * so is all that isn't known here (throttling, conflicts, time-outs, faults of ours), until its attempts are used up.
 */
export function isPermanent(error: unknown, isRefusal: (error: unknown) => boolean): boolean {
  if (error instanceof ContractViolation) return error.code !== 'NEWER_VERSION';
  if (error instanceof TooOld || error instanceof AggregateDeleted) return true;
  return (error instanceof Error && NEVER.has(error.name)) || isRefusal(error);
}
