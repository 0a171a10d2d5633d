import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fillUuids } from './placeholders.js';
import { RequestsUnreadable, type Stimulus, toRequest, toWait } from './stimulus.js';

/** Begin of a request. RFC 9112, "Request Line", without its version. */
export const METHOD = /^(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\s+(\S+)/;
const COMMENT = /^\s*(#|\/\/)/;
/** A variable of the file: `@id = 7`. Its value may have others. */
const VARIABLE = /^\s*@([\w-]+)\s*=\s*(.*?)\s*$/;
/** A body in a file: `< ./order.json`. */
const BODY_FILE = /^<\s+(\S+)$/;
/** A comment that names its request, or waits before it: `# @name created`, `# @wait 10m`. */
const DIRECTIVE = /^\s*(?:#|\/\/)\s*@(name|wait)\b\s*(.*?)\s*$/;

/**
 * Reads an HTTP file: requests in RFC 9112's form, separated by `###`, with variables, names and bodies in files as in VS Code's REST Client.
 * @param file its path
 * @throws {RequestsUnreadable}
 */
export function parseHttpFile(file: string, text: string): readonly Stimulus[] {
  return fillVariables(text)
    .split(/^###.*$/m)
    .flatMap((part, at) => parsePart(part.split(/\r?\n/), `${file}: request ${at + 1}`, dirname(file)));
}

/** Puts values in the place of the file's variables. */
function fillVariables(text: string): string {
  const variables = text.split(/\r?\n/).flatMap((line) => {
    const [, name, value = ''] = VARIABLE.exec(line) ?? [];
    return name === undefined ? [] : [[name, value] as const];
  });
  // The last one first, since it may be made of those before.
  return variables
    .toReversed()
    .reduce(
      (filled, [name, value]) => filled.replaceAll(new RegExp(`\\{\\{\\s*${name}\\s*\\}\\}`, 'g'), () => value),
      text,
    );
}

function parsePart(lines: readonly string[], where: string, folder: string): readonly Stimulus[] {
  const begin = lines.findIndex((line) => line.trim() !== '' && !COMMENT.test(line) && !VARIABLE.test(line));
  const said = lines.slice(0, begin < 0 ? undefined : begin).flatMap((line) => {
    const [, kind, value = ''] = DIRECTIVE.exec(line) ?? [];
    return kind === undefined ? [] : [{ kind, value }];
  });
  const waits = said.filter(({ kind }) => kind === 'wait').map(({ value }) => toWait(value, where));
  if (begin < 0) return waits;
  const [, method, target] = METHOD.exec(lines[begin] ?? '') ?? [];
  if (method === undefined || target === undefined)
    throw new RequestsUnreadable(
      `${where} begins with "${lines[begin]}"; expected a method and a path, as in POST /orders`,
    );
  const rest = lines.slice(begin + 1);
  const blank = rest.findIndex((line) => line.trim() === '');
  const head = (blank < 0 ? rest : rest.slice(0, blank)).filter((line) => !COMMENT.test(line));
  const body =
    blank < 0
      ? ''
      : rest
          .slice(blank + 1)
          .join('\n')
          .trim();
  // A long query continues on lines of its own.
  const query = head.filter((line) => /^\s*[?&]/.test(line)).map((line) => line.trim());
  const headers = head
    .filter((line) => !/^\s*[?&]/.test(line))
    .map((line) => [line.slice(0, line.indexOf(':')).trim(), line.slice(line.indexOf(':') + 1).trim()]);
  const request = toRequest(
    method,
    [target, ...query].join(''),
    Object.fromEntries(headers),
    BODY_FILE.test(body) ? readBody(body, where, folder) : body,
  );
  const as = said.find(({ kind }) => kind === 'name')?.value;
  return [...waits, { ...request, ...(as !== undefined && { as }) }];
}

/** @throws {RequestsUnreadable} */
function readBody(body: string, where: string, folder: string): string {
  const [, name = ''] = BODY_FILE.exec(body) ?? [];
  try {
    return fillUuids(readFileSync(resolve(folder, name), 'utf8'), where.replace(/^.*: /, ''));
  } catch (error) {
    throw new RequestsUnreadable(`${where} has its body in ${name}, which can't be read: ${(error as Error).message}`);
  }
}
