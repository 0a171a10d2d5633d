import type { Route } from '../../../packages/simulator/aws/api-routes.js';

/** Who sends a request; `none` sends no token. Anything else stands in the Authorization header as it is. */
export type Sender = 'alice' | 'bob' | 'operator' | 'none' | { readonly authorization: string };

/**
 * One input. Texts in angle brackets stand for what exists in the cloud only: `<order>`, `<payment>`, `<session>`,
 * `<payment-session>`.
 */
export interface FuzzRequest {
  readonly method: string;
  /** Below the stage, with its query. */
  readonly path: string;
  readonly as: Sender;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
}

/** As the samples are named: `POST /orders`. */
export const nameOf = ({ method, resource }: Pick<Route, 'method' | 'resource'>): string => `${method} ${resource}`;
