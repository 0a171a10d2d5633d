import type { HttpRequest } from '../runtime/http.js';

/** Members of a request, whatever its protocol. */
export type Input = Readonly<Record<string, unknown>>;

/** Smithy, "AWS protocols": `awsJson1_0`, `awsJson1_1`, `awsQuery`, `restJson1` and `restXml`; and its own RPC over CBOR. */
export type Protocol = 'json-1.0' | 'json-1.1' | 'query' | 'rest-json' | 'rest-xml' | 'rpc-v2-cbor';

/** A request to any service, read from the wire. */
export interface WireRequest {
  /** Name with which requests to the service are signed: `dynamodb`, `events`, `logs`. */
  readonly service: string;
  readonly protocol: Protocol;
  /** `PutItem`; for a path that no known operation has, its method and path. */
  readonly operation: string;
  readonly input: Input;
}

/** The services that functions call. */
const CALLED = [
  'dynamodb',
  'sqs',
  'sns',
  'events',
  'states',
  's3',
  'scheduler',
  'secretsmanager',
  'kinesis',
  'kms',
  'ssm',
  'lambda',
  'cloudformation',
  'cognito-idp',
  'monitoring',
  'logs',
] as const;
type Called = (typeof CALLED)[number];

/** A request of a function. */
export interface AwsRequest extends WireRequest {
  readonly service: Called;
  /**
   * PutEvents, PutRecords, SendMessageBatch: error codes of refused entries by their index. Only these operations can have this
   * fault.
   */
  readonly refusedEntries?: ReadonlyMap<number, string>;
  /** Eventually consistent reads of DynamoDB: age of the state that they see, milliseconds. */
  readonly staleBy?: number;
}

export const isCalled = (request: WireRequest): request is AwsRequest =>
  CALLED.some((service) => service === request.service);

/** An error as a service answers it; `code` is the value of `__type`. */
export interface AwsError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly more?: Readonly<Record<string, unknown>>;
}

/** Returns the parameters behind a path's question mark. */
export const queryOf = ({ path }: Pick<HttpRequest, 'path'>): URLSearchParams =>
  new URLSearchParams(path.includes('?') ? path.slice(path.indexOf('?') + 1) : '');
