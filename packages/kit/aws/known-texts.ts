/**
 * Texts of the language, the platform and the AWS SDK that failure records and logs may show in every environment.
 *
 * Nothing is copied out of a message, because each of these messages can contain a value: `[1].map(name)` throws
 * `TypeError: Alice is not a function`, and `JSON.parse(body)` quotes the beginning of the body. A message is recognised, and what
 * is shown is a text of this file. So the shown texts are a finite set, whatever an error says.
 */

/** Beginnings of messages. Shown is the beginning. */
const BEGINNINGS = [
  // Node.js and fetch
  ...['fetch failed', 'terminated', 'bad port', 'unknown scheme', 'socket hang up', 'Body is unusable'],
  ...['The operation was aborted due to timeout', 'This operation was aborted', 'The operation was aborted'],
  ...['Client network socket disconnected', 'Failed to parse URL', 'Invalid URL'],
  // V8
  ...['Cannot destructure property', 'Cannot convert undefined or null to object', 'Cannot convert a BigInt value'],
  ...[
    'Cannot mix BigInt and other types',
    'Do not know how to serialize a BigInt',
    'Converting circular structure to JSON',
  ],
  ...['Cannot assign to read only property', 'Cannot add property', 'Assignment to constant variable'],
  ...['Reduce of empty array with no initial value', 'Maximum call stack size exceeded', 'Invalid array length'],
  ...['Invalid string length', 'Invalid time value', 'Invalid time zone specified', 'Invalid regular expression'],
  ...['Unexpected end of JSON input', 'Unexpected non-whitespace character after JSON', 'Unexpected token'],
  // the SDK
  ...['Unsupported type passed', 'Could not load credentials', 'Credential is missing', 'Region is missing'],
  ...['Connection timed out', 'No value provided for input HTTP label', 'Deserialization error'],
  'Pass options.removeUndefinedValues=true to remove undefined values',
  // AWS services
  ...['Rate exceeded', 'Please reduce your request rate', 'The level of configured provisioned throughput'],
  ...[
    'Throughput exceeds the current capacity',
    'The conditional request failed',
    'Transaction is ongoing for the item',
  ],
  ...['Transaction request cannot include multiple operations', 'Requested resource not found', 'Item size'],
  ...['The provided key element does not match the schema', 'One of the required keys was not given a value'],
  ...['Provided list of item keys contains duplicates', 'One or more parameter values were invalid'],
  ...['One or more parameter values are not valid', 'Supplied AttributeValue', 'Invalid UpdateExpression'],
  ...['An operand in the update expression has an incorrect data type', 'Invalid ConditionExpression'],
  ...['The document path provided in the update expression is invalid', 'Invalid KeyConditionExpression'],
  ...['ExpressionAttributeValues', 'ExpressionAttributeNames', 'Value provided in ExpressionAttribute'],
  ...['The provided expression refers to an attribute that does not exist', 'Signature expired'],
  ...['The security token included in the request is expired', 'The security token included in the request is invalid'],
  ...['The specified queue does not exist', 'The specified key does not exist', 'The specified bucket does not exist'],
  ...['The input receipt handle', 'The receipt handle has expired', 'Function not found'],
  ...['Internal server error', 'The request processing has failed', 'Service Unavailable'],
];

/** Ends of messages. Shown is the end, behind what stands for the rest. */
const ENDINGS = [
  ...[' is not a function', ' is not a function or its return value is not iterable', ' is not a constructor'],
  ...[' is not iterable', ' is not defined', ' before initialization', ' is not valid JSON', ' to a BigInt'],
  ...[' is disabled.', ' is pending deletion.'],
];

/** Messages with a value inside, and what is shown. */
const PATTERNS: readonly (readonly [pattern: RegExp, shown: string])[] = [
  [/^Cannot read propert.* undefined\b/s, 'Cannot read properties of undefined'],
  [/^Cannot read propert.* null\b/s, 'Cannot read properties of null'],
  [/^Cannot set propert.* undefined\b/s, 'Cannot set properties of undefined'],
  [/^Cannot set propert.* null\b/s, 'Cannot set properties of null'],
  [/ is not iterable \(cannot read property /, '… is not iterable'],
  [/ in JSON at position \d+/, 'malformed JSON'],
  [/did not establish a connection with the server/, 'no connection in time'],
];

/** Codes of Node.js ("Errors", "OpenSSL error codes") and of its HTTP client: they say as much as their texts. */
const PLATFORM_CODE = /^(?:E[A-Z]{3,15}|(?:UND_)?ERR_[A-Z_]+|(?:CERT|DEPTH|SELF|UNABLE)_[A-Z_]+)$/;

/** Reasons of a cancelled transaction (DynamoDB API Reference, TransactWriteItems). */
const CANCELLATIONS = [
  ...['AccessDenied', 'ConditionalCheckFailed', 'DuplicateItem', 'ItemCollectionSizeLimitExceeded', 'None'],
  ...['ProvisionedThroughputExceeded', 'ThrottlingError', 'TransactionConflict', 'ValidationError'],
];

/** Actions that a refused permission may name. */
const ACTIONS = [
  ...['GetItem', 'BatchGetItem', 'BatchWriteItem', 'Query', 'Scan', 'PutItem', 'UpdateItem', 'DeleteItem'],
  ...['ConditionCheckItem', 'SendMessage', 'DeleteMessage', 'ChangeMessageVisibility', 'PutEvents', 'GetObject'],
  ...['InvokeFunction', 'Decrypt', 'GenerateDataKey', 'GetParameter', 'GetSecretValue'],
];

/** Characters of a message that are looked at. */
const MAX_READ_CHARACTERS = 4_000;

/**
 * Returns the text that may be shown for an error of the language, the platform or the SDK: empty if its code says enough,
 * `undefined` for any other error.
 */
export function findKnownText(error: Error): string | undefined {
  if (typeof error.message !== 'string') return undefined;
  const message = error.message.slice(0, MAX_READ_CHARACTERS);
  const known = isAwsServiceError(error) ? describeServiceError(error, message) : matchText(message);
  const isOfPlatform = 'code' in error && typeof error.code === 'string' && PLATFORM_CODE.test(error.code);
  return known ?? (isOfPlatform ? '' : undefined);
}

function matchText(message: string): string | undefined {
  const beginning = BEGINNINGS.find((text) => message.startsWith(text));
  if (beginning !== undefined) return beginning;
  const end = ENDINGS.find((text) => message.endsWith(text));
  return end === undefined ? PATTERNS.find(([pattern]) => pattern.test(message))?.[1] : `…${end}`;
}

/** An answer of an AWS service, as the SDK throws it. */
interface AwsServiceError extends Error {
  readonly $metadata: { readonly httpStatusCode?: unknown };
  readonly CancellationReasons?: unknown;
}

const isAwsServiceError = (error: Error): error is AwsServiceError =>
  '$metadata' in error && typeof error.$metadata === 'object' && error.$metadata !== null;

function describeServiceError(error: AwsServiceError, message: string): string | undefined {
  const shown = describeDeniedAction(message) ?? describeCancellation(error) ?? matchText(message);
  const { httpStatusCode: status } = error.$metadata;
  const http = Number.isInteger(status) && Number(status) >= 100 && Number(status) < 600 ? `HTTP ${status}` : undefined;
  if (shown === undefined) return http;
  return http === undefined ? shown : `${shown} (${http})`;
}

function describeDeniedAction(message: string): string | undefined {
  const action = /is not authorized to perform: [a-z0-9-]+:(\w+)/.exec(message)?.[1];
  if (action === undefined) return undefined;
  return `not authorized to perform ${ACTIONS.find((one) => one === action) ?? 'this action'}`;
}

function describeCancellation({ CancellationReasons: reasons }: AwsServiceError): string | undefined {
  if (!Array.isArray(reasons)) return undefined;
  const codes = reasons.map((reason: { readonly Code?: unknown } | null) => {
    const code = reason?.Code ?? 'None';
    return CANCELLATIONS.find((one) => one === code) ?? '…';
  });
  return `Transaction cancelled [${codes.join(', ')}]`;
}
