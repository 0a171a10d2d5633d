/**
 * Declarations of routes: data that functions, stacks, documents and clients share. Nothing here reads an environment or
 * calls AWS.
 */

export type { DeepReadonly } from './aws/deep-readonly.js';
export { CallerId } from './http/caller-id.js';
export { PROBLEMS, type ProblemCode, type ProblemKind } from './http/errors.js';
export { HistoryEntryView, HistoryQuery, PointInTimeQuery } from './http/history-queries.js';
export { Paging, pageSchema } from './http/queries.js';
export type {
  Answer,
  AnswerOf,
  Deprecated,
  Method,
  RouteAddress,
  RouteAnswer,
  RouteAnswers,
  RouteDeclaration,
} from './http/route.js';
export { withDescription } from './http/with-description.js';
export { IssuedKey, OpenedSession, SessionView } from './idempotent-receiver/answers.js';
