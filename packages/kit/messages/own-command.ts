import { dataschemaUrn, eventSource } from '../aws/app-names.js';
import { type AnyEvent, encodeEvent, type ServiceContract, toCommandContract } from './contract.js';
import { type Envelope, readEnvelope } from './envelope.js';
import type { Trace } from './trace.js';

export interface OwnCommand {
  /** Name of the application. */
  readonly app: string;
  /** Message id; used to deduplicate redeliveries. */
  readonly id: string;
  /** Aggregate: `<AggregateType>/<id>`. */
  readonly subject: string;
  /** Time from which the command may be executed (ISO 8601, UTC). Its age is counted from here. */
  readonly time: string;
  readonly trace: Trace;
  readonly command: AnyEvent;
}

/**
 * Returns the body of a command that a service sends to its own queue, past the bus: a timer, or an operator's command
 * to a saga.
 * @throws {ContractViolation} if the type or the data breaks the contract, or if id, subject or time does not fit into
 *   a message
 */
export function buildOwnCommandBody(
  contract: ServiceContract,
  { app, id, subject, time, trace, command }: OwnCommand,
): string {
  const { service } = contract;
  const { schemaVersion, data } = encodeEvent(toCommandContract(contract), command);
  const detail: Envelope & { readonly specversion: '1.0' } = {
    specversion: '1.0',
    id,
    source: eventSource(app, service),
    to: service,
    type: command.type,
    subject,
    time,
    dataschema: dataschemaUrn(app, service, command.type, schemaVersion),
    // The command is not an event of an aggregate, so it has no version.
    sequence: 1,
    epoch: 0,
    correlationid: trace.correlationId,
    causationid: trace.trigger,
    traceparent: trace.traceparent,
    actor: trace.actor,
    ...(trace.onBehalfOf === undefined ? {} : { onbehalfof: trace.onBehalfOf }),
    data,
  };
  const body = JSON.stringify({ source: detail.source, 'detail-type': command.type, detail });
  readEnvelope(body);
  return body;
}
