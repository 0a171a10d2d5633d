import type { HttpRequest } from '../runtime/http.js';
import { type Protocol, queryOf } from './request.js';

/** A service as its requests show it. */
export interface AddressedRequest {
  /** Name with which requests to it are signed. */
  readonly service: string;
  readonly protocol: Protocol;
}

/** By the part of `X-Amz-Target` before the operation. */
const TARGETS: Readonly<Record<string, AddressedRequest>> = {
  DynamoDB_20120810: { service: 'dynamodb', protocol: 'json-1.0' },
  DynamoDBStreams_20120810: { service: 'dynamodb', protocol: 'json-1.0' },
  AWSStepFunctions: { service: 'states', protocol: 'json-1.0' },
  AWSCognitoIdentityProviderService: { service: 'cognito-idp', protocol: 'json-1.1' },
  AmazonSQS: { service: 'sqs', protocol: 'json-1.0' },
  AWSEvents: { service: 'events', protocol: 'json-1.1' },
  Kinesis_20131202: { service: 'kinesis', protocol: 'json-1.1' },
  secretsmanager: { service: 'secretsmanager', protocol: 'json-1.1' },
  TrentService: { service: 'kms', protocol: 'json-1.1' },
  Logs_20140328: { service: 'logs', protocol: 'json-1.1' },
  AmazonSSM: { service: 'ssm', protocol: 'json-1.1' },
  GraniteServiceVersion20100801: { service: 'monitoring', protocol: 'json-1.0' },
};

/** Services whose requests name no target. */
const OTHERS: Readonly<Record<string, Protocol>> = {
  apigateway: 'rest-json',
  cloudformation: 'query',
  lambda: 'rest-json',
  monitoring: 'query',
  s3: 'rest-xml',
  scheduler: 'rest-json',
  sns: 'query',
  sqs: 'query',
  sts: 'query',
};

/** Namespace of a Query service's answers, and the version that its requests name. */
export const QUERY: Readonly<Record<string, { readonly version: string; readonly namespace: string }>> = {
  cloudformation: { version: '2010-05-15', namespace: 'http://cloudformation.amazonaws.com/doc/2010-05-15/' },
  monitoring: { version: '2010-08-01', namespace: 'http://monitoring.amazonaws.com/doc/2010-08-01/' },
  sns: { version: '2010-03-31', namespace: 'http://sns.amazonaws.com/doc/2010-03-31/' },
  sqs: { version: '2012-11-05', namespace: 'http://queue.amazonaws.com/doc/2012-11-05/' },
  sts: { version: '2011-06-15', namespace: 'https://sts.amazonaws.com/doc/2011-06-15/' },
};

/**
 * Finds the service that a request is for: by its target, by the scope of its signature, by its host, or by its form.
 * AWS Identity and Access Management, "Elements of an AWS API request signature": the scope is
 * `<date>/<region>/<service>/aws4_request`.
 */
export function identifyService(http: HttpRequest): AddressedRequest | undefined {
  const target = http.headers['x-amz-target'];
  if (target !== undefined) {
    const prefix = target.slice(0, target.lastIndexOf('.'));
    return ownEntry(TARGETS, prefix) ?? { service: readSignatureScope(http) ?? prefix, protocol: 'json-1.1' };
  }
  const service = readSignatureScope(http) ?? byHost(http) ?? byForm(http);
  if (service === undefined) return undefined;
  if (http.headers['smithy-protocol'] === 'rpc-v2-cbor') return { service, protocol: 'rpc-v2-cbor' };
  return { service, protocol: ownEntry(OTHERS, service) ?? (isForm(http) ? 'query' : 'rest-json') };
}

/** Whether a request is for a service of AWS, by its target, its signature or its host; other hosts are third parties. */
export const isForAws = (http: HttpRequest): boolean =>
  http.headers['x-amz-target'] !== undefined || (readSignatureScope(http) ?? byHost(http)) !== undefined;

/** Returns a member of a table; names come from outside, and every object has more members than its own. */
const ownEntry = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** Returns the service in the scope of a signature, which stands in a header or, if presigned, in the query. */
function readSignatureScope(http: HttpRequest): string | undefined {
  const credential = queryOf(http).get('X-Amz-Credential') ?? '';
  const [, service] = /\/([\w-]+)\/aws4_request/.exec(`${http.headers.authorization ?? ''} ${credential}`) ?? [];
  return service;
}

/** `s3.<region>.amazonaws.com`, `<bucket>.s3.<region>.amazonaws.com`, `<service>.<region>.amazonaws.com` */
function byHost({ host }: HttpRequest): string | undefined {
  if (/(^|\.)s3[.-]/.test(host)) return 's3';
  const [, service] = /^([\w-]+)\.(?:[\w-]+\.)?amazonaws\.com(?:\.cn)?(?::\d+)?$/.exec(host) ?? [];
  return service;
}

function byForm(http: HttpRequest): string | undefined {
  if (/^\/20\d\d-\d\d-\d\d\/(functions|event-source-mappings)\b/.test(http.path)) return 'lambda';
  if (/^\/restapis\b/.test(http.path)) return 'apigateway';
  if (!isForm(http)) return undefined;
  const named = readParameters(http).get('Version');
  return Object.keys(QUERY).find((service) => QUERY[service]?.version === named);
}

const isForm = (http: HttpRequest): boolean => readParameters(http).has('Action');

/** Returns the parameters of a Query request, which stand in its body or behind its path. */
export const readParameters = (http: HttpRequest): URLSearchParams => {
  const form = /^application\/x-www-form-urlencoded/.test(http.headers['content-type'] ?? '');
  return form ? new URLSearchParams(http.body) : queryOf(http);
};
