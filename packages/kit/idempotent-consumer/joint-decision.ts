import type { Decide, Effect } from './process-once.js';

/** Decision for several messages that contend for one key. All effects commit in one transaction. */
export interface JointDecision {
  /** Effect of each request, in the order of the requests. No two of them may write the same item. */
  readonly effects: readonly Effect[];
  /**
   * Time of the last change of what the requests contend for, as it was loaded (ISO 8601, UTC). It is absent if it was
   * never changed.
   */
  readonly changedAt?: string;
}

/**
 * Function that loads what its requests contend for, once, and decides them in their order: each on top of those before it.
 * It is called again, and must load again, after each lost race.
 * @throws whatever one request alone makes it throw; the others are decided without that request
 */
export type DecideAll<Request> = (requests: readonly Request[]) => Promise<JointDecision>;

/** A message that may be decided together with others. */
export interface JointRequest {
  /** All messages of a lane have the same function, whichever of their handlings it is taken from. */
  readonly decideAll: DecideAll<unknown>;
  readonly request: unknown;
}

/**
 * Handles a message by a decision that others of the same key may share (lane/). Alone, it is an effect like any other.
 * @example
 * on(accountCommands, {
 *   AuthorizeAccount: ({ event, trace }) => decideJointly(decideAll, { ...event.data, trace }),
 * });
 */
export const decideJointly = <Request>(
  decideAll: DecideAll<Request>,
  request: Request,
): { readonly decide: Decide; readonly together: JointRequest } => ({
  decide: async () => (await decideAll([request])).effects.flat(),
  // A lane gives the function only requests of its own handlings.
  together: { decideAll: decideAll as DecideAll<unknown>, request },
});
