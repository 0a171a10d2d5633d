import type { HttpRequest, HttpResponse } from '../runtime/http.js';
import { readJson, writeJsonAnswer, writeJsonError } from './json.js';
import { readQuery, writeQueryAnswer, writeQueryError } from './query.js';
import { type AwsError, type AwsRequest, isCalled, type Protocol, type WireRequest } from './request.js';
import { readRestJson } from './rest-json.js';
import { readRestXml, writeRestXmlAnswer, writeRestXmlError } from './rest-xml.js';
import { readRpcCbor, writeRpcCborAnswer, writeRpcCborError } from './rpc-cbor.js';
import { identifyService } from './services.js';

/** How a protocol writes requests, answers and errors. */
interface Codec {
  /** @throws {SyntaxError} if the body isn't JSON */
  read(http: HttpRequest, service: string): Pick<WireRequest, 'operation' | 'input'>;
  answer(request: WireRequest, output: object): HttpResponse;
  error(request: WireRequest, error: AwsError): HttpResponse;
}

const JSON_CODEC: Codec = { read: readJson, answer: writeJsonAnswer, error: writeJsonError };

const CODECS: Readonly<Record<Protocol, Codec>> = {
  'json-1.0': JSON_CODEC,
  'json-1.1': JSON_CODEC,
  query: { read: readQuery, answer: writeQueryAnswer, error: writeQueryError },
  'rest-json': { read: readRestJson, answer: writeJsonAnswer, error: writeJsonError },
  'rpc-v2-cbor': { read: readRpcCbor, answer: writeRpcCborAnswer, error: writeRpcCborError },
  'rest-xml': { read: readRestXml, answer: writeRestXmlAnswer, error: writeRestXmlError },
};

/**
 * Reads a request to any service.
 * @returns `undefined` if nothing in it names a service
 * @throws {SyntaxError | CborError} if its body is malformed
 */
export function readRequest(http: HttpRequest): WireRequest | undefined {
  const to = identifyService(http);
  return to && { ...to, ...CODECS[to.protocol].read(http, to.service) };
}

/** A request that no model answers. */
class ServiceNotModelled extends Error {
  override readonly name = 'ServiceNotModelled';
}

/** Reads a request of a function. @throws {ServiceNotModelled} */
export function readFunctionRequest(http: HttpRequest): AwsRequest {
  const request = readRequest(http);
  if (request && isCalled(request)) return request;
  throw new ServiceNotModelled(http.headers['x-amz-target'] ?? '');
}

/** Writes the answer to a request. @param output its members */
export const writeAnswer = (request: WireRequest, output: object): HttpResponse =>
  CODECS[request.protocol].answer(request, output);

/** Writes the refusal of a request. */
export const writeError = (request: WireRequest, error: AwsError): HttpResponse =>
  CODECS[request.protocol].error(request, error);

/** Writes the refusal of a request that nobody can read, in the protocol of its service. */
export const writeUnknownError = (http: HttpRequest, error: AwsError): HttpResponse =>
  writeError({ service: '', operation: '', input: {}, protocol: identifyService(http)?.protocol ?? 'json-1.0' }, error);
