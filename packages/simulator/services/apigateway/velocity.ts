import { Compile, parse } from 'velocityjs';
import type { Json } from '../../assembly/intrinsics.js';
import type { EventLoop } from '../../engine/event-loop.js';
import { parsePath, readAt } from '../../wire/json-path.js';
import { NotModelled } from '../../wire/operation.js';
import type { Context } from './gateway-responses.js';

/** Parts of a request, or of an integration's answer, that a template can read. */
export interface TemplateInput {
  readonly body: string;
  readonly context: Context;
  readonly path: Readonly<Record<string, string>>;
  readonly querystring: Readonly<Record<string, string>>;
  readonly header: Readonly<Record<string, string>>;
  readonly stageVariables: Readonly<Record<string, string>>;
}

/** Fills a template. @throws {NotModelled} if it reads a path that the model doesn't know */
export type Template = (input: TemplateInput) => string;

/**
 * Reads a mapping template in the Velocity Template Language. Amazon API Gateway, "Variables for mapping templates": `$input`, `$context`,
 * `$stageVariables` and `$util`.
 * @throws {Error} if it is malformed
 */
export function parseVelocity(label: string, text: string): Template {
  const [foreign] = /\$!?\{?(method|authorizer|integration)\./.exec(text) ?? [];
  if (foreign !== undefined) throw new Error(`${label}: '${foreign}' in a template isn't modelled`);
  let tree: ReturnType<typeof parse>;
  try {
    tree = parse(text);
  } catch (error) {
    throw new Error(`${label}: the template is malformed: ${(error as Error).message}`);
  }
  return (input) => {
    try {
      return new Compile(tree, { escape: false }).render({ ...variablesOf(input), util: UTIL });
    } catch (error) {
      // velocityjs adds the place without a space.
      if (error instanceof Error) error.message = error.message.replace(PLACE, ', in $1');
      throw error;
    }
  };
}

const PLACE = /on (\$.*) at L\/N \d+:\d+$/;

/** Parts of an account that templates need. */
export interface TemplateSurroundings {
  readonly world: EventLoop;
  /** Takes what a template needs and no model has. @throws {NotModelled} in a history */
  readonly unmodelled: (error: NotModelled) => void;
}

/**
 * Runs templates.
 * @param what they make, for messages
 * @returns the gateway's own answer if they fail
 * @throws {NotModelled} in a history, if they read what has no model: it would be about something else than what is deployed
 */
export function runTemplates<T>(
  { world, unmodelled }: TemplateSurroundings,
  what: string,
  make: () => T,
): T | 'DEFAULT_5XX' {
  try {
    return make();
  } catch (cause) {
    const error = cause as Error;
    const message = `${what} can't be made: ${error.message}`;
    if (error instanceof NotModelled) unmodelled(new NotModelled(message, { cause }));
    world.note(message);
    return 'DEFAULT_5XX';
  }
}

function variablesOf({ body, context, path, querystring, header, stageVariables }: TemplateInput) {
  const at = (expression: string): Json | undefined => readAt(parsePath(expression), parseBody(body));
  const params = (name?: string): unknown =>
    name === undefined ? { path, querystring, header } : (path[name] ?? querystring[name] ?? header[name] ?? '');
  const input = {
    body,
    // A missing value is an empty text.
    json: (expression: string) => JSON.stringify(at(expression) ?? ''),
    path: (expression: string) => at(expression) ?? '',
    params,
  };
  return { input, context, stageVariables };
}

function parseBody(body: string): Json {
  try {
    return JSON.parse(body) as Json;
  } catch {
    return {};
  }
}

/** `$util`. "$util variables": `escapeJavaScript` leaves single quotes escaped, too. */
const UTIL = {
  escapeJavaScript: (text: unknown) =>
    JSON.stringify(String(text)).slice(1, -1).replaceAll("'", "\\'").replaceAll('/', '\\/'),
  parseJson: (text: string) => JSON.parse(text) as unknown,
  urlEncode: (text: unknown) => encodeURIComponent(String(text)).replaceAll('%20', '+'),
  urlDecode: (text: string) => decodeURIComponent(text.replaceAll('+', ' ')),
  base64Encode: (text: unknown) => Buffer.from(String(text)).toString('base64'),
  base64Decode: (text: string) => Buffer.from(text, 'base64').toString('utf8'),
};
