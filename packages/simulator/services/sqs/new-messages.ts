import type { Input } from '../../wire/request.js';
import type { MessageAttribute, NewMessage, Queue } from './model.js';
import { invalid, invalidValue, sqsError } from './refusals.js';

type Attributes = Readonly<Record<string, MessageAttribute>>;

/** Amazon SQS API Reference, "SendMessage": the characters of XML 1.0. */
const FOREIGN = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;
const GROUP = /^[\x21-\x7e]{1,128}$/;
const OTHER_TYPE = 'The request includes a parameter that is not valid for this queue type.';
const MAX_ATTRIBUTES = 10;
const MAX_NAME = 256;
/** Letters of any language are accepted, although the documentation names A to Z only. */
const NAME = /^[\p{L}\p{N}_.-]+$/u;
const RESERVED = /^(aws\.|amazon\.|\.)|\.$/i;
const TYPE = /^(String|Number|Binary)(\.|$)/;

/**
 * Reads a message as SendMessage and an entry of SendMessageBatch have it. Amazon SQS API Reference, "SendMessage";
 * Developer Guide, "Amazon SQS message metadata".
 * @param queue with the size of its largest message, in bytes
 * @param refusal how AWS begins the refusal of a message that is too large
 * @throws {Refused}
 */
export function parseMessage(
  input: Input,
  { isFifo, settings: { size: mostBytes } }: Pick<Queue, 'isFifo' | 'settings'>,
  refusal: string,
): NewMessage {
  const { MessageBody, MessageGroupId: group, MessageDeduplicationId, MessageAttributes } = input;
  if (!MessageBody)
    throw sqsError('MissingRequiredParameterException', 'The request must contain the parameter MessageBody.');
  const body = String(MessageBody);
  if (FOREIGN.test(body))
    throw sqsError('InvalidMessageContents', 'The message contains characters outside the allowed set.');
  if (group !== undefined && !GROUP.test(String(group))) {
    const reason = 'MessageGroupId can only include alphanumeric and punctuation characters. 1 to 128 in length.';
    throw invalidValue(group, 'MessageGroupId', reason);
  }
  if (isFifo && input.DelaySeconds !== undefined) throw invalidValue(input.DelaySeconds, 'DelaySeconds', OTHER_TYPE);
  if (MessageDeduplicationId !== undefined && !isFifo)
    throw invalidValue(MessageDeduplicationId, 'MessageDeduplicationId', OTHER_TYPE);
  if (MessageDeduplicationId !== undefined && !GROUP.test(String(MessageDeduplicationId))) {
    const reason =
      'MessageDeduplicationId can only include alphanumeric and punctuation characters. 1 to 128 in length.';
    throw invalidValue(MessageDeduplicationId, 'MessageDeduplicationId', reason);
  }
  const attributes = (MessageAttributes ?? {}) as Attributes;
  const names = Object.keys(attributes);
  if (names.length > MAX_ATTRIBUTES)
    throw invalid(`Number of message attributes [${names.length}] exceeds the allowed maximum [${MAX_ATTRIBUTES}].`);
  for (const [name, attribute] of Object.entries(attributes)) checkAttribute(name, attribute);
  if (messageBytes(input) > mostBytes)
    throw invalid(`${refusal} Reason: Message must be shorter than ${mostBytes} bytes.`);
  const trace = parseTrace(input);
  return {
    body,
    ...(group !== undefined && { group: String(group) }),
    ...(MessageDeduplicationId !== undefined && { deduplicationId: String(MessageDeduplicationId) }),
    ...(names.length > 0 && { attributes }),
    ...(trace !== undefined && { trace }),
  };
}

function checkAttribute(name: string, { DataType, StringValue, BinaryValue }: MessageAttribute): void {
  if (name.length > MAX_NAME) throw invalid(`Message (user) attribute names must be shorter than ${MAX_NAME} Bytes`);
  if (!NAME.test(name) || RESERVED.test(name))
    throw invalid(`The name of the message (user) attribute '${name}' is invalid.`);
  if (!TYPE.test(DataType) || DataType.length > MAX_NAME)
    throw invalid(
      `The type of the message (user) attribute '${name}' is invalid: it begins with String, Number or Binary.`,
    );
  const [type = ''] = DataType.split('.');
  if (!(type === 'Binary' ? BinaryValue : StringValue))
    throw invalid(`Message (user) attribute '${name}' must contain a non-empty value of type '${type}'.`);
  if (FOREIGN.test(StringValue ?? '')) throw invalid(`Message (user) attribute '${name}' contains invalid characters.`);
}

/** Returns the one system attribute that a sender may set. */
function parseTrace({ MessageSystemAttributes = {} }: Input): string | undefined {
  const { AWSTraceHeader, ...others } = MessageSystemAttributes as Attributes;
  const [foreign] = Object.keys(others);
  if (foreign !== undefined) throw invalid(`Message system attribute name '${foreign}' is invalid.`);
  return AWSTraceHeader?.StringValue;
}

/** Returns the size of a message with its attributes, in bytes. A system attribute counts nothing. */
export const messageBytes = ({ MessageBody = '', MessageAttributes = {} }: Input): number =>
  Object.entries(MessageAttributes as Attributes).reduce(
    (sum, [name, { DataType, StringValue = '', BinaryValue = '' }]) =>
      sum + Buffer.byteLength(name + DataType + StringValue) + Buffer.byteLength(BinaryValue, 'base64'),
    Buffer.byteLength(String(MessageBody)),
  );
