import { createHash } from 'node:crypto';
import { dataschemaUrn, eventSource } from '../../packages/kit/aws/app-names.js';
import { type Envelope, messageGroupOf } from '../../packages/kit/messages/envelope.js';
import { type Bus, type BusMessage, findSenders } from './bus.js';
import { findExample, MESSAGE_ID, ON_BEHALF_OF } from './message-examples.js';

/** A message as an EventBridge rule passes it on, without what EventBridge adds (`account`, `region`, ...). */
export interface BusEvent {
  readonly source: string;
  readonly 'detail-type': string;
  readonly detail: Envelope;
}

/** Pattern of an EventBridge rule. */
export interface EventBridgePattern {
  readonly source: readonly string[];
  readonly 'detail-type': readonly string[];
  readonly detail?: { readonly to: readonly string[] };
}

/** Returns the pattern that matches all versions of a message, and no other message. */
export function buildPattern(bus: Bus, message: BusMessage): EventBridgePattern {
  const pattern = {
    source: findSenders(bus, message).map((service) => eventSource(bus.app, service)),
    'detail-type': [message.type],
  };
  return message.kind === 'event' ? pattern : { ...pattern, detail: { to: [message.service] } };
}

/** Creates the example of a message in one version. The same message and version are always the same example. */
export function buildBusEvent(bus: Bus, message: BusMessage, version: number): BusEvent {
  const { app } = bus;
  const { kind, service, contract, type, schema } = message;
  const { subject, data, earlier, actor } = findExample(contract, type);
  const shown = version === schema.version ? data : earlier?.[version];
  if (shown === undefined) throw new Error(`${contract}: the example of ${type} has no version ${version}`);
  const [sender = service] = findSenders(bus, message);
  const source = eventSource(app, sender);
  const id = hashToUuid(`${contract} ${type} ${version}`);
  const who = actor === undefined ? { actor: `service:${sender}`, onbehalfof: ON_BEHALF_OF } : { actor };
  const detail: Envelope = {
    specversion: '1.0',
    id,
    source,
    ...(kind === 'command' ? { to: service } : {}),
    type,
    subject,
    time: '2026-11-21T07:49:52.117Z',
    dataschema: dataschemaUrn(app, service, type, version),
    sequence: 1,
    epoch: 0,
    correlationid: '01a1fd15-42fa-733d-bffb-8d0c4d936450',
    causationid: '01a1fd15-42fa-733d-bffb-90d506fc8164',
    traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    ...who,
    messagegroup: messageGroupOf(who.actor, 'onbehalfof' in who ? who.onbehalfof : undefined),
    // A sealed value contains the id of its message.
    data: JSON.parse(JSON.stringify(shown).replaceAll(MESSAGE_ID, id)),
  };
  return { source, 'detail-type': type, detail };
}

/** Returns a UUIDv7 whose random part is a hash of the text. */
function hashToUuid(text: string): string {
  const hash = createHash('sha256').update(text).digest('hex');
  return `01a1fd15-4565-7${hash.slice(0, 3)}-8${hash.slice(3, 6)}-${hash.slice(6, 18)}`;
}
