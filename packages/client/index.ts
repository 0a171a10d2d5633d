/** Typed client of Orderly's API. */
export type { Answer } from './answers.js';
export { type ClientOptions, type OrderlyClient, orderlyClient } from './client.js';
export { type DecisionOptions, OrderPending } from './decided.js';
export { isProblemOf, NoAnswer, OrderlyProblem } from './errors.js';
export type { AnswerOf, CodeOf, ItemOf, ListId, OperationId, RequestOf, SessionNumber } from './requests.js';
export type * from './schemas.js';
