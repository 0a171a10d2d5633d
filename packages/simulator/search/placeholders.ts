import { createHash } from 'node:crypto';
import { parseClaims, simulatedIssuer } from '../client/issuer.js';
import type { Cloud } from '../cloud/cloud.js';
import type { ApiResponse } from '../services/apigateway/messages.js';
import { parsePath, readAt } from '../wire/json-path.js';
import { NotModelled } from '../wire/operation.js';
import { belowStage, type RecordedRequest, RequestsUnreadable, type Stimulus } from './stimulus.js';
import { issueToken } from './tokens.js';

/** Final answers of the requests that have a name. */
export type Answers = ReadonlyMap<string, Pick<ApiResponse, 'status' | 'headers' | 'body'>>;

/** An answer that lacks what a later request needs of it. */
export class AnswerLacks extends Error {
  override readonly name = 'AnswerLacks';
}

/** Characters of an answer that an error shows. */
const SHOWN = 200;

/** A name in two braces. */
const PLACEHOLDER = /\{\{\s*([^{}]+?)\s*\}\}/g;
/** A token: `idToken:alice`, `token:alice role=clerk`. */
const TOKEN = /^(idToken|accessToken|clientToken|jwt|token)(?::(\S+))?((?:\s+[^\s=]+=\S+)*)$/;
/** A part of an earlier answer: `created.response.body.$.id`. */
const ANSWER = /^([\w-]+)\.response\.(?:body\.(\*|\$.*)|headers\.([\w-]+))$/;
/** The begin of one, which is no other text. */
const ANSWERED = /^[\w-]+\.response\./;
const UUID = /\{\{\s*\$guid\s*\}\}/g;

/** Returns the names of requests whose answers a text needs. */
export const answersOf = (text: string): readonly string[] =>
  [...text.matchAll(PLACEHOLDER)].flatMap(([, name = '']) => ANSWER.exec(name)?.[1] ?? []);

/** Puts UUIDs in the place of `{{$guid}}`. A request that is sent again has the same. @param text of a file @param of another part of it */
export function fillUuids(text: string, of = ''): string {
  let number = 0;
  return text.replace(UUID, () => {
    const hash = createHash('sha256').update(`uuid ${of} ${number++}`).digest('hex');
    return hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');
  });
}

/**
 * Puts values in the place of names in two braces: tokens, parts of earlier answers (the request variables of VS Code's REST Client), and the
 * time. Names that nothing defines stay in bodies, which may be templates.
 * @throws {RequestsUnreadable} {AnswerLacks}
 */
export function fillIn(cloud: Cloud, stimulus: Stimulus, answers: Answers): Stimulus {
  const fill = (text: string): string =>
    text.replace(PLACEHOLDER, (whole, name: string) => resolve(cloud, name, answers) ?? whole);
  if ('step' in stimulus) return { ...stimulus, step: mapTexts(stimulus.step, fill) };
  const { path, headers, body } = stimulus;
  const filled = {
    ...stimulus,
    // A header such as Location has a whole address.
    path: path.startsWith('{{') ? belowStage(fill(path), cloud.apis[0]?.stage) : fill(path),
    headers: mapTexts(headers, fill),
    ...(body !== undefined && { body: fill(body) }),
  };
  refuseUnknown(filled);
  return filled;
}

function resolve(cloud: Cloud, name: string, answers: Answers): string | undefined {
  const [, kind, user = 'alice', claims = ''] = TOKEN.exec(name) ?? [];
  if (kind === 'token')
    return simulatedIssuer.token({ sub: user, ...parseClaims(claims.split(/\s+/)) }, cloud.world.now);
  if (kind !== undefined) return issueToken(cloud, kind, user, parseClaims(claims.split(/\s+/)));
  if (name === '$timestamp') return String(Math.floor(cloud.world.now / 1000));
  if (name === '$isoTimestamp') return new Date(cloud.world.now).toISOString();
  return ANSWERED.test(name) ? partOf(answers, name) : undefined;
}

/** @throws {AnswerLacks} {RequestsUnreadable} */
function partOf(answers: Answers, name: string): string {
  const [found, request = '', path, header] = ANSWER.exec(name) ?? [];
  if (found === undefined)
    throw new RequestsUnreadable(
      `{{${name}}} is no part of an answer: {{created.response.body.$.id}}, {{created.response.body.*}} or {{created.response.headers.Location}}`,
    );
  const { status, headers = {}, body = '' } = answers.get(request) ?? {};
  const value = header === undefined ? read(body, path ?? '*') : headers[header.toLowerCase()];
  if (value !== undefined && value !== null) return typeof value === 'string' ? value : JSON.stringify(value);
  const what = header === undefined ? `${path} in the body` : `the header ${header}`;
  const answer = status === undefined ? 'nothing' : `${status} ${body.slice(0, SHOWN)}`.trim();
  throw new AnswerLacks(`it needs ${what} of the answer to ${request}, which was ${answer}`);
}

function read(body: string, path: string): unknown {
  if (path === '*') return body;
  try {
    return readAt(parsePath(path), JSON.parse(body));
  } catch (error) {
    if (error instanceof NotModelled) throw new RequestsUnreadable(error.message);
    return undefined;
  }
}

/** @throws {RequestsUnreadable} */
function refuseUnknown({ name, path, headers }: RecordedRequest): void {
  const [unknown] = [...JSON.stringify([path, headers]).matchAll(PLACEHOLDER)].map(([, found = '']) => found);
  if (unknown === undefined) return;
  throw new RequestsUnreadable(
    `${name}: nothing defines {{${unknown}}}; a name is a variable of the file (@${/^\w+$/.test(unknown) ? unknown : 'name'} = ...), a token ({{idToken:alice}}), part of an earlier answer ({{created.response.body.$.id}} behind "# @name created"), {{$guid}} or {{$timestamp}}`,
  );
}

/** Maps each text in a value. */
function mapTexts<Value>(value: Value, map: (text: string) => string): Value {
  if (typeof value === 'string') return map(value) as Value;
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, map)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapTexts(one, map)])) as Value;
}
