import type { HttpResponse } from '../runtime/http.js';
import type { Input } from '../wire/request.js';

/** An answer whose headers or body aren't those of its protocol: a payload, an object. */
export class Raw {
  constructor(readonly response: HttpResponse) {}
}

/** Carries a request out. @throws {Refused} AWS's error @throws {NotModelled} if the model doesn't know AWS's answer */
export type Operation = (input: Input) => object | Promise<object>;

/** Operations of a service by their names. */
export type Operations = Readonly<Record<string, Operation>>;

/** An operation that AWS doesn't have, or that nobody has built here. */
export class UnknownOperation extends Error {
  override readonly name = 'UnknownOperation';
}

/**
 * Returns one page of a list.
 * @param token as an earlier answer gave it
 * @returns the page, and the token of the next one if there is any
 */
export function pageOf<T>(all: readonly T[], token: unknown, limit: number): { page: readonly T[]; next?: string } {
  const from = token === undefined ? 0 : Number(token);
  const end = from + limit;
  return { page: all.slice(from, end), ...(end < all.length && { next: String(end) }) };
}

/** Seconds since 1970, as JSON protocols write times. */
export const secondsOf = (milliseconds: number): number => milliseconds / 1000;
