/**
 * Texts of the language, the platform and the AWS SDK that failure records and logs may show in every environment.
 *
 * Nothing is copied out of a message, because each of these messages can contain a value: `[1].map(name)` throws
 * `TypeError: Alice is not a function`, and `JSON.parse(body)` quotes the beginning of the body. A message is recognised, and what
 * is shown is a text of this file. So the shown texts are a finite set, whatever an error says.
 */

type Known = readonly (readonly [pattern: RegExp, shown: string])[];

/** Codes of Node.js ("Errors", "OpenSSL error codes") and of its HTTP client (undici). */
const CODES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'the certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self-signed certificate',
  EAI_AGAIN: 'the name could not be resolved now',
  ECONNABORTED: 'connection aborted',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset by the other side',
  EHOSTUNREACH: 'no route to the host',
  EMFILE: 'too many open files',
  ENETUNREACH: 'no route to the network',
  ENOENT: 'no such file',
  ENOSPC: 'no space left',
  ENOTFOUND: 'the name could not be resolved',
  EPIPE: 'the other side has closed the connection',
  EPROTO: 'protocol error',
  ERR_INVALID_ARG_TYPE: 'an argument is of another type than expected',
  ERR_INVALID_ARG_VALUE: 'an argument has another value than expected',
  ERR_INVALID_URL: 'Invalid URL',
  ERR_OUT_OF_RANGE: 'a value is out of range',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name',
  ETIMEDOUT: 'connection timed out',
  SELF_SIGNED_CERT_IN_CHAIN: 'self-signed certificate in the chain',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the issuer of the certificate is unknown',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate can not be verified',
  UND_ERR_BODY_TIMEOUT: 'the body of the answer did not arrive in time',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  UND_ERR_SOCKET: 'the other side has closed the connection',
};

/** Messages of V8, of Node.js and of fetch. */
const LANGUAGE: Known = [
  [/^fetch failed$/, 'fetch failed'],
  [/^terminated$/, 'terminated'],
  [/^The operation was aborted due to timeout$/, 'The operation was aborted due to timeout'],
  [/^(?:This|The) operation was aborted/, 'This operation was aborted'],
  [/^socket hang up$/, 'socket hang up'],
  [/^Client network socket disconnected before secure TLS/, 'disconnected before the TLS connection was established'],
  [/^Body is unusable/, 'Body is unusable'],
  [/^Failed to parse URL from /, 'Failed to parse URL'],
  [/^Invalid URL/, 'Invalid URL'],
  [/ is not a function$/s, '… is not a function'],
  [
    / is not a function or its return value is not iterable$/s,
    '… is not a function or its return value is not iterable',
  ],
  [/ is not a constructor$/s, '… is not a constructor'],
  [/ is not iterable(?: \(cannot read property .*\))?$/s, '… is not iterable'],
  [/^Cannot read propert(?:y|ies) .*\bof undefined\b/s, 'Cannot read properties of undefined'],
  [/^Cannot read propert(?:y|ies) .*\bof null\b/s, 'Cannot read properties of null'],
  [/^Cannot read propert(?:y|ies) of undefined/, 'Cannot read properties of undefined'],
  [/^Cannot read propert(?:y|ies) of null/, 'Cannot read properties of null'],
  [/^Cannot set propert(?:y|ies) (?:.*\b)?of undefined/s, 'Cannot set properties of undefined'],
  [/^Cannot set propert(?:y|ies) (?:.*\b)?of null/s, 'Cannot set properties of null'],
  [/^Cannot destructure property /, 'Cannot destructure a property of undefined or null'],
  [/^Cannot convert undefined or null to object$/, 'Cannot convert undefined or null to object'],
  [/^Cannot convert a BigInt value to a number$/, 'Cannot convert a BigInt value to a number'],
  [/^Cannot convert .* to a BigInt$/s, 'Cannot convert … to a BigInt'],
  [/^Cannot mix BigInt and other types/, 'Cannot mix BigInt and other types'],
  [/^Do not know how to serialize a BigInt$/, 'Do not know how to serialize a BigInt'],
  [/^Converting circular structure to JSON/, 'Converting circular structure to JSON'],
  [/^Cannot assign to read only property /, 'Cannot assign to read only property'],
  [/^Cannot add property .*, object is not extensible$/s, 'Cannot add a property, object is not extensible'],
  [/^Cannot access .* before initialization$/s, 'Cannot access … before initialization'],
  [/^Assignment to constant variable\.$/, 'Assignment to constant variable'],
  [/^Reduce of empty array with no initial value$/, 'Reduce of empty array with no initial value'],
  [/ is not defined$/s, '… is not defined'],
  [/^Maximum call stack size exceeded$/, 'Maximum call stack size exceeded'],
  [/^Invalid array length$/, 'Invalid array length'],
  [/^Invalid string length$/, 'Invalid string length'],
  [/^Invalid time value$/, 'Invalid time value'],
  [/^Invalid time zone specified: /, 'Invalid time zone specified'],
  [/^Invalid regular expression: /, 'Invalid regular expression'],
  [/^The number .* cannot be converted to a BigInt because it is not an integer$/s, 'the number is not an integer'],
  [/^Unexpected end of JSON input$/, 'Unexpected end of JSON input'],
  [/^Unexpected token .* JSON/s, 'Unexpected token in JSON'],
  [/ is not valid JSON$/s, '… is not valid JSON'],
  [/^(?:Unexpected|Expected|Bad|Unterminated|No number|Exponent) .* in JSON\b/s, 'malformed JSON'],
  [/^Unexpected non-whitespace character after JSON/, 'Unexpected non-whitespace character after JSON'],
];

/** Messages of the SDK itself, before it sends a request or after it got no answer. */
const SDK: Known = [
  [/removeUndefinedValues=true/, 'undefined values: expected options.removeUndefinedValues, or none of them'],
  [/convertClassInstanceToMap=true/, 'an object of a class can not be marshalled'],
  [/^Number .* is greater than Number\.MAX_SAFE_INTEGER/s, 'a number is greater than Number.MAX_SAFE_INTEGER'],
  [/^Could not load credentials from any providers/, 'Could not load credentials from any providers'],
  [/^Credential is missing/, 'Credential is missing'],
  [/^Region is missing/, 'Region is missing'],
  [/^Connection timed out after /, 'Connection timed out'],
  [/did not establish a connection with the server within/, 'no connection in time'],
  [/^No value provided for input HTTP label/, 'a required parameter is missing'],
  [/^Deserialization error/, 'the answer can not be read'],
];

/** Messages with which AWS services answer. The name of the error says more, and is kept as it is. */
const SERVICES: Known = [
  [/^Rate exceeded/i, 'Rate exceeded'],
  [/^Please reduce your request rate/, 'Please reduce your request rate'],
  [/^The level of configured provisioned throughput/, 'The provisioned throughput was exceeded'],
  [/^Throughput exceeds the current capacity/, 'Throughput exceeds the current capacity'],
  [/^The conditional request failed/, 'The conditional request failed'],
  [/^Transaction is ongoing for the item/, 'Transaction is ongoing for the item'],
  [/^Transaction request cannot include multiple operations/, 'several operations of a transaction on one item'],
  [/^Requested resource not found/i, 'Requested resource not found'],
  [/^Item size .*exceeded the maximum allowed size/i, 'the item exceeds the maximum size'],
  [/^Item collection too large/i, 'the item collection exceeds the maximum size'],
  [/^The provided key element does not match the schema/, 'The provided key element does not match the schema'],
  [/^One of the required keys was not given a value/, 'One of the required keys was not given a value'],
  [/^Provided list of item keys contains duplicates/, 'Provided list of item keys contains duplicates'],
  [/^One or more parameter values (?:were invalid|are not valid)/, 'One or more parameter values were invalid'],
  [/^Supplied AttributeValue/, 'a supplied AttributeValue is invalid'],
  [/^The parameter cannot be converted to a numeric value/, 'a parameter cannot be converted to a numeric value'],
  [/^An operand in the update expression has an incorrect data type/, 'an operand of the update has another type'],
  [/^The document path provided in the update expression/, 'the document path of the update is invalid'],
  [/^ExpressionAttributeValues /, 'ExpressionAttributeValues are invalid'],
  [/^ExpressionAttributeNames /, 'ExpressionAttributeNames are invalid'],
  [/^Value provided in ExpressionAttribute/, 'a value of the expression is unused'],
  [/^Invalid \w{1,30}Expression: /, 'an expression is invalid'],
  [
    /^The provided expression refers to an attribute that does not exist/,
    'an attribute of the expression does not exist',
  ],
  [/^The security token included in the request is expired/, 'The security token is expired'],
  [/^The security token included in the request is invalid/, 'The security token is invalid'],
  [/^Signature expired/, 'Signature expired'],
  [/^The specified queue does not exist/, 'The specified queue does not exist'],
  [/^The specified key does not exist/, 'The specified key does not exist'],
  [/^The specified bucket does not exist/, 'The specified bucket does not exist'],
  [/receipt handle.*(?:expired|not valid|invalid)/i, 'the receipt handle is not valid any more'],
  [/^Function not found/, 'Function not found'],
  [/^Event bus .* does not exist/, 'the event bus does not exist'],
  [/ is disabled\.?$/, 'the key is disabled'],
  [/ is pending deletion\.?$/, 'the key is pending deletion'],
  [/^(?:The request processing has failed|Internal server error|InternalFailure)/i, 'Internal server error'],
  [/^(?:Service Unavailable|The service is unavailable)/i, 'Service unavailable'],
];

/** Reasons of a cancelled transaction (DynamoDB API Reference, TransactWriteItems). */
const CANCELLATIONS = new Set([
  'AccessDenied',
  'ConditionalCheckFailed',
  'DuplicateItem',
  'ItemCollectionSizeLimitExceeded',
  'None',
  'ProvisionedThroughputExceeded',
  'ThrottlingError',
  'TransactionConflict',
  'ValidationError',
]);

/** Actions that functions of the kit are granted: what a refused permission may name. */
const ACTIONS = new Set([
  ...['GetItem', 'BatchGetItem', 'BatchWriteItem', 'Query', 'Scan', 'PutItem', 'UpdateItem', 'DeleteItem'],
  ...['ConditionCheckItem', 'TransactGetItems', 'TransactWriteItems'],
  ...['SendMessage', 'ReceiveMessage', 'DeleteMessage', 'ChangeMessageVisibility', 'GetQueueAttributes'],
  ...['PutEvents', 'GetObject', 'PutObject', 'ListBucket', 'InvokeFunction', 'Publish'],
  ...['Decrypt', 'Encrypt', 'GenerateDataKey', 'GetParameter', 'GetParameters', 'GetSecretValue'],
]);

/** Characters of a message that are looked at. */
const MOST_READ = 4_000;

/** Returns the text that may be shown for an error of the language, the platform or the SDK; `undefined` for any other. */
export function knownTextOf(error: Error): string | undefined {
  if (typeof error.message !== 'string') return undefined;
  const message = error.message.slice(0, MOST_READ);
  const service = isOfService(error) ? serviceText(error, message) : undefined;
  return service ?? codeText(error) ?? textIn(LANGUAGE, message) ?? textIn(SDK, message);
}

const textIn = (known: Known, message: string): string | undefined =>
  known.find(([pattern]) => pattern.test(message))?.[1];

function codeText(error: Error): string | undefined {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return Object.hasOwn(CODES, code) ? `${code}: ${CODES[code]}` : undefined;
}

/** An answer of an AWS service, as the SDK throws it. */
interface OfService extends Error {
  readonly $metadata: { readonly httpStatusCode?: unknown };
  readonly CancellationReasons?: unknown;
}

const isOfService = (error: Error): error is OfService =>
  '$metadata' in error && typeof error.$metadata === 'object' && error.$metadata !== null;

function serviceText(error: OfService, message: string): string | undefined {
  const shown = refusedAction(message) ?? cancellation(error) ?? textIn(SERVICES, message);
  const { httpStatusCode: status } = error.$metadata;
  const http = Number.isInteger(status) && Number(status) >= 100 && Number(status) < 600 ? `HTTP ${status}` : undefined;
  if (shown === undefined) return http;
  return http === undefined ? shown : `${shown} (${http})`;
}

function refusedAction(message: string): string | undefined {
  const action = /is not authorized to perform: [a-z0-9-]+:(\w+)/.exec(message)?.[1];
  if (action === undefined) return undefined;
  return ACTIONS.has(action) ? `not authorized to perform ${action}` : 'not authorized to perform this action';
}

function cancellation({ CancellationReasons: reasons }: OfService): string | undefined {
  if (!Array.isArray(reasons)) return undefined;
  const codes = reasons.map((reason: { readonly Code?: unknown } | null) => {
    const code = String(reason?.Code ?? 'None');
    return CANCELLATIONS.has(code) ? code : '…';
  });
  return `Transaction cancelled [${codes.join(', ')}]`;
}
