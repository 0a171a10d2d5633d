import type { Json, JsonObject } from '../../assembly/intrinsics.js';
import type { Random } from '../../engine/random.js';

/** All that the fields of a state can see. */
export interface Scope {
  /** The state's input, or what it has become. */
  readonly input: Json;
  /** Value of `$$`, or of `$states.context`. */
  readonly context: JsonObject;
  /** Variables by their names, as they were when the state was entered. */
  readonly variables: JsonObject;
  readonly random: Random;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Value of `$states.result`, where a field of JSONata sees it. */
  readonly result?: Json;
  /** Value of `$states.errorOutput`, where a field of JSONata sees it. */
  readonly errorOutput?: Json;
}

/** A field that was read: it returns its value. @throws {StateFailure} */
export type Field<T = Json> = (scope: Scope) => T;

/**
 * Ends a state: returns its output, and values for variables by their names. Both see the variables as they were when the state was
 * entered.
 * @param result of a state that has one; of a catcher, the error output; of other states, what they worked on
 * @throws {StateFailure}
 */
export type Ending = (scope: Scope, result: Json) => { readonly output: Json; readonly assigned: JsonObject };

/** A field that leaves a state's input as it is. */
export const keep: Field = ({ input }) => input;
