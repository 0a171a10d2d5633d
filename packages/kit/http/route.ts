import type * as z from 'zod/mini';
import type { DeepReadonly } from '../aws/deep-readonly.js';
import type { ProblemCode } from './errors.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Address of a route. */
export interface RouteAddress {
  readonly method: Method;
  /** Path with parameters, such as `/tickets/{ticketId}`. */
  readonly path: string;
}

/** One answer of a route, without its status. */
export interface RouteAnswer {
  /** Contents of the answer. */
  readonly description: string;
  /** Schema of the body. @default no body */
  readonly body?: z.ZodMiniType;
  /** Media type besides JSON, whose body is text. @default JSON only */
  readonly text?: string;
  /** Headers of this answer, with their descriptions. @default none besides those of every answer */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Deprecation of a route. It works as before until its sunset. */
export interface Deprecated {
  /** Time from which on the route is deprecated, ISO 8601, UTC. It may be in the future. */
  readonly since: string;
  /** Time after which the route may be gone, ISO 8601, UTC: not before `since`. @default no time is set */
  readonly sunset?: string;
}

/** Answers of a route by their status. */
export type RouteAnswers = Readonly<Record<number, Partial<RouteAnswer>>>;

/**
 * Declaration of a route. The function takes roles, body and query from it, the compiler the type of each answer, the
 * stack method and path, and the API's documents all of it. It is data: a module of declarations has no side effects.
 *
 * Every route also has the headers and problems that each request can meet; only what is its own is declared.
 * @template Role the application's roles
 * @template Code codes of the problems that the application and the service declare
 * @example
 * export const openTicket = {
 *   method: 'POST',
 *   path: '/tickets',
 *   id: 'openTicket',
 *   summary: 'Open a ticket',
 *   roles: ['visitor'],
 *   body: OpenTicket,
 *   repeat: 'key',
 *   answers: { 201: { description: 'The ticket', body: TicketView } },
 * } as const satisfies RouteDeclaration<'agent' | 'visitor'>;
 */
export interface RouteDeclaration<Role extends string = string, Code extends string = never> extends RouteAddress {
  /** Name of the operation in the documents and in generated clients. It never changes. */
  readonly id: string;
  /** Effect of the route, as an imperative without a full stop. */
  readonly summary: string;
  /** Further facts that a client must know. Markdown. */
  readonly description?: string;
  /**
   * Whether callers need no token. Such a route answers everybody with the same document ({@link publicDocumentHandler}), with an
   * `ETag`, and 304 to `If-None-Match`.
   * @default false
   */
  readonly isPublic?: boolean;
  /** Roles that may call. @default all roles of the application */
  readonly roles?: readonly Role[];
  /** Schema of the body. @default no body is read */
  readonly body?: z.ZodMiniType;
  /** Media types of the body besides `application/json`. */
  readonly bodyTypes?: readonly string[];
  /** Schema of the query's values, which are text. @default no parameter is accepted */
  readonly query?: z.ZodMiniType;
  /**
   * How a repeat is recognised: by `Idempotency-Key`, or by that or a number in a session.
   * @default the route is repeatable by nature
   */
  readonly repeat?: 'key' | 'key or number';
  /** Whether a new key may be `auto`, the hash of the body. @default false */
  readonly autoKey?: boolean;
  /** Whether the route compares `If-Match` with the resource's version. @default false */
  readonly ifMatch?: boolean;
  /**
   * Since when the route is deprecated. Each answer of its function says so: `Deprecation` (RFC 9745) and `Sunset` (RFC 8594).
   * @default it is not
   */
  readonly deprecated?: Deprecated;
  /**
   * Whether its answers have an `ETag`, and are 304 to `If-None-Match`. The body of 200 must have the member `version`.
   * @default false
   */
  readonly conditional?: boolean;
  /**
   * Whether the route waits while its resource is pending, if the request has `Prefer: wait=20`. Its function has the time and the rights
   * for it, and calls `waitWhilePending`.
   * @default false
   */
  readonly waits?: boolean;
  /** Answers to accepted requests by status. */
  readonly answers: Readonly<Record<number, RouteAnswer>>;
  /** Codes of the problems that only some routes have. */
  readonly problems?: readonly (ProblemCode | Code)[];
}

type BodyOf<Answer> =
  | (Answer extends { readonly body: infer Schema extends z.ZodMiniType } ? DeepReadonly<z.infer<Schema>> : never)
  | (Answer extends { readonly text: string } ? string : never)
  | (Answer extends { readonly body: z.ZodMiniType } ? never : undefined);

/** Result of a handler. */
export interface Answer<Body = unknown, Status extends number = number> {
  readonly status: Status;
  readonly body: Body;
  /** Media type of a body that is text and is sent unchanged. @default the body is sent as JSON */
  readonly mediaType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer of a route with one of the statuses that its declaration names, and the body of this status. */
export type AnswerOf<Answers extends RouteAnswers, Status extends keyof Answers & number> = Answer<
  number extends keyof Answers ? unknown : BodyOf<Answers[Status]>,
  Status
>;
