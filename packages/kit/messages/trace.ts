/** Who and what caused a write; travels with it into the commit and the envelope. */
export interface Trace {
  /** Id of the request or message that causes the write: the same for each of its tries. */
  readonly trigger: string;
  /** `customer:<id>`, `operator:<id>` or `service:<name>`. */
  readonly actor: string;
  /** Where a service acts: who began what it goes on with, as `actor` names them. */
  readonly onBehalfOf?: string;
  /** The conversation that this belongs to. */
  readonly correlationId: string;
  /** W3C Trace Context. */
  readonly traceparent: string;
}
