import type { Call, CallFilter, EntryMatch, Fault } from './faults.js';

interface Options {
  /** @default 1 */
  readonly times?: number;
  /** Only calls whose request holds this text (an order's id, say): others of the same function pass. */
  readonly including?: string;
}

/**
 * Requests of tests to the proxy between functions and endpoint, over HTTP (tests run in other processes than the proxy).
 * `functionName` is the function's physical name. Faults stay armed until they are used up or `reset` is called.
 */
export class ProxyControl {
  constructor(private readonly url: string) {}

  /** Kills the function's process with SIGKILL when the answer of a successful DynamoDB write passes. */
  crashAfterWrite(functionName: string, options: Options = {}): Promise<void> {
    return this.arm({ kind: 'crash-after-write', functionName, times: 1, ...options });
  }

  /** Kills the function's process before a DynamoDB write reaches the endpoint. */
  crashBeforeWrite(functionName: string, options: Options = {}): Promise<void> {
    return this.arm({ kind: 'crash-before-write', functionName, times: 1, ...options });
  }

  /** Carries the operation out and drops the connection instead of answering; the SDK will retry. */
  loseAnswer(functionName: string, operation: string, options: Options = {}): Promise<void> {
    return this.arm({ kind: 'lose-answer', functionName, operation, times: 1, ...options });
  }

  /** Answers a throttle without carrying the operation out. The SDK itself tries three times: `times: 3` is one failure. */
  throttle(functionName: string, operation: string, options: Options = {}): Promise<void> {
    return this.arm({ kind: 'throttle', functionName, operation, times: 1, ...options });
  }

  /** Refuses `times` matching entries of PutEvents with this code; the other entries of the call pass. */
  failEntries({
    match,
    times = 1,
    errorCode = 'InternalFailure',
  }: {
    match: EntryMatch;
    times?: number;
    errorCode?: string;
  }): Promise<void> {
    return this.arm({ kind: 'fail-entries', match, times, errorCode });
  }

  /** Calls of functions, in the order of arrival. */
  async calls(filter: CallFilter = {}): Promise<readonly Call[]> {
    return (await this.post('calls', filter)) as Call[];
  }

  /** Number of writes that functions have attempted so far: a sweep that finds nothing makes none. */
  async writes(): Promise<number> {
    return (await this.post('writes', {})) as number;
  }

  /** The faults that nothing has met yet. */
  async unmet(): Promise<readonly Fault[]> {
    return (await this.post('unmet', {})) as Fault[];
  }

  /** Disarms every fault and empties the journal. */
  async reset(): Promise<void> {
    await this.post('reset', {});
  }

  private async arm(fault: Fault): Promise<void> {
    await this.post('faults', fault);
  }

  private async post(what: string, body: object): Promise<unknown> {
    const response = await fetch(`${this.url}/_control/${what}`, { method: 'POST', body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`the proxy answered ${response.status}: ${await response.text()}`);
    return response.json();
  }
}
