import type { HttpResponse } from '../runtime/http.js';
import type { AwsError, AwsRequest, Input } from './request.js';

/** An answer whose headers or body aren't those of its protocol: a payload, an object. */
export class RawResponse {
  constructor(readonly response: HttpResponse) {}
}

/** AWS's refusal of a request, in words of its API reference; operations throw it. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly error: AwsError;

  /** @param code `QueueDoesNotExist`, with the prefix that the service's `__type` has */
  constructor(code: string, message: string, status = 400, more: AwsError['more'] = {}) {
    super(message);
    this.error = { status, code, message, more };
  }
}

/** A request that the model can't answer. AWS might accept it, so the model never reports this as AWS's refusal. */
export class NotModelled extends Error {
  override readonly name = 'NotModelled';
}

/** A call of a function, and the faults of its single entries and reads. */
export interface FunctionCall extends Pick<AwsRequest, 'refusedEntries' | 'staleBy'> {
  /** Label of the function. */
  readonly by: string;
}

/**
 * Carries a request out.
 * @param call by which a function asks; absent if the caller is outside of the account
 * @throws {Refused} AWS's error @throws {NotModelled} if the model doesn't know AWS's answer
 */
export type Operation = (input: Input, call?: FunctionCall) => object | Promise<object>;

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
export function paginate<T>(all: readonly T[], token: unknown, limit: number): { page: readonly T[]; next?: string } {
  const from = token === undefined ? 0 : Number(token);
  const end = from + limit;
  return { page: all.slice(from, end), ...(end < all.length && { next: String(end) }) };
}

/** Seconds since 1970, as JSON protocols write times. */
export const toSeconds = (milliseconds: number): number => milliseconds / 1000;
