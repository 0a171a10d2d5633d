import { type Attributes, SpanKind } from '@opentelemetry/api';
import {
  ATTR_CLOUDEVENTS_EVENT_ID,
  ATTR_CLOUDEVENTS_EVENT_TYPE,
  ATTR_DB_COLLECTION_NAME,
  ATTR_DB_OPERATION_NAME,
  ATTR_DB_SYSTEM_NAME,
  ATTR_ERROR_TYPE,
  ATTR_FAAS_TRIGGER,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_HTTP_ROUTE,
  ATTR_MESSAGING_CONSUMER_GROUP_NAME,
  ATTR_MESSAGING_DESTINATION_NAME,
  ATTR_MESSAGING_MESSAGE_CONVERSATION_ID,
  ATTR_MESSAGING_MESSAGE_ID,
  ATTR_MESSAGING_OPERATION_NAME,
  ATTR_MESSAGING_OPERATION_TYPE,
  ATTR_MESSAGING_SYSTEM,
  DB_SYSTEM_NAME_VALUE_AWS_DYNAMODB,
  FAAS_TRIGGER_VALUE_HTTP,
  FAAS_TRIGGER_VALUE_PUBSUB,
  MESSAGING_OPERATION_TYPE_VALUE_PROCESS,
  MESSAGING_OPERATION_TYPE_VALUE_RECEIVE,
  MESSAGING_OPERATION_TYPE_VALUE_SEND,
  MESSAGING_SYSTEM_VALUE_AWS_SQS,
} from '@opentelemetry/semantic-conventions/incubating';
import type { SpanLine, SpanSubject } from '../aws/spans.js';

/** Attributes for which OpenTelemetry has no convention. */
export const KIT = {
  OUTCOME: 'kit.outcome',
  ATTEMPT: 'kit.attempt',
  AGGREGATE: 'kit.aggregate.type',
  VERSION: 'kit.aggregate.version',
  EVENTS: 'kit.events',
  CORRELATION_ID: 'kit.correlation_id',
  SAGA: 'kit.saga.type',
  SAGA_ID: 'kit.saga.id',
  SAGA_BEFORE: 'kit.saga.status.before',
  SAGA_STATUS: 'kit.saga.status',
} as const;

/** A span as OpenTelemetry names it. */
export interface Described {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: Attributes;
}

/** OpenTelemetry has no value for Amazon EventBridge (semantic conventions 1.45, "messaging.system"); others are allowed. */
const EVENTBRIDGE = 'aws.eventbridge';

const messageAttributes = (system: string, operation: string, line: SpanLine): Attributes => ({
  [ATTR_MESSAGING_SYSTEM]: system,
  [ATTR_MESSAGING_OPERATION_TYPE]: operation,
  [ATTR_MESSAGING_OPERATION_NAME]: operation,
  [ATTR_MESSAGING_MESSAGE_ID]: text(line.message),
  [ATTR_MESSAGING_MESSAGE_CONVERSATION_ID]: text(line.correlationId),
  [ATTR_CLOUDEVENTS_EVENT_ID]: text(line.message),
  [ATTR_CLOUDEVENTS_EVENT_TYPE]: text(line.type),
  [KIT.OUTCOME]: text(line.outcome),
});

const consumed =
  (operation: string) =>
  (line: SpanLine): Described => ({
    name: `${operation} ${text(line.type)}`,
    kind: SpanKind.CONSUMER,
    attributes: {
      ...messageAttributes(MESSAGING_SYSTEM_VALUE_AWS_SQS, operation, line),
      [ATTR_FAAS_TRIGGER]: FAAS_TRIGGER_VALUE_PUBSUB,
      [ATTR_MESSAGING_CONSUMER_GROUP_NAME]: text(line.consumer),
      ...(typeof line.attempt === 'number' && { [KIT.ATTEMPT]: line.attempt }),
    },
  });

/**
 * Names and attributes by OpenTelemetry's semantic conventions for HTTP, databases, messaging, CloudEvents and FaaS. A message's
 * span is called by its type, as the conventions for CloudEvents do: all messages pass one bus, so its name would tell nothing.
 */
const DESCRIBE: Readonly<Record<SpanSubject, (line: SpanLine) => Described>> = {
  request: ({ method, route, status, correlationId }) => ({
    name: `${text(method)} ${text(route)}`,
    kind: SpanKind.SERVER,
    attributes: {
      [ATTR_FAAS_TRIGGER]: FAAS_TRIGGER_VALUE_HTTP,
      [ATTR_HTTP_REQUEST_METHOD]: text(method),
      [ATTR_HTTP_ROUTE]: text(route),
      [ATTR_HTTP_RESPONSE_STATUS_CODE]: Number(status),
      [KIT.CORRELATION_ID]: text(correlationId),
    },
  }),
  commit: ({ operation, table, aggregate, version, events }) => ({
    name: `commit ${text(aggregate)}`,
    kind: SpanKind.CLIENT,
    attributes: {
      [ATTR_DB_SYSTEM_NAME]: DB_SYSTEM_NAME_VALUE_AWS_DYNAMODB,
      [ATTR_DB_OPERATION_NAME]: text(operation),
      ...(table !== undefined && { [ATTR_DB_COLLECTION_NAME]: text(table) }),
      [KIT.AGGREGATE]: text(aggregate),
      [KIT.VERSION]: Number(version),
      [KIT.EVENTS]: texts(events),
    },
  }),
  publish: (line) => ({
    name: `send ${text(line.type)}`,
    kind: SpanKind.PRODUCER,
    attributes: {
      ...messageAttributes(EVENTBRIDGE, MESSAGING_OPERATION_TYPE_VALUE_SEND, line),
      [ATTR_MESSAGING_DESTINATION_NAME]: text(line.bus),
    },
  }),
  receive: consumed(MESSAGING_OPERATION_TYPE_VALUE_RECEIVE),
  process: consumed(MESSAGING_OPERATION_TYPE_VALUE_PROCESS),
  saga: ({ saga, id, before, status, events }) => ({
    name: `advance ${text(saga)}`,
    kind: SpanKind.INTERNAL,
    attributes: {
      [KIT.SAGA]: text(saga),
      [KIT.SAGA_ID]: text(id),
      [KIT.SAGA_BEFORE]: text(before),
      [KIT.SAGA_STATUS]: text(status),
      [KIT.EVENTS]: texts(events),
    },
  }),
};

/** Describes a span; a subject that a newer release writes has no description. */
export function describe(line: SpanLine): Described | undefined {
  if (!Object.hasOwn(DESCRIBE, line.of)) return undefined;
  const { attributes, ...rest } = DESCRIBE[line.of](line);
  return { ...rest, attributes: { ...attributes, ...(line.error !== undefined && { [ATTR_ERROR_TYPE]: line.error }) } };
}

const text = (value: unknown): string => (value === undefined ? '' : String(value));

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
