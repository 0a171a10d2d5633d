/** HTTP API: checked requests, authenticated callers, and errors as problem details (RFC 9457). */
export { type Caller, CallerId } from './auth.js';
export {
  defineProblems,
  type Fault,
  Problem,
  type ProblemCode,
  type ProblemExtra,
  type ProblemKind,
} from './errors.js';
export { type Answer, type EndpointOptions, endpoint, endpointFor, keyedBy, type Request, traceOf } from './http.js';
export { refuseOtherVersion, versionOf } from './if-match.js';
export { acceptedType } from './media-types.js';
export { cursorOf, limitOf, Paging, positionOf } from './paging.js';
export { checked, pointerFault } from './received.js';
