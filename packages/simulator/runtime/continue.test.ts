import { expect, test } from 'vitest';
import { environment, value } from '../support/environments.js';
import type { HttpRequest, ResponseHandler } from './http.js';

const ANSWERS = ({ body }: HttpRequest, reply: ResponseHandler): void =>
  reply.answer({ status: 200, headers: {}, body: `got ${body}` });

/** Writes what a client does that waits until it may send its body, as the AWS SDK does in PutObject of S3. */
const client = (opens: string) => `
  exports.handler = async ({ expect }) => new Promise((resolve, reject) => {
    const happened = [];
    ${opens}
    request.on('continue', () => { happened.push('continue'); request.end('a body'); });
    request.on('error', reject);
    setTimeout(() => resolve(happened), 5_000);
  });`;

const OF_OPTIONS = `
  const request = require('https').request({ method: 'PUT', host: 'there', headers: expect ? { Expect: expect } : {} });
  request.on('response', (answer) => resolve([...happened, answer.body]));`;
const SET_LATER = `
  const request = require('http').request({ method: 'PUT', host: 'there' });
  request.on('response', (answer) => resolve([...happened, answer.body]));
  setTimeout(() => {
    if (expect) request.setHeader('expect', expect);
    request.flushHeaders();
    request.flushHeaders();
  }, 10);`;
const OF_HTTP2 = `
  const session = require('http2').connect('https://there');
  const request = session.request({ ':method': 'PUT', ':path': '/', ...(expect && { Expect: expect }) });
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (chunk) => (text += chunk));
  request.on('end', () => resolve([...happened, text]));`;

test.each([
  ['of options', OF_OPTIONS],
  ['that is set before headers are sent', SET_LATER],
  ['of HTTP/2', OF_HTTP2],
])('a client that asks whether it may continue learns that it may, by a header %s', async (_, opens) => {
  const { invoke } = environment(client(opens), '1', ANSWERS);
  expect(value(await invoke({ expect: '100-continue' }))).toEqual(['continue', 'got a body']);
  expect(value(await invoke({}))).toEqual([]);
});
