import type { Operations } from './schemas.js';

/** Name of an operation in the API's document: `placeOrder`. */
export type OperationId = keyof Operations;

/** Codes of the problems that an operation may be refused with. */
export type CodeOf<Id extends OperationId> = Operations[Id]['problems'];

/** Operations that answer with a page of a list. */
export type ListId = {
  [Id in OperationId]: Operations[Id]['answer'] extends { readonly nextCursor?: string } ? Id : never;
}[OperationId];

/** Item of a list. */
export type ItemOf<Id extends ListId> = Operations[Id]['answer'] extends
  | { readonly items: readonly (infer Item)[] }
  | { readonly entries: readonly (infer Item)[] }
  ? Item
  : never;

/** Fields that any request may have. */
interface Common {
  /** Correlation id of your own, 1 to 64 of `A-Z a-z 0-9 _ . -`. @default a new one, by the API */
  readonly correlationId?: string;
  /** Signal that ends the request and the wait before a repeat. The promise is rejected with its reason. */
  readonly signal?: AbortSignal;
}

/** Number of a request in a session, in the place of a key. */
export interface SessionNumber {
  /** `sessionId` of the session. */
  readonly id: string;
  /** From 1; the same for each repeat. */
  readonly number: number;
  /** Highest number up to which all answers are known. @default the number before this one */
  readonly answeredUpTo?: number;
}

interface Keyed {
  /**
   * Key of this request, 1 to 255 visible ASCII characters. Give one of your own if the request has to be repeated after a
   * restart of your program.
   * @default a new random one, for this call and its repeats
   */
  readonly key?: string;
}

type Repeatable<Repeat> = Repeat extends 'key'
  ? Keyed
  : Repeat extends 'key or number'
    ? Keyed | { readonly key?: never; readonly session: SessionNumber }
    : unknown;

/** Request of an operation: parameters of its path by their names, `query`, `body`, and the fields that any request may have. */
export type RequestOf<Id extends OperationId> = Operations[Id]['path'] &
  Operations[Id]['takes'] &
  Repeatable<Operations[Id]['repeat']> &
  Common;

/** Body of an answer; text, if the request accepts only text. */
export type AnswerOf<Id extends OperationId> =
  | Operations[Id]['answer']
  | ('accept' extends keyof Operations[Id]['takes'] ? string : never);
