import type { HttpRequest, HttpResponse } from '../runtime/http.js';
import type { AwsError, Input, WireRequest } from './request.js';
import { QUERY, readParameters } from './services.js';
import { document, element, elements, type XmlObject } from './xml.js';

/** Members by the parts of their names: `Parameters.member.1.ParameterKey`. */
interface Members {
  [part: string]: string | Members;
}

/** Smithy, "AWS query protocol": the operation is `Action`; a list is `<name>.member.<place>`. */
export function readQuery(http: HttpRequest): Pick<WireRequest, 'operation' | 'input'> {
  const members: Members = {};
  for (const [name, value] of readParameters(http)) putMember(members, name.split('.'), value);
  const { Action = '', Version, ...input } = members;
  return { operation: String(Action), input: toList(input) as Input };
}

function putMember(members: Members, [part = '', ...rest]: readonly string[], value: string): void {
  if (rest.length === 0) {
    members[part] = value;
    return;
  }
  const below = members[part];
  const next = typeof below === 'object' ? below : {};
  members[part] = next;
  putMember(next, rest, value);
}

/** Turns numbered members into lists. */
function toList(value: string | Members): unknown {
  if (typeof value === 'string') return value;
  const entries = Object.entries(value);
  const [only] = entries;
  if (entries.length === 1 && only?.[0] === 'member') return toList(only[1]);
  if (entries.length > 0 && entries.every(([name]) => /^\d+$/.test(name))) {
    return entries.toSorted(([one], [other]) => Number(one) - Number(other)).map(([, member]) => toList(member));
  }
  return Object.fromEntries(entries.map(([name, member]) => [name, toList(member)]));
}

const HEADERS = { 'content-type': 'text/xml', 'x-amzn-requestid': 'simulated' };

export function writeQueryAnswer({ service, operation }: WireRequest, output: object): HttpResponse {
  const result = element(`${operation}Result`, output as XmlObject, 'member');
  const metadata = element('ResponseMetadata', { RequestId: 'simulated' });
  return {
    status: 200,
    headers: HEADERS,
    body: document(`${operation}Response`, QUERY[service]?.namespace, result + metadata),
  };
}

export function writeQueryError({ service }: WireRequest, { status, code, message }: AwsError): HttpResponse {
  const error = {
    Type: status < 500 ? 'Sender' : 'Receiver',
    Code: code.slice(code.indexOf('#') + 1),
    Message: message,
  };
  const content = elements({ Error: error, RequestId: 'simulated' });
  return { status, headers: HEADERS, body: document('ErrorResponse', QUERY[service]?.namespace, content) };
}

/** Returns the code that SQS's Query protocol gives to an error; entries of batches fail with it in every protocol. */
export const queryErrorCode = (type: string): string => QUERY_CODES[type] ?? `AWS.SimpleQueueService.${type}`;

/** Codes that don't follow from the error's name. Amazon SQS API Reference, "Common Errors". */
const QUERY_CODES: Readonly<Record<string, string>> = {
  InvalidParameterValueException: 'InvalidParameterValue',
  MissingRequiredParameterException: 'MissingParameter',
  QueueDoesNotExist: 'AWS.SimpleQueueService.NonExistentQueue',
  QueueNameExists: 'QueueAlreadyExists',
  ReceiptHandleIsInvalid: 'ReceiptHandleIsInvalid',
  InvalidAttributeName: 'InvalidAttributeName',
  InvalidAttributeValue: 'InvalidAttributeValue',
  InvalidMessageContents: 'InvalidMessageContents',
  RequestThrottled: 'RequestThrottled',
  ResourceNotFoundException: 'ResourceNotFoundException',
  ThrottlingException: 'ThrottlingException',
};
