import type { Json, JsonObject } from '../../assembly/intrinsics.js';
import type { Ending, Field } from './scope.js';

export type StateType = 'Pass' | 'Task' | 'Choice' | 'Wait' | 'Succeed' | 'Fail' | 'Parallel' | 'Map';

/** A rule of a Choice. */
export interface Rule {
  readonly holds: Field<boolean>;
  readonly next: string;
  readonly ending: Ending;
}

/**
 * A query language: it reads the fields with which states select and transform data. Amazon States Language, "Query Languages".
 * Each function throws {@link NotModelled} for what AWS refuses when the machine is created, and for what the model doesn't know.
 */
export interface Language {
  /** Fields of each type of state that this language has, besides those that both have. */
  readonly fields: Readonly<Record<StateType, readonly string[]>>;
  /** Fields of a catcher, besides those that both languages have. */
  readonly ofCatchers: readonly string[];
  /** Reads what a state works on. */
  readInput(state: JsonObject): Field;
  /** Reads what a task or a branch gets, or the result of a Pass. */
  readArguments(state: JsonObject): Field;
  /** Returns the parameters of a task as far as they are constant; the name of any other ends in `.$`. */
  readParameters(state: JsonObject): JsonObject;
  /** Reads how a state ends. */
  readEnding(state: JsonObject): Ending;
  /** Reads how a state ends whose error a catcher caught. @param at index of the catcher */
  readCatcher(catcher: JsonObject, at: number): Ending;
  /** Reads a rule of a Choice. @param at index of the rule */
  readRule(state: JsonObject, rule: JsonObject, at: number): Rule;
  /** Reads a whole number, `undefined` if the state has none. @param least it, or more */
  readNumber(state: JsonObject, name: string, least: number): Field<number> | undefined;
  /** Reads the end of a Wait, milliseconds since 1970; `undefined` if it has none. */
  readTimestamp(state: JsonObject): Field<number> | undefined;
  /** Reads `Error` or `Cause`. @default an empty text */
  readText(state: JsonObject, name: string): Field<string>;
  readItems(state: JsonObject): Field<readonly Json[]>;
  /** Reads what an iteration gets; `undefined` if it gets its item. */
  readItemSelector(state: JsonObject): Field | undefined;
  /** Returns the names of the variables that an `Assign` has. */
  namesOf(assign: JsonObject): readonly string[];
}
