import type { HttpRequest, HttpResponse } from '../runtime/http.js';

/** Model of a service that functions call over HTTPS: outside of AWS, or one of AWS's that the simulator has no model of. */
export interface ThirdParty {
  /** Carries a request out, at once and whole. @returns the answer, or `undefined` if the connection breaks before it */
  answer(request: HttpRequest): HttpResponse | undefined;
  /** Returns the answer to a request that is refused without any effect, since there are too many. */
  refuse(): HttpResponse;
  /** Faults of the provider itself, which happen beside those of the search. @default none. @see makeFaulty */
  readonly faults?: readonly ProviderFault[];
}

/**
 * Models of hosts by their names: `{ 'cards.example.com': cards }`. A function makes them again for each history, and for each `reset` of a local
 * cloud: models that remember something need one, since a history must not depend on those before it.
 */
export type OutsideHosts = Readonly<Record<string, ThirdParty>> | (() => Readonly<Record<string, ThirdParty>>);

/**
 * Fault of a provider outside of AWS.
 * - `slow`: the request takes effect, and its answer comes late.
 * - `refused`: nobody accepts the connection (ECONNREFUSED), without an effect.
 * - `answer-lost`: the request takes effect, and the connection breaks before the answer (ECONNRESET).
 * - `server-error`: a 5xx without an effect; `server-error-after`: a 5xx after the effect.
 * - `too-many`: what the model answers to too many requests, without an effect.
 */
export type ProviderFaultKind = 'slow' | 'refused' | 'answer-lost' | 'server-error' | 'server-error-after' | 'too-many';

/** A fault of a provider, and the requests that it happens at. */
export interface ProviderFault {
  readonly kind: ProviderFaultKind;
  /** Method and beginning of the path of the requests that it is for: `POST /charges`. @default all requests */
  readonly requests?: string;
  /** Numbers of the requests that it happens at, from 1 on, among those that it is for. @default all of them */
  readonly nth?: readonly number[];
  /** Number of requests, from the first one on, that it happens at. @default all of them */
  readonly first?: number;
  /** Probability with which it happens at a request; the seed of the history decides. @default 1 */
  readonly probability?: number;
  /** Milliseconds by which `slow` delays the answer. @default 60,000 */
  readonly milliseconds?: number;
  /** Status of `server-error` and `server-error-after`. @default 503 */
  readonly status?: number;
}
