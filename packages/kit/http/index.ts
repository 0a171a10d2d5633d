/** HTTP API: checked requests, authenticated callers, and errors as problem details (RFC 9457). */
export type { Caller } from './auth.js';
export { CallerId } from './caller-id.js';
export {
  defineProblems,
  type Fault,
  Problem,
  type ProblemCode,
  type ProblemExtra,
  type ProblemKind,
} from './errors.js';
export { AsItWas, HistoryQuery } from './history-queries.js';
export { type EndpointOptions, endpoint, endpointFor, keyedBy, type Request, traceOf } from './http.js';
export { refuseOtherVersion, versionOf } from './if-match.js';
export { acceptedType } from './media-types.js';
export { cursorOf, limitOf, positionOf } from './paging.js';
export { historyPage, loadAsOf } from './point-in-time.js';
export { publicDocument } from './public-document.js';
export { Paging } from './queries.js';
export { checked, pointerFault } from './received.js';
export type { Answer, AnswerOf, RouteAnswers, RouteDeclaration } from './route.js';
