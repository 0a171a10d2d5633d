import type { JsonObject } from '../../assembly/intrinsics.js';
import type { FaultKind, FaultPlan } from '../../engine/faults.js';
import type { AwsError, AwsRequest } from '../../wire/request.js';
import { throttle } from '../../wire/throttle.js';
import { readRequest } from '../../wire/wire.js';
import { fillTemplate, type GatewayResponseType } from './gateway-responses.js';
import type { ApiResponse } from './messages.js';
import {
  parseVelocity,
  runTemplates,
  type Template,
  type TemplateInput,
  type TemplateSurroundings,
} from './velocity.js';

/** Carries a request to a service out, with the rights of a role. @param caller label of the API */
export type GatewayCall = (
  request: Pick<AwsRequest, 'service' | 'operation' | 'input'>,
  caller: { readonly label: string; readonly role: string },
) =>
  | { readonly output: object }
  | { readonly error: AwsError }
  | ((then: (answer: { readonly output: object } | { readonly error: AwsError }) => void) => void);

/** Parts of an account that an integration with a service needs. */
export interface ServiceSurroundings extends TemplateSurroundings {
  readonly faults: FaultPlan;
  readonly call: GatewayCall;
}

/** An integration with an operation of a service of AWS. */
export interface ServiceIntegration {
  /** @param point name of the call in the history @param done gets the answer, or the gateway's own */
  run(
    input: TemplateInput,
    point: string,
    around: ServiceSurroundings,
    done: (answer: ApiResponse | GatewayResponseType) => void,
  ): void;
}

/**
 * Faults of one call: it is refused before it takes effect, or it takes effect and its answer is lost. The gateway doesn't call again: a
 * client that repeats its request does.
 */
const CALL_FAULTS: readonly FaultKind[] = ['refused', 'answer-lost'];
const JSON_TYPE = 'application/json';
const URI = /^arn:[\w-]+:apigateway:([\w-]+):(sqs|sns|events|states|dynamodb):(action|path)\/(.*)$/;
const HEADER = 'method.response.header.';

/**
 * Creates an integration with a service: SQS, SNS, EventBridge, Step Functions or DynamoDB. Amazon API Gateway, "Set up an integration request",
 * "Set up an integration response", "Method request behavior for payloads without mapping templates".
 * @throws {Error} if it has more than the model knows
 */
export function buildServiceIntegration(
  label: string,
  { Integration, MethodResponses }: JsonObject,
): ServiceIntegration {
  const { Uri, Credentials, RequestParameters } = Integration as JsonObject;
  const [, region = '', name = '', kind = '', rest = ''] = URI.exec(String(Uri)) ?? [];
  const service = name as AwsRequest['service'];
  if (name === '') throw new Error(`${label}: integration with ${String(Uri)}`);
  if (typeof Credentials !== 'string' || !Credentials.includes(':role/'))
    throw new Error(`${label}: an integration without a role may call nothing`);
  const readBody = readMappedRequest(label, Integration as JsonObject);
  const parameters = Object.entries((RequestParameters ?? {}) as Readonly<Record<string, string>>).map(
    ([to, from]) => [readTarget(label, to), readSource(label, from)] as const,
  );
  const respond = readResponses(label, Integration as JsonObject, MethodResponses);
  const toRequest = (
    input: TemplateInput,
  ): Pick<AwsRequest, 'service' | 'operation' | 'input'> | GatewayResponseType => {
    const body = readBody(input);
    if (body === undefined) return 'UNSUPPORTED_MEDIA_TYPE';
    if (kind === 'action') return { service, operation: rest, input: JSON.parse(body || '{}') as AwsRequest['input'] };
    const headers: Record<string, string> = {};
    const query = new URLSearchParams();
    for (const [target, read] of parameters) {
      const value = read(input);
      if (value === undefined) continue;
      if (target.place === 'header') headers[target.name.toLowerCase()] = value;
      else query.set(target.name, value);
    }
    // Without a form, parameters of the address are the request.
    const isForm = /x-www-form-urlencoded/.test(headers['content-type'] ?? '');
    return readServiceRequest({ region, service, rest, headers, query, body: isForm || query.size === 0 ? body : '' });
  };
  return {
    run(input, point, around, done) {
      const { world, faults, call } = around;
      const request = runTemplates(around, point, () => toRequest(input));
      if (typeof request === 'string') return void world.after(1, () => done(request));
      const fault = faults.faultAt({ id: point, kinds: CALL_FAULTS });
      const { operation } = request;
      world.note(`${point} ${service}.${operation}${fault ? ` FAULT ${fault}` : ''}`);
      const answered = (answer: { readonly output: object } | { readonly error: AwsError }): void => {
        if (fault === 'answer-lost') return void done('INTEGRATION_TIMEOUT');
        const { status, body } = toAnswer(service, operation, answer);
        done(runTemplates(around, `the answer of ${point}`, () => respond({ matched: String(status), body }, input)));
      };
      world.after(
        world.latency((random) => random.between(1, 20)),
        () => {
          if (fault === 'refused') return answered({ error: throttle(request) });
          const answer = call(request, { label: point.replace(/ call \d+$/, ''), role: Credentials });
          if (typeof answer === 'function') answer(answered);
          else answered(answer);
        },
      );
    },
  };
}

/** Reads a request as its service does. SQS answers the Query protocol with one message only here. */
function readServiceRequest(http: {
  readonly region: string;
  readonly service: AwsRequest['service'];
  readonly rest: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: string;
}): Pick<AwsRequest, 'service' | 'operation' | 'input'> {
  const { region, service, rest, query, body } = http;
  const headers =
    query.size > 0 || body.startsWith('Action=')
      ? { ...http.headers, 'content-type': 'application/x-www-form-urlencoded' }
      : http.headers;
  const text = [body, query.toString()].filter(Boolean).join('&');
  const request = readRequest({
    method: 'POST',
    host: `${service}.${region}.amazonaws.com`,
    path: '/',
    headers,
    body: text,
  });
  if (!request || request.operation === '') throw new Error(`the request names no operation of ${service}`);
  const { operation, input } = request;
  if (service !== 'sqs' || request.protocol !== 'query') return { service, operation, input };
  if (operation !== 'SendMessage') throw new Error(`${operation} of SQS in the Query protocol`);
  const { MessageAttribute, DelaySeconds, ...others } = input;
  const attributes = ((MessageAttribute ?? []) as readonly { Name: string; Value: object }[]).map(({ Name, Value }) => [
    Name,
    Value,
  ]);
  return {
    service,
    operation,
    input: {
      QueueUrl: `https://sqs.${region}.amazonaws.com/${rest.replace(/^\//, '')}`,
      ...others,
      ...(attributes.length > 0 && { MessageAttributes: Object.fromEntries(attributes) }),
      ...(DelaySeconds !== undefined && { DelaySeconds: Number(DelaySeconds) }),
    },
  };
}

/** A service's answer for the gateway: status, and body in JSON. */
function toAnswer(
  service: string,
  operation: string,
  answer: { readonly output: object } | { readonly error: AwsError },
): { readonly status: number; readonly body: string } {
  if ('error' in answer) {
    const { status, code, message } = answer.error;
    const name = code.replace(/^.*#/, '');
    const isQuery = service === 'sns' || service === 'sqs';
    const body = isQuery ? { Error: { Code: name, Message: message, Type: 'Sender' } } : { __type: code, message };
    return { status, body: JSON.stringify(body) };
  }
  // Services of the Query protocol wrap what they answer.
  const wrapped = { [`${operation}Response`]: { [`${operation}Result`]: answer.output, ResponseMetadata: {} } };
  return { status: 200, body: JSON.stringify(service === 'sns' || service === 'sqs' ? wrapped : answer.output) };
}

const findHeader = ({ header }: TemplateInput, name: string): string | undefined =>
  Object.entries(header).find(([own]) => own.toLowerCase() === name)?.[1];

function parseTemplates(label: string, templates: unknown): ReadonlyMap<string, Template> {
  const all = Object.entries((templates ?? {}) as Readonly<Record<string, string>>);
  return new Map(all.map(([type, text]) => [type, parseVelocity(label, text)]));
}

/**
 * Reads how the body of a request becomes that of the integration. Amazon API Gateway, "Method request behavior for payloads without mapping
 * templates".
 * @returns a function that returns nothing for a body of a type that isn't supported
 */
export function readMappedRequest(
  label: string,
  { RequestTemplates, PassthroughBehavior }: JsonObject,
): (input: TemplateInput) => string | undefined {
  const templates = parseTemplates(label, RequestTemplates);
  const passes = PassthroughBehavior === 'WHEN_NO_TEMPLATES' ? templates.size === 0 : PassthroughBehavior !== 'NEVER';
  return (input) => {
    const type = (findHeader(input, 'content-type') ?? JSON_TYPE).split(';')[0]?.trim() ?? '';
    const template = templates.get(type);
    if (template) return template(input);
    return passes ? input.body : undefined;
  };
}

function readTarget(label: string, text: string) {
  const [, place = '', name = ''] = /^integration\.request\.(header|querystring)\.(.+)$/.exec(text) ?? [];
  if (place === '') throw new Error(`${label}: the parameter ${text} isn't modelled`);
  return { place, name };
}

/** Reads where a parameter comes from: a text in quotes, the body, or a parameter of the request or its context. */
export function readSource(label: string, text: string): (input: TemplateInput) => string | undefined {
  const literal = /^'(.*)'$/s.exec(text)?.[1];
  if (literal !== undefined) return () => literal;
  if (text === 'method.request.body') return ({ body }) => body;
  if (text.startsWith('context.')) return ({ context }) => fillTemplate(text, context);
  const [, place = '', name = ''] = /^method\.request\.(header|querystring|path)\.(.+)$/.exec(text) ?? [];
  if (place === 'header') return (input) => findHeader(input, name.toLowerCase());
  if (place === 'querystring') return ({ querystring }) => querystring[name];
  if (place === 'path') return ({ path }) => path[name];
  throw new Error(`${label}: the source ${text} isn't modelled`);
}

/**
 * Reads the answers of an integration: the first one whose pattern fits, or else the one without a pattern. A pattern is compared with the status of
 * a service, or the message of a function's error.
 */
export function readResponses(label: string, { IntegrationResponses }: JsonObject, MethodResponses: unknown) {
  const declared = ((MethodResponses ?? []) as readonly JsonObject[]).map(({ StatusCode }) => Number(StatusCode));
  const responses = ((IntegrationResponses ?? []) as readonly JsonObject[]).map((one) => {
    const { SelectionPattern, ResponseTemplates, ResponseParameters } = one;
    const status = Number(one.StatusCode);
    if (!declared.includes(status)) throw new Error(`${label}: no method response of ${status}`);
    const headers = Object.entries((ResponseParameters ?? {}) as Readonly<Record<string, string>>).map(([to, from]) => {
      if (!to.startsWith(HEADER) || !/^('|context\.)/.test(from))
        throw new Error(`${label}: the parameter ${to} from ${from} isn't modelled`);
      return [to.slice(HEADER.length).toLowerCase(), readSource(label, from)] as const;
    });
    const pattern =
      SelectionPattern === undefined || SelectionPattern === ''
        ? undefined
        : new RegExp(`^(?:${String(SelectionPattern)})$`);
    return { status, pattern, headers, template: parseTemplates(label, ResponseTemplates).get(JSON_TYPE) };
  });
  return (
    { matched, body }: { readonly matched?: string; readonly body: string },
    input: TemplateInput,
  ): ApiResponse | GatewayResponseType => {
    const found =
      responses.find(({ pattern }) => matched !== undefined && pattern?.test(matched)) ??
      responses.find(({ pattern }) => !pattern);
    if (!found) return 'API_CONFIGURATION_ERROR';
    const headers = found.headers.map(([name, read]) => [name, read(input) ?? '']);
    return {
      status: found.status,
      headers: { 'content-type': JSON_TYPE, ...Object.fromEntries(headers) },
      body: found.template ? found.template({ ...input, body }) : body,
    };
  };
}
