import type { BundleFiles } from '../runtime/bundle.js';
import type { InvocationContext, InvocationEnding } from '../runtime/environment.js';
import type { HttpRequest, HttpResponse } from '../runtime/http.js';

/** Packages for the bundles of environments that start from now on and share packages. */
export interface PackagesForThread {
  readonly kind: 'packages';
  readonly source: string;
}

/** Messages from the account to an environment. */
export type ToEnvironment =
  | {
      readonly kind: 'start';
      readonly environment: number;
      /** Name of the function's bundle. */
      readonly name: string;
      /** Source of the bundle, unless the thread got the same for this name before. */
      readonly source?: string;
      /** Files beside it. */
      readonly files?: BundleFiles;
      /** Whether the bundle requires packages that it shares. */
      readonly shares: boolean;
      readonly variables: Readonly<Record<string, string>>;
      readonly handler: string;
      /** Seed of its random numbers. */
      readonly seed: string;
      /** Milliseconds since 1970. */
      readonly begun: number;
    }
  | {
      readonly kind: 'invoke';
      readonly environment: number;
      readonly event: unknown;
      readonly context: InvocationContext;
    }
  | { readonly kind: 'answer'; readonly environment: number; readonly call: number; readonly response: HttpResponse }
  | { readonly kind: 'fail'; readonly environment: number; readonly call: number; readonly code: string }
  | { readonly kind: 'fire'; readonly environment: number; readonly timer: number }
  | { readonly kind: 'kill'; readonly environment: number };

/** Messages from the account to a thread that runs functions. */
export type ToThread = PackagesForThread | ToEnvironment;

/** Messages from a thread to the account. */
export type FromThread =
  | { readonly kind: 'call'; readonly environment: number; readonly call: number; readonly request: HttpRequest }
  | { readonly kind: 'log'; readonly environment: number; readonly level: string; readonly line: string }
  | { readonly kind: 'timer'; readonly environment: number; readonly timer: number; readonly delay: number }
  | { readonly kind: 'clear'; readonly environment: number; readonly timer: number }
  | { readonly kind: 'ended'; readonly environment: number; readonly ending: InvocationEnding }
  | { readonly kind: 'died'; readonly environment: number; readonly reason: string };

/** All that a thread has to tell after one turn of its event loop. */
export interface TurnMessage {
  /** Number of the account's messages that the thread has worked off since it began. */
  readonly done: number;
  readonly messages: readonly FromThread[];
}

/** Data that a thread gets at its start. */
export interface ThreadData {
  /** Memory of the clock that all threads share. */
  readonly clock: SharedArrayBuffer;
  /** @see LiveOptions.codeCache */
  readonly codeCache?: string | undefined;
}

/** A clock that the account and its threads share: what to add to the machine's clock, in milliseconds. */
export class SharedClock {
  private readonly offset: Float64Array;

  constructor(readonly buffer: SharedArrayBuffer = new SharedArrayBuffer(8)) {
    this.offset = new Float64Array(buffer);
  }

  /** Milliseconds since 1970, whole. */
  get now(): number {
    return Math.floor(Date.now() + (this.offset[0] ?? 0));
  }

  /** Sets the time to a moment, from which it continues. @param moment milliseconds since 1970 */
  set(moment: number): void {
    this.offset[0] = moment - Date.now();
  }
}
