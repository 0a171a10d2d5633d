import type { ApiRequest } from '../services/apigateway/messages.js';

/** A request that was recorded, and its name for people. */
export interface RecordedRequest extends ApiRequest {
  readonly name: string;
  /** Name by which later requests refer to its answer. */
  readonly as?: string;
}

/**
 * Something that begins work in an app without an API, or that a person sets up beside its templates. Names are labels (paths of constructs below
 * their stacks), but those of secrets and parameters are as AWS has them.
 */
export type Step =
  | {
      readonly send: string;
      readonly body: unknown;
      readonly attributes?: Readonly<Record<string, string>>;
      /** Message group: a FIFO queue needs it. */
      readonly group?: string;
      readonly deduplicationId?: string;
    }
  | {
      readonly publish: string;
      readonly message: unknown;
      /** Message group: a FIFO topic needs it. */
      readonly group?: string;
      readonly deduplicationId?: string;
    }
  | { readonly event: string; readonly source: string; readonly detailType: string; readonly detail: unknown }
  | { readonly invoke: string; readonly payload: unknown }
  | { readonly execute: string; readonly input: unknown }
  | { readonly put: string; readonly item: Readonly<Record<string, unknown>> }
  | { readonly secret: string; readonly value: unknown }
  | { readonly parameter: string; readonly value: unknown }
  /** Milliseconds, or until everything has come to rest. */
  | { readonly wait: number | 'rest' };

/** A step and its name for people. */
export interface NamedStep {
  readonly name: string;
  /** @see RecordedRequest.as */
  readonly as?: string;
  readonly step: Step;
}

/** Begin of an app's work: a request to its API, or a step. */
export type Stimulus = RecordedRequest | NamedStep;

/** A file of requests that can't be read: what is wrong, where, and what would be right. */
export class RequestsUnreadable extends Error {
  override readonly name = 'RequestsUnreadable';
}

/** Headers that a connection has, and no recorded request. */
const OF_CONNECTION = /^(host|content-length|connection|accept-encoding|:.*)$/i;

/** The host of an address: of a whole one, or as a variable of the file's tool. The name of an answer stands for what it has. */
const HOST = /^(?:https?:\/\/)?(?:\{\{(?!\s*[\w-]+\.response\.)[^}]+\}\}|[^/?{])*/;
const MILLISECONDS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Returns the path below an API's stage. @param target a path, or a whole address */
export function belowStage(target: string, stage: string | undefined): string {
  const path = target.replace(HOST, '').replace(/^(?=\?|$)/, '/');
  const isBelow = stage !== undefined && (path === `/${stage}` || path.startsWith(`/${stage}/`));
  return isBelow ? path.slice(stage.length + 1) || '/' : path;
}

export function toRequest(
  method: string,
  target: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): RecordedRequest {
  const path = belowStage(target, undefined);
  const sent = Object.fromEntries(Object.entries(headers).filter(([name]) => name !== '' && !OF_CONNECTION.test(name)));
  return { name: `${method} ${path}`, method, path, headers: sent, ...(body !== '' && { body }) };
}

/** Reads a wait: `10m`, or `rest`. @param where what says so, for an error @throws {RequestsUnreadable} */
export function toWait(text: string, where: string): NamedStep {
  const [, amount, unit = ''] = /^(\d+)\s*([smhd])$/.exec(text) ?? [];
  if (amount === undefined && text !== 'rest')
    throw new RequestsUnreadable(
      `${where} waits for "${text}"; expected 90s, 10m, 2h, 1d, or rest: until nothing is under way`,
    );
  const wait = amount === undefined ? 'rest' : Number(amount) * MILLISECONDS[unit as keyof typeof MILLISECONDS];
  return { name: `wait ${text}`, step: { wait } };
}
