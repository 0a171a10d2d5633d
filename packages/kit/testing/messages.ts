import { dataschemaUrn, eventSource } from '../aws/app-names.js';
import { clock } from '../aws/clock.js';
import { newId, newTraceparent } from '../aws/ids.js';
import { type AnyEvent, encodeEvent, type ServiceContract, toCommandContract } from '../messages/contract.js';
import { appOf, type Envelope } from '../messages/envelope.js';

/** Fields of a message that a test may set. The others have values of no meaning. */
export type MessageFields = Partial<Omit<Envelope, 'type' | 'data' | 'dataschema' | 'to'>>;

/** Name of the application in messages whose source names none. */
export const APP = 'app';

/**
 * Creates an event as its service publishes it.
 * @throws {ContractViolation} if it breaks the contract
 */
export const eventMessage = (contract: ServiceContract, event: AnyEvent, fields: MessageFields = {}): Envelope =>
  buildMessage(contract, event, { source: eventSource(APP, contract.service), ...fields });

/**
 * Creates a command to a service.
 * @param from name of the service that sends it
 * @throws {ContractViolation} if it breaks the receiver's contract
 */
export const commandMessage = (
  contract: ServiceContract,
  command: AnyEvent,
  from: string,
  fields: MessageFields = {},
): Envelope => ({
  ...buildMessage(toCommandContract(contract), command, { source: eventSource(APP, from), ...fields }),
  to: contract.service,
});

function buildMessage(
  contract: ServiceContract,
  event: AnyEvent,
  fields: MessageFields & { source: string },
): Envelope {
  const { schemaVersion, data } = encodeEvent(contract, event);
  return {
    specversion: '1.0',
    id: newId(),
    type: event.type,
    subject: 'Test/1',
    time: clock.now(),
    dataschema: dataschemaUrn(appOf(fields), contract.service, event.type, schemaVersion),
    data,
    sequence: 1,
    epoch: 0,
    correlationid: 'test',
    causationid: 'test',
    traceparent: newTraceparent(),
    actor: 'test',
    ...fields,
  };
}
