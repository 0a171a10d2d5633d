import type { Route } from '../../../packages/simulator/services/apigateway/routes.js';

/** Sender of a request; `none` sends no token. Any other text is the Authorization header. */
export type Sender = 'alice' | 'bob' | 'operator' | 'none' | { readonly authorization: string };

/**
 * One input. Placeholders in angle brackets are replaced by ids that exist only in the cloud: `<order>`, `<payment>`,
 * `<session>`, `<payment-session>`.
 */
export interface FuzzRequest {
  readonly method: string;
  /** Path below the stage, with its query. */
  readonly path: string;
  readonly as: Sender;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
}

/** Returns the name of a route, by which samples refer to it: `POST /orders`. */
export const nameOf = ({ method, resource }: Pick<Route, 'method' | 'resource'>): string => `${method} ${resource}`;
