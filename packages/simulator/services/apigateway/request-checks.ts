import type { Assembly, Resource } from '../../assembly/assembly.js';
import type { Json, JsonObject } from '../../assembly/intrinsics.js';
import type { GatewayResponseType } from './gateway-responses.js';
import { findSchemaErrors, findUnknownKeyword } from './json-schema.js';

/** Why a request is refused before its integration. */
export interface RequestFlaw {
  readonly type: Extract<GatewayResponseType, 'BAD_REQUEST_BODY' | 'BAD_REQUEST_PARAMETERS' | 'INVALID_API_KEY'>;
  /** Text of the answer, where the request decides over it. */
  readonly message?: string;
  /** `$context.error.validationErrorString`. */
  readonly details?: string;
}

/** The event that a function of the method would get. */
type RequestEvent = Readonly<Record<string, unknown>>;

/** Checks a request. @returns nothing if it passes */
export type RequestCheck = (event: RequestEvent) => RequestFlaw | undefined;

/**
 * Returns the checks of a method: its API key, and what its validator asks for. Amazon API Gateway, "Request validation for REST APIs in API
 * Gateway", "Usage plans and API keys for REST APIs in API Gateway".
 * @param stage name of the API's stage
 * @throws {Error} if a model has a keyword that isn't known
 */
export function buildRequestChecks({ properties }: Resource, assembly: Assembly, stage: string): RequestCheck {
  const checks: RequestCheck[] = [];
  if (properties.ApiKeyRequired === true)
    checks.push(checkKey(listKeys(String(properties.RestApiId), stage, assembly)));
  if (properties.RequestValidatorId !== undefined) {
    const validator = assembly.findByArn(properties.RequestValidatorId).properties;
    if (validator.ValidateRequestParameters === true) checks.push(checkParameters(properties));
    if (validator.ValidateRequestBody === true) checks.push(checkBody(properties, assembly));
  }
  return (event) => {
    for (const check of checks) {
      const flaw = check(event);
      if (flaw) return flaw;
    }
    return undefined;
  };
}

const headerOf = ({ headers }: RequestEvent, name: string): string | undefined =>
  Object.entries(headers as Readonly<Record<string, string>>).find(
    ([own]) => own.toLowerCase() === name.toLowerCase(),
  )?.[1];

/** Value of a key that the template doesn't set: AWS draws one. */
const keyValue = ({ ref, properties }: Resource): string => String(properties.Value ?? `${ref}-simulated-key`);

/** Returns the values of the keys that a usage plan admits to a stage. */
function listKeys(api: string, stage: string, assembly: Assembly): ReadonlySet<string> {
  const plans = assembly
    .findByType('AWS::ApiGateway::UsagePlan')
    .filter(({ properties }) =>
      ((properties.ApiStages ?? []) as readonly JsonObject[]).some((one) => one.ApiId === api && one.Stage === stage),
    );
  const members = assembly
    .findByType('AWS::ApiGateway::UsagePlanKey')
    .filter(({ properties }) => plans.some(({ ref }) => ref === properties.UsagePlanId));
  const keys = members.map(({ properties }) => assembly.findByArn(properties.KeyId));
  return new Set(keys.filter(({ properties }) => properties.Enabled !== false).map(keyValue));
}

const checkKey =
  (keys: ReadonlySet<string>): RequestCheck =>
  (event) =>
    keys.has(headerOf(event, 'x-api-key') ?? '') ? undefined : { type: 'INVALID_API_KEY' };

/** "Basic validation": a required parameter is there, and isn't empty. */
function checkParameters({ RequestParameters = {} }: JsonObject): RequestCheck {
  const required = Object.entries(RequestParameters as JsonObject).flatMap(([source, isRequired]) => {
    const [, place = '', name = ''] = /^method\.request\.(header|querystring|path)\.(.+)$/.exec(source) ?? [];
    return isRequired === true ? [{ place, name }] : [];
  });
  return (event) => {
    const read = (place: string, name: string): unknown => {
      if (place === 'header') return headerOf(event, name);
      const all = place === 'path' ? event.pathParameters : event.queryStringParameters;
      return ((all ?? {}) as Readonly<Record<string, string>>)[name];
    };
    const missing = required.filter(({ place, name }) => !read(place, name)).map(({ name }) => name);
    if (missing.length === 0) return undefined;
    return { type: 'BAD_REQUEST_PARAMETERS', message: `Missing required request parameters: [${missing.join(', ')}]` };
  };
}

/** The model of the request's media type, or of `$default`; a request of another type passes. */
function checkBody({ RequestModels = {} }: JsonObject, assembly: Assembly): RequestCheck {
  const models = new Map(
    Object.entries(RequestModels as Readonly<Record<string, string>>).map(([type, name]) => [
      type,
      readModel(name, assembly),
    ]),
  );
  return (event) => {
    const type = (headerOf(event, 'content-type') ?? 'application/json').split(';')[0]?.trim() ?? '';
    const schema = models.get(type) ?? models.get('$default');
    if (schema === undefined) return undefined;
    const value = parse(event.body);
    const find = (reference: string): Json | undefined => findSchema(reference, schema, assembly);
    const errors = value === undefined ? ['the body is no JSON'] : findSchemaErrors(value, schema, find);
    return errors.length === 0 ? undefined : { type: 'BAD_REQUEST_BODY', details: `[${errors.join(', ')}]` };
  };
}

/** Returns the schema of a model. `Empty` takes everything, and `Error` is for answers. */
function readModel(name: string, assembly: Assembly): Json {
  if (name === 'Empty' || name === 'Error') return {};
  const { label, properties } = assembly.findByArn(name);
  const { Schema = {} } = properties;
  const schema = typeof Schema === 'string' ? (JSON.parse(Schema) as Json) : Schema;
  const unknown = findUnknownKeyword(schema);
  if (unknown !== undefined) throw new Error(`the model ${label} has the keyword ${unknown}, which isn't modelled`);
  return schema;
}

/** `#/definitions/Line`, or the address of another model: `https://apigateway.amazonaws.com/restapis/<id>/models/<name>`. */
function findSchema(reference: string, schema: Json, assembly: Assembly): Json | undefined {
  const model = /\/models\/([^/]+)$/.exec(reference)?.[1];
  if (model !== undefined) return readModel(model, assembly);
  return reference
    .replace(/^#\/?/, '')
    .split('/')
    .filter(Boolean)
    .reduce<Json | undefined>((at, part) => (at as JsonObject | undefined)?.[part], schema);
}

function parse(body: unknown): Json | undefined {
  try {
    return JSON.parse(String(body ?? '')) as Json;
  } catch {
    return undefined;
  }
}
