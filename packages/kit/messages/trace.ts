/** Role of an actor who used the operator's command line, whatever the app calls its operators: `operator:<user>`. */
export const COMMAND_LINE_ROLE = 'operator';

/** Cause of a write: who and what. The trace is stored in the commit and sent in the envelope. */
export interface Trace {
  /** Id of the request or message that causes the write. All retries have the same id. */
  readonly trigger: string;
  /** Actor: `<role>:<id>` of a caller, `operator:<user>` of the command line, or `service:<name>`. */
  readonly actor: string;
  /** Caller who began what a service continues, in the format of `actor`. Set only if a service acts. */
  readonly onBehalfOf?: string;
  /** Correlation id: the same for all messages of one conversation. */
  readonly correlationId: string;
  /** W3C Trace Context. */
  readonly traceparent: string;
}
