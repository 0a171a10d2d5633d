import type { Assembly, Resource } from '../assembly/assembly.js';
import { simulatedIssuer } from '../client/issuer.js';
import type { Cloud } from '../cloud/cloud.js';
import { isInvoked } from '../runtime/function-code.js';
import { parseFunctionArn } from '../services/apigateway/routes.js';

/** A first file of requests for an app, which a person completes. */
export interface Starter {
  /** `requests.http`, or `requests.json` for an app without an API. */
  readonly file: 'requests.http' | 'requests.json';
  readonly text: string;
  /** Names of the requests or steps that it has. */
  readonly names: readonly string[];
}

/** Order of methods: what creates comes before what reads, and what deletes comes last. */
const ORDER = ['POST', 'PUT', 'PATCH', 'ANY', 'GET', 'HEAD', 'DELETE'];

/** Makes a first file of requests from what an app has: a request for each route, or a step for each queue, topic and state machine. */
export function makeStarter(cloud: Cloud): Starter {
  const routes = cloud.apis
    .flatMap(({ routes }) => routes)
    // An integration without a backend, as for preflight requests or a 405, begins no work.
    .filter(({ method, backend }) => method !== 'OPTIONS' && !('mock' in backend))
    .sort((one, other) => ORDER.indexOf(one.method) - ORDER.indexOf(other.method));
  const created = new Set(routes.filter(({ method }) => method === 'POST').map(({ resource }) => resource));
  const requests = routes.map(({ method, resource, authorizer }) => ({
    name: `${method === 'ANY' ? 'POST' : method} ${toExample(resource, created)}`,
    as: method === 'POST' && routes.some((other) => other.resource.startsWith(`${resource}/{`)) && nameOf(resource),
    token: nameToken(cloud, authorizer),
  }));
  const names = requests.map(({ name }) => name);
  if (cloud.apis.length > 0) return { file: 'requests.http', text: renderRequests(requests), names };
  const steps = listSteps(cloud);
  return { file: 'requests.json', text: `${JSON.stringify({ steps }, null, 2)}\n`, names: steps.map(nameStep) };
}

/**
 * Puts values in the place of a path's parameters; what takes every path, as a function URL does, gets `/`. `/orders/{id}` has the `id` of the answer to `POST /orders`, or 1 where there is no such route.
 * @param created paths that have a `POST`
 */
const toExample = (path: string, created: ReadonlySet<string>): string =>
  (path === '$default' ? '/' : path).replaceAll(/\/\{([^}]+)\}/g, (_, parameter: string, at: number) => {
    const parent = path.slice(0, at);
    return created.has(parent) && !parameter.endsWith('+')
      ? `/{{${nameOf(parent)}.response.body.$.${parameter}}}`
      : '/1';
  });

/** Returns the name of the request that creates what is below a path. */
const nameOf = (path: string): string =>
  path
    .replaceAll(/\{[^}]+\}/g, '')
    .replaceAll(/\W+/g, '_')
    .replace(/^_|_$/g, '');

/** Returns the value of a header that an authorizer believes, as a placeholder; nothing where a person has to know it. */
function nameToken({ userPools, functions }: Cloud, authorizer: Resource | undefined): string | undefined {
  const { Type, AuthorizerType, AuthorizerUri, JwtConfiguration } = authorizer?.properties ?? {};
  if (Type === 'COGNITO_USER_POOLS') return '{{idToken:alice}}';
  if (AuthorizerUri !== undefined) {
    const variables = functions.get(parseFunctionArn(String(AuthorizerUri)))?.variables ?? {};
    return Object.values(variables).includes(simulatedIssuer.auth.issuer) ? 'Bearer {{token:alice}}' : undefined;
  }
  if (AuthorizerType !== 'JWT') return undefined;
  const { Issuer } = JwtConfiguration as { readonly Issuer?: string };
  return `Bearer ${userPools.pools.some(({ issuer }) => issuer === Issuer) ? '{{accessToken:alice}}' : '{{jwt:alice}}'}`;
}

function renderRequests(
  given: readonly { readonly name: string; readonly as: string | false; readonly token: string | undefined }[],
): string {
  const requests = given.map(({ name, as, token }) => {
    const hasBody = !/^(GET|HEAD|DELETE) /.test(name);
    const lines = [
      ...(as ? [`# @name ${as}`] : []),
      name,
      ...(token ? [`Authorization: ${token}`] : []),
      ...(hasBody ? ['Content-Type: application/json', '', '{}'] : []),
    ];
    return lines.join('\n');
  });
  return [
    '# orderly-simulate plays these requests one after the other. Put in the bodies and ids that your app expects,',
    '# and headers such as Authorization. A request may come more than once, with other values.',
    ...(given.some(({ as }) => as)
      ? ['# {{orders.response.body.$.id}} is the id in the answer to the request that is named orders.']
      : []),
    ...(given.some(({ token }) => token?.includes('{{token:'))
      ? ['# A token of the simulated issuer has the claims that you write behind its name: {{token:alice role=clerk}}.']
      : []),
    '',
    requests.join('\n\n###\n'),
    '',
  ].join('\n');
}

function listSteps({ queues, topics, functions, deployment: { assembly } }: Cloud): readonly object[] {
  const read = new Set(
    assembly.findByType('AWS::Lambda::EventSourceMapping').map(({ properties }) => String(properties.EventSourceArn)),
  );
  const begun = [...functions.values()].filter(({ resource }) => isBegunByPeople(resource, assembly));
  const steps = [
    ...begun.map(({ label }) => ({ invoke: label, payload: {} })),
    ...[...queues].filter(([arn]) => read.has(arn)).map(([, { label }]) => ({ send: label, body: {} })),
    ...assembly
      .findByType('AWS::SNS::Topic')
      .filter(({ arn }) => topics.reachesPrograms(arn))
      .map(({ label }) => ({ publish: label, message: {} })),
    ...assembly.findByType('AWS::StepFunctions::StateMachine').map(({ label }) => ({ execute: label, input: {} })),
  ];
  return steps.length > 0 ? steps : [...functions.values()].map(({ label }) => ({ invoke: label, payload: {} }));
}

/** Tells whether nothing in the templates invokes a function: neither a resource, nor a custom resource. */
const isBegunByPeople = (fn: Resource, assembly: Assembly): boolean =>
  !isInvoked(fn, assembly) && !assembly.resources.some(({ properties }) => properties.ServiceToken === fn.arn);

const nameStep = (step: object): string => Object.entries(step).slice(0, 1).flat().join(' ');
