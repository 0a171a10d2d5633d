/**
 * Declarations of routes: data that functions, stacks, documents and clients share. Nothing here reads an environment or
 * calls AWS.
 */

export { CallerId } from './http/caller-id.js';
export { described } from './http/described.js';
export { PROBLEMS, type ProblemCode, type ProblemKind } from './http/errors.js';
export { AsItWas, HistoryEntryView, HistoryQuery } from './http/history-queries.js';
export { Paging, pageOf } from './http/queries.js';
export type {
  Answer,
  AnswerOf,
  Method,
  RouteAddress,
  RouteAnswer,
  RouteAnswers,
  RouteDeclaration,
  Shown,
} from './http/route.js';
export { IssuedKey, OpenedSession, SessionView } from './idempotent-receiver/answers.js';
