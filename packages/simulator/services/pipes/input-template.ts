import type { Json } from '../../assembly/intrinsics.js';
import { parseData, parseText } from '../../wire/embedded-json.js';
import { fillTemplate } from '../../wire/input-template.js';
import { parsePath, readAt } from '../../wire/json-path.js';
import { NotModelled } from '../../wire/operation.js';

/** Values that reserved variables of a template stand for. */
export interface TemplateVariables {
  readonly 'pipe-arn': string;
  readonly 'pipe-name': string;
  readonly 'source-arn': string;
  readonly 'enrichment-arn': string;
  readonly 'target-arn': string;
  /** ISO 8601 */
  readonly 'event.ingestion-time': string;
}

/** Shapes one event of a batch. */
export type InputTemplate = (event: Json, variables: TemplateVariables) => Json;

/** Returns the value of a variable; `undefined` if the event has none. */
type Variable = (around: { readonly event: Json; readonly variables: TemplateVariables }) => Json | undefined;

const VARIABLE = /<((?:\$|aws\.pipes\.)[^<>]*)>/;
const NAMED = /^aws\.pipes\.(pipe-arn|pipe-name|source-arn|enrichment-arn|target-arn|event\.ingestion-time)$/;

/**
 * Reads an `InputTemplate`. Amazon EventBridge User Guide, "Amazon EventBridge Pipes input transformation".
 * @throws {NotModelled} names a variable that isn't known
 */
export function compileInputTemplate(template: string): InputTemplate {
  const parts = template.split(new RegExp(VARIABLE, 'g'));
  const pieces = parts.map((part, at) => (at % 2 === 0 ? part : readVariable(part)));
  return (event, variables) => parseText(fillTemplate(pieces, { event: parseBody(event), variables }));
}

function readVariable(name: string): Variable {
  if (name.startsWith('$')) {
    const read = compileEventPath(name);
    return ({ event }) => read(event);
  }
  if (name === 'aws.pipes.event' || name === 'aws.pipes.event.json') return ({ event }) => event;
  const [, known] = NAMED.exec(name) ?? [];
  if (known === undefined) throw new NotModelled(`the variable <${name}> of an input template`);
  return ({ variables }) => variables[known as keyof TemplateVariables];
}

/** Returns a reader of a path into an event whose encoded fields have been parsed. @throws {NotModelled} */
export function compileEventPath(text: string): (event: Json) => Json | undefined {
  const path = parsePath(text);
  return (event) => readAt(path, event);
}

/** "Implicit body data parsing": the body of a message, and the data of a record, are JSON for paths and filters if they are some. */
export function parseBody(event: Json): Json {
  if (typeof event !== 'object' || event === null || Array.isArray(event)) return event;
  const { body, data, eventSource } = event as Readonly<Record<string, Json>>;
  if (eventSource === 'aws:sqs' && typeof body === 'string') return { ...event, body: parseText(body) };
  if (eventSource === 'aws:kinesis' && typeof data === 'string') return { ...event, data: parseData(data) };
  return event;
}
