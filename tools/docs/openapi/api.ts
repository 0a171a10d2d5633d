import * as z from 'zod/mini';
import { APP } from '../../../lambdas/app.js';
import * as kit from '../../../packages/kit/routes.js';
import { PROBLEMS, type ProblemKind, type RouteDeclaration } from '../../../packages/kit/routes.js';
import { appRelease, modulesNamed, type ServiceModule } from '../sources.js';
import { type Answers, keptAnswers } from './story.js';

/** Everything that the API's documents are generated from. */
export interface Api {
  /** Name of the application, with which the type of each problem begins. */
  readonly app: string;
  /** Release of the application. */
  readonly release: string;
  /** By service, path and method. */
  readonly routes: readonly ApiRoute[];
  /** Kinds of problems by their codes: the kit's, the application's and the services'. */
  readonly problems: ReadonlyMap<string, ProblemKind>;
  /** Schemas that modules export, by their names there. */
  readonly schemas: ReadonlyMap<string, z.ZodMiniType>;
  /** Answers that the examples show; `undefined` for a document without examples. */
  readonly answers: Answers | undefined;
}

/** A route, and the service that declares it. */
export interface ApiRoute {
  readonly service: string;
  readonly route: RouteDeclaration<string, string>;
}

/** Reads the declarations of all routes, the schemas and problems that they name, and the answers of the examples. */
export async function orderlyApi(): Promise<Api> {
  const contracts = await modulesNamed('contract');
  const problems = await modulesNamed('problems');
  const routes = await modulesNamed('routes');
  return {
    app: APP.name,
    release: appRelease(),
    routes: routes.flatMap(({ service, exported }) =>
      Object.values(exported)
        .filter(isRoute)
        .toSorted((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1))
        .map((route) => ({ service, route })),
    ),
    problems: new Map(
      [PROBLEMS, ...problems.flatMap(({ exported }) => Object.values(exported))].flatMap((kinds) =>
        Object.entries(kinds as Readonly<Record<string, ProblemKind>>),
      ),
    ),
    schemas: nameSchemas([{ service: '', exported: kit }, ...contracts]),
    answers: keptAnswers(),
  };
}

const isRoute = (value: unknown): value is RouteDeclaration<string, string> =>
  typeof value === 'object' && value !== null && 'method' in value && 'answers' in value;

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const sortKey = ({ path, method }: RouteDeclaration<string, string>): string => `${path} ${METHODS.indexOf(method)}`;

/** Names the schemas as their modules do; of two with one name, the second has its service before it. */
function nameSchemas(modules: readonly Omit<ServiceModule, 'url'>[]): Api['schemas'] {
  const schemas = new Map<string, z.ZodMiniType>();
  for (const { service, exported } of modules) {
    for (const [name, value] of Object.entries(exported)) {
      if (!(value instanceof z.ZodMiniType)) continue;
      const isOther = schemas.has(name) && schemas.get(name) !== value;
      schemas.set(isOther ? capitalized(service) + name : name, value);
    }
  }
  return schemas;
}

const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
