import type { Json, JsonObject } from '../../assembly/intrinsics.js';
import { NotModelled } from '../../wire/operation.js';
import { StateFailure } from './failure.js';

/** Name that the language keeps for itself. Amazon States Language, "State Machine Variables". */
export const RESERVED = 'states';

const NAME = /^[\p{ID_Start}][\p{ID_Continue}]{0,79}$/u;

/** AWS Step Functions Developer Guide, "Passing data between states with variables", "Limits", in bytes: of one `Assign`, and of an execution. */
const MAX_ASSIGNED = 262_144;
const MAX_STORED = 10_485_760;

/**
 * Variables of one scope: of a machine, of a branch or of an iteration. Amazon States Language, "Variable Scope": an inner scope reads the
 * variables of outer ones, and has none of the same name. Its own are gone when it ends.
 */
export class Variables {
  private own: JsonObject = {};
  /** Bytes of its own values. */
  private bytes = 0;
  private readonly inner = new Set<Variables>();

  constructor(private readonly outer?: Variables) {}

  /** All that a state of this scope can read. */
  get values(): JsonObject {
    return this.outer ? { ...this.outer.values, ...this.own } : this.own;
  }

  /** Begins an inner scope. */
  begin(): Variables {
    const scope = new Variables(this);
    this.inner.add(scope);
    return scope;
  }

  /** Ends this scope. */
  end(): void {
    this.outer?.inner.delete(this);
  }

  /** Ends all inner scopes. */
  endInner(): void {
    this.inner.clear();
  }

  /** @throws {StateFailure} if the values are too large */
  assign(values: JsonObject): void {
    if (Object.keys(values).length === 0) return;
    const own = { ...this.own, ...values };
    const bytes = sizeOf(own);
    const stored = this.root.stored - this.bytes + bytes;
    if (sizeOf(values) > MAX_ASSIGNED) throw tooLarge(`the values of one Assign have more than ${MAX_ASSIGNED} bytes`);
    if (stored > MAX_STORED) throw tooLarge(`the variables of an execution have more than ${MAX_STORED} bytes`);
    this.own = own;
    this.bytes = bytes;
  }

  private get root(): Variables {
    return this.outer?.root ?? this;
  }

  private get stored(): number {
    return [...this.inner].reduce((sum, scope) => sum + scope.stored, this.bytes);
  }
}

const tooLarge = (cause: string): StateFailure => new StateFailure('States.DataLimitExceeded', cause);

/** Bytes of values as JSON; their names don't count. */
const sizeOf = (values: JsonObject): number =>
  Object.values(values).reduce((sum: number, value: Json) => sum + Buffer.byteLength(JSON.stringify(value)), 0);

/** Returns each `Assign` of a state: its own, and those of its rules and catchers. */
export const listAssigns = ({ Assign, Choices = [], Catch = [] }: JsonObject): readonly JsonObject[] =>
  [{ Assign }, ...(Choices as readonly JsonObject[]), ...(Catch as readonly JsonObject[])]
    .map((one) => one.Assign as JsonObject | undefined | null)
    .filter((assign) => typeof assign === 'object' && assign !== null);

/**
 * Checks names of variables as AWS does when a machine is created.
 * @param outer names in the scopes around
 * @throws {NotModelled}
 */
export function checkNames(names: readonly string[], outer: ReadonlySet<string>): void {
  for (const name of names) {
    if (name === RESERVED) throw new NotModelled(`the name '${name}' of a variable is reserved`);
    if (!NAME.test(name)) throw new NotModelled(`'${name}' is no name of a variable`);
    if (outer.has(name)) throw new NotModelled(`the variable '${name}' belongs to an outer scope`);
  }
}
