import type { AwsError } from '../wire/request.js';

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
