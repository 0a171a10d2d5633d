import { dataschemaOf, sourceOf } from '../aws/app-names.js';
import { type AnyEvent, commandsOf, eventToWrite, type ServiceContract } from './contract.js';
import { type Envelope, readEnvelope } from './envelope.js';
import type { Trace } from './trace.js';

export interface OwnCommand {
  /** Name of the application. */
  readonly app: string;
  /** Of the message: one that comes twice is recognised by it. */
  readonly id: string;
  /** `<AggregateType>/<id>` */
  readonly subject: string;
  /** Since when it may be carried out, from which its age is counted. ISO 8601, UTC. */
  readonly time: string;
  readonly trace: Trace;
  readonly command: AnyEvent;
}

/**
 * A command of a service to itself as its queue has it, past the bus: a timer, or an operator's word to a saga.
 * @throws {ContractViolation} where the type or the data isn't the contract's, or id, subject or time can't travel
 */
export function ownCommandBody(
  contract: ServiceContract,
  { app, id, subject, time, trace, command }: OwnCommand,
): string {
  const { service } = contract;
  const { schemaVersion, data } = eventToWrite(commandsOf(contract), command);
  const detail: Envelope & { readonly specversion: '1.0' } = {
    specversion: '1.0',
    id,
    source: sourceOf(app, service),
    to: service,
    type: command.type,
    subject,
    time,
    dataschema: dataschemaOf(app, service, command.type, schemaVersion),
    // No event of an aggregate: it has no place among versions.
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
