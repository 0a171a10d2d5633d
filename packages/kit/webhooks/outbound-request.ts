import { lookup as lookUp } from 'node:dns/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { clock } from '../aws/clock.js';
import { isPublicAddress } from './public-address.js';
import { findUrlFault } from './receiver-url.js';

/** A request to a host that a customer has named. */
export interface OutboundRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent by POST. */
  readonly body: string;
}

/** Outcome of one request. It tells what the sender knows, which may be less than what the receiver did. */
export type OutboundResult =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** Seconds for which the receiver asks the sender to wait (`Retry-After` of 429 and 503). */
      readonly retryAfterSeconds?: number;
    }
  | {
      readonly kind: 'failed';
      /**
       * `url`: the address is none that may be called. `private`: the host has an address outside of the public internet.
       * `unknown-host`: the host has no address. `timeout`: no answer in time; the receiver may have processed the request.
       * `connection`: refused, broken, or no valid certificate.
       */
      readonly reason: 'url' | 'private' | 'unknown-host' | 'timeout' | 'connection';
    };

/** One address of a host. */
export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

export interface OutboundOptions {
  /** Milliseconds of a request, from the question for its host's addresses to the last byte. @default 10,000 */
  readonly timeout?: number;
  /** Bytes of an answer that are read. The rest is cut off. @default 64 KiB */
  readonly maxAnswerBytes?: number;
  /** Returns the addresses of a host. @default the resolver of the machine */
  readonly resolve?: (host: string) => Promise<readonly HostAddress[]>;
  /** Tells whether an address may be called. @default those of the public internet */
  readonly isAllowed?: (address: string) => boolean;
  /** Whether `http:` may be called as well. Only for a receiver on the developer's machine. @default false */
  readonly allowsHttp?: boolean;
}

const TIMEOUT = 10_000;
const MAX_ANSWER_BYTES = 65_536;
/** Longest wait that a receiver may ask for: a day. */
const MAX_RETRY_AFTER_SECONDS = 86_400;

const resolveByMachine = (host: string): Promise<readonly HostAddress[]> => lookUp(host, { all: true, verbatim: true });

/**
 * Creates a function that sends requests to hosts which customers name, without a way into private networks (server-side request
 * forgery):
 *
 * - The host is resolved once. If one of its addresses isn't public, nothing is sent.
 * - The connection goes to the addresses that were checked, and not to what the name means a moment later (DNS rebinding). Host header,
 *   SNI and certificate are those of the name.
 * - A redirect is an answer like any other one and is not followed. Each request has a connection of its own.
 * @example
 * const send = createOutboundSender();
 * const result = await send({ url: 'https://shop.example.com/hooks', headers: {}, body: '{}' });
 */
export function createOutboundSender({
  timeout = TIMEOUT,
  maxAnswerBytes = MAX_ANSWER_BYTES,
  resolve = resolveByMachine,
  isAllowed = isPublicAddress,
  allowsHttp = false,
}: OutboundOptions = {}): (request: OutboundRequest) => Promise<OutboundResult> {
  const findAddresses = async (url: URL): Promise<readonly HostAddress[]> => {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const family = isIP(host);
    return family === 0 ? resolve(host) : [{ address: host, family }];
  };
  return async (request) => {
    if (findUrlFault(request.url, { allowsHttp }) !== undefined) return { kind: 'failed', reason: 'url' };
    const url = new URL(request.url);
    const began = Date.parse(clock.now());
    // A resolver that fails knows no address. One that hangs would hold the function beyond its own timeout.
    const addresses = await within(timeout, findAddresses(url)).catch((): readonly HostAddress[] => []);
    if (addresses === 'late') return { kind: 'failed', reason: 'timeout' };
    if (addresses.length === 0) return { kind: 'failed', reason: 'unknown-host' };
    if (!addresses.every(({ address }) => isAllowed(address))) return { kind: 'failed', reason: 'private' };
    const left = timeout - (Date.parse(clock.now()) - began);
    return exchange(url, request, { addresses, timeout: Math.max(1, left), maxAnswerBytes });
  };
}

/** Waits for a result, or until the time is over. */
async function within<Result>(milliseconds: number, result: Promise<Result>): Promise<Result | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), milliseconds);
  });
  return Promise.race([result, late]).finally(() => clearTimeout(timer));
}

interface Exchange {
  readonly addresses: readonly HostAddress[];
  readonly timeout: number;
  readonly maxAnswerBytes: number;
}

function exchange(
  url: URL,
  { headers, body }: OutboundRequest,
  { addresses, timeout, maxAnswerBytes }: Exchange,
): Promise<OutboundResult> {
  return new Promise((resolve) => {
    const bytes = Buffer.from(body);
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': bytes.byteLength },
      lookup: toCheckedLookup(addresses),
      // A pooled connection may lead to an address of an earlier check.
      agent: false,
    });
    const finish = (result: OutboundResult): void => {
      clearTimeout(deadline);
      request.destroy();
      resolve(result);
    };
    const deadline = setTimeout(() => finish({ kind: 'failed', reason: 'timeout' }), timeout);
    request.on('error', () => finish({ kind: 'failed', reason: 'connection' }));
    request.on('response', (response: IncomingMessage) => {
      let left = maxAnswerBytes;
      const answered = (): void => finish(toAnswer(response));
      response.on('data', (chunk: Uint8Array) => {
        left -= chunk.byteLength;
        if (left <= 0) answered();
      });
      response.on('end', answered);
      // The status has come, and a cut body changes nothing of it.
      response.on('error', answered);
    });
    request.end(bytes);
  });
}

/** Returns the lookup of a connection: it knows the checked addresses only. Node asks for one of them, or for all. */
const toCheckedLookup =
  (addresses: readonly HostAddress[]): LookupFunction =>
  (_host, { all }, answer) => {
    const [first] = addresses;
    if (all) answer(null, [...addresses]);
    else answer(null, first?.address ?? '', first?.family);
  };

function toAnswer({ statusCode = 0, headers }: IncomingMessage): OutboundResult {
  const answer = { kind: 'answered', status: statusCode } as const;
  const seconds = statusCode === 429 || statusCode === 503 ? readRetryAfter(headers['retry-after']) : undefined;
  return seconds === undefined ? answer : { ...answer, retryAfterSeconds: Math.min(MAX_RETRY_AFTER_SECONDS, seconds) };
}

/** Reads `Retry-After`: seconds, or a date (RFC 9110, 10.2.3). @returns `undefined` if it is absent, malformed or over */
function readRetryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : Date.parse(header) / 1000 - clock.epochSeconds();
  return seconds > 0 ? Math.ceil(seconds) : undefined;
}
