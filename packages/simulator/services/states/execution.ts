import type { Json, JsonObject } from '../../assembly/intrinsics.js';
import type { Lifetime } from './lifetime.js';
import type { StateMachine } from './machine.js';

export type ExecutionStatus = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';

/** How a machine or a part of one ended. */
export type Outcome = { readonly output: Json } | { readonly error: string; readonly cause: string };

/** An event of an execution's history. */
export interface HistoryEvent {
  readonly type: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly details: JsonObject;
}

/** An execution of a state machine. */
export interface Execution {
  readonly arn: string;
  readonly name: string;
  readonly machine: StateMachine;
  /** As it was given. */
  readonly input: string;
  /** Milliseconds since 1970, as `ended`. */
  readonly began: number;
  readonly lifetime: Lifetime;
  readonly events: HistoryEvent[];
  status: ExecutionStatus;
  ended?: number;
  outcome?: Outcome;
}

/** Parts of the context object that don't change. AWS Step Functions Developer Guide, "Accessing execution data from the Context object". */
export const contextOf = ({ arn, name, machine, input, began }: Execution): JsonObject => ({
  Execution: {
    Id: arn,
    Input: JSON.parse(input) as Json,
    Name: name,
    RoleArn: machine.role,
    StartTime: new Date(began).toISOString(),
    RedriveCount: 0,
  },
  StateMachine: { Id: machine.resource.arn, Name: machine.name },
});
