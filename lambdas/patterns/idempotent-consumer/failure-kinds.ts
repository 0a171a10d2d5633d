import { ContractViolation } from '../contract.js';

/** A message older than the window in which a duplicate would be recognised (G4): only an operator may process it. */
export class TooOld extends Error {
  override readonly name = 'TooOld';
}

/** What crashed its function, or could not be handed over, until its queue gave it up. */
export class DeadLettered extends Error {
  override readonly name = 'DeadLettered';
}

/**
 * Whether trying again can't help: the message breaks its contract, is too old or too large, or the business forbids
 * it for ever. A version above the known one may be a deployment under way, and is tried again; so is all that isn't
 * known here (throttling, conflicts, time-outs, faults of ours), until its attempts are used up.
 */
export function isPermanent(error: unknown, isRefusal: (error: unknown) => boolean): boolean {
  if (error instanceof ContractViolation) return error.code !== 'NEWER_VERSION';
  return error instanceof TooOld || (error instanceof Error && error.name === 'TooLarge') || isRefusal(error);
}
