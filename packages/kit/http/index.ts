/** HTTP API: checked requests, authenticated callers, and errors as problem details (RFC 9457). */
export type { Caller } from './caller.js';
export { CallerId } from './caller-id.js';
export {
  defineProblems,
  type Fault,
  Problem,
  type ProblemCode,
  type ProblemExtra,
  type ProblemKind,
} from './errors.js';
export { HistoryQuery, PointInTimeQuery } from './history-queries.js';
export { type EndpointOptions, endpoint, endpointFor, type Request, toKeyedRequest, toTrace } from './http.js';
export { parseIfMatch, refuseVersionMismatch } from './if-match.js';
export { negotiateMediaType } from './media-types.js';
export { decodeCursor, encodeCursor, parseLimit } from './paging.js';
export { loadAsOf, readHistoryPage } from './point-in-time.js';
export { publicDocumentHandler } from './public-document.js';
export { Paging } from './queries.js';
export { pointerFault, validate } from './request-parsing.js';
export type { Answer, AnswerOf, RouteAnswers, RouteDeclaration } from './route.js';
export { type Awaited, waitWhilePending } from './wait.js';
