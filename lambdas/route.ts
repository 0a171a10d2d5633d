import type { RouteDeclaration } from '@orderly/kit/routes';
import type { Role } from './app.js';
import type { AppProblem } from './problems.js';

/**
 * Declaration of a route of Orderly.
 * @template Problems the service's own kinds of problems
 * @example
 * export const placeOrder = {
 *   ...
 *   problems: ['too-late'],
 * } as const satisfies Route<typeof OrdersProblem>;
 */
export type Route<Problems = object> = RouteDeclaration<Role, (keyof typeof AppProblem | keyof Problems) & string>;
