import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { HttpResponse } from '../runtime/http.js';

/** Path of the documents for a browser. An API's stage of this name hides them. */
export const DOCS = '/_docs';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
};

/** Names of files and folders: neither `..` nor hidden ones. */
const BELOW = /^(?:\/[\w-][\w.-]*)+$/;

/** Answers with a file of a folder: `/_docs/<path in the folder>`. The file is read with each request. */
export function answerWithFile(folder: string, method: string, url: string): HttpResponse {
  const [path = ''] = url.slice(DOCS.length).split('?');
  const file = BELOW.test(path) && method === 'GET' ? join(folder, path) : undefined;
  try {
    if (file === undefined) return notFound(method, url, folder);
    const type = TYPES[extname(file)] ?? 'text/plain; charset=utf-8';
    return { status: 200, headers: { 'content-type': type }, body: readFileSync(file, 'utf8') };
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['ENOENT', 'EISDIR', 'ENOTDIR'].includes(code)) throw error;
    return notFound(method, url, folder);
  }
}

const notFound = (method: string, url: string, folder: string): HttpResponse => ({
  status: 404,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: `${method} ${url}: GET the name of a file in ${folder} was expected.\n`,
});
