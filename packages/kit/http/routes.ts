/**
 * Declarations of routes: data that functions, stacks, documents and clients share. Nothing here reads an environment or
 * calls AWS.
 */
export { AsItWas, HistoryEntryView, HistoryQuery } from '../event-store/queries.js';
export { IssuedKey, OpenedSession, SessionView } from '../idempotent-receiver/answers.js';
export { CallerId } from './caller-id.js';
export { described } from './described.js';
export { PROBLEMS, type ProblemCode, type ProblemKind } from './errors.js';
export { Paging, pageOf } from './queries.js';
export type {
  Answer,
  AnswerOf,
  Method,
  RouteAddress,
  RouteAnswer,
  RouteAnswers,
  RouteDeclaration,
  Shown,
} from './route.js';
