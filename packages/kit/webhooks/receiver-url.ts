import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.js';

/** Longest address of a receiver. */
export const MAX_URL_LENGTH = 2_000;

/** Names that lead to the machine itself or into a private network, whatever a resolver says (RFC 6761, RFC 6762, RFC 9476). */
const PRIVATE_NAMES = /(?:^|\.)(?:localhost|local|internal|home\.arpa|alt)\.?$/i;

/**
 * Returns what is wrong with the address of a receiver, as a client reads it; nothing if it may be called. It is checked without a
 * look at the network, so a host is checked again at each request.
 */
export function findUrlFault(
  text: string,
  { allowsHttp = false }: { readonly allowsHttp?: boolean } = {},
): string | undefined {
  if (text.length > MAX_URL_LENGTH) return `expected at most ${MAX_URL_LENGTH} characters`;
  if (!URL.canParse(text)) return 'expected an absolute URL: https://shop.example.com/webhooks';
  const { protocol, username, password, hostname, hash } = new URL(text);
  if (protocol !== 'https:' && !(allowsHttp && protocol === 'http:')) return 'expected https';
  if (username !== '' || password !== '') return 'expected no user name and no password: requests are signed';
  if (hash !== '') return 'expected no fragment: no request contains it';
  if (allowsHttp) return undefined;
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) === 0 ? PRIVATE_NAMES.test(host) || !host.includes('.') : !isPublicAddress(host))
    return 'expected a host of the public internet';
  return undefined;
}
