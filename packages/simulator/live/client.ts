import type { LiveStatus } from './control.js';
import type { FaultOwner, OwnerType } from './fault-owners.js';
import { CONTROL } from './path.js';

/** A command that a local cloud refused, or an address where none answers. */
export class LocalCloudRefused extends Error {
  override readonly name = 'LocalCloudRefused';
}

/** Milliseconds of a unit: of real time, not of a calendar. */
const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads a duration such as `90s`, `15m`, `36d` or `1d12h`. @returns milliseconds. @throws {LocalCloudRefused} */
export function parseDuration(text: string): number {
  const parts = [...text.matchAll(/(\d+)([smhd])/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text)
    throw new LocalCloudRefused(`'${text}' is no duration: 90s, 15m, 2h, 36d or 1d12h was expected`);
  return parts.reduce((sum, [, number = '', unit = '']) => sum + Number(number) * (UNITS[unit] ?? 0), 0);
}

/** Commands to a local cloud that runs in another process. */
export class LocalCloudClient {
  /** @param url its address, `http://127.0.0.1:4566` */
  constructor(private readonly url: string) {}

  status(): Promise<LiveStatus> {
    return this.ask('GET', '') as Promise<LiveStatus>;
  }

  /** Lets time pass at once. @param milliseconds from now on. @returns its status, and what it took in real milliseconds */
  forward(milliseconds: number): Promise<LiveStatus & { readonly took: number }> {
    return this.ask('POST', '/forward', { milliseconds }) as Promise<LiveStatus & { readonly took: number }>;
  }

  /**
   * Asks for faults.
   * @param owner path of the construct of a function, queue or rule; `*` is any
   * @param order `next`: how many faults (1); `every`: one at each so-manieth chance (1)
   */
  injectFault(owner: string, kind: string, order: { next?: number; every?: number } = {}): Promise<LiveStatus> {
    return this.ask('POST', '/fault', { owner, kind, ...order }) as Promise<LiveStatus>;
  }

  /** Lists the constructs to which faults can happen, and the kinds for each type of construct. */
  owners(): Promise<{
    readonly owners: readonly FaultOwner[];
    readonly kinds: Readonly<Record<OwnerType, readonly string[]>>;
  }> {
    return this.ask('GET', '/owners') as ReturnType<LocalCloudClient['owners']>;
  }

  /** Withdraws the faults that are still to be made. */
  clearFaults(): Promise<LiveStatus> {
    return this.ask('POST', '/calm') as Promise<LiveStatus>;
  }

  /** Delivers an event or a command again. @returns its type */
  async redeliver(id: string): Promise<string> {
    return ((await this.ask('POST', '/duplicate', { id })) as { type: string }).type;
  }

  /** Empties every table, queue and bucket. */
  reset(): Promise<LiveStatus> {
    return this.ask('POST', '/reset') as Promise<LiveStatus>;
  }

  /** @throws {LocalCloudRefused} */
  private async ask(method: string, path: string, input?: object): Promise<object> {
    const response = await fetch(`${this.url}${CONTROL}${path}`, {
      method,
      ...(input && { body: JSON.stringify(input), headers: { 'content-type': 'application/json' } }),
    }).catch((cause: unknown) => {
      throw new LocalCloudRefused(`no local cloud answers at ${this.url}`, { cause });
    });
    const answer = (await response.json().catch(() => ({}))) as { message?: string };
    if (response.ok) return answer;
    throw new LocalCloudRefused(answer.message ?? `${this.url} is no local cloud: it answered ${response.status}`);
  }
}
