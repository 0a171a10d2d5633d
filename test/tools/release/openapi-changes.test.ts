import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { orderlyApi } from '../../../tools/docs/openapi/api.js';
import { generateOpenApi } from '../../../tools/docs/openapi/document.js';
import { breakingChanges, type ComparedDocument, mayBreak } from '../../../tools/release/openapi-changes.js';
import { fetchSources, hasSources, previousRelease } from '../../../tools/release/previous-sources.js';

const present = generateOpenApi(await orderlyApi()) as unknown as ComparedDocument;

// A shallow clone has no history; where CI is set, it has to have it.
describe.skipIf(!hasSources(previousRelease()) && !process.env.CI)(
  'the previous release (it needs the history)',
  () => {
    test('clients of the previous release still work, or its version says that they do not', () => {
      const { folder, version } = fetchSources(previousRelease());
      const previous = JSON.parse(readFileSync(join(folder, 'docs/openapi.json'), 'utf8')) as ComparedDocument;
      expect(previous.info.version).toBe(version);
      const changes = breakingChanges(previous, present);
      const advice = `these break clients of ${version}: raise the version in package.json, or keep them`;
      if (!mayBreak(present.info.version, version)) expect(changes, advice).toEqual([]);
    });
  },
);

describe('a version', () => {
  test.each([
    ['0.3.0', '0.2.0', true],
    ['0.2.1', '0.2.0', false],
    ['1.1.0', '1.0.0', false],
    ['2.0.0', '1.4.0', true],
    ['1.0.0', '0.9.0', true],
  ])('%s after %s may break clients: %s', (version, earlier, may) => expect(mayBreak(version, earlier)).toBe(may));
});

test('a schema that contains itself is compared once', () => {
  const treeOf = (required: readonly string[]) => ({
    ...present,
    paths: {
      '/tree': {
        get: {
          operationId: 'getTree',
          responses: { 200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Tree' } } } } },
        },
      },
    },
    components: {
      schemas: {
        Tree: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            below: { type: 'array', items: { $ref: '#/components/schemas/Tree' } },
          },
          required,
        },
      },
    },
  });
  expect(breakingChanges(treeOf(['name']), treeOf(['name', 'below']))).toEqual([]);
  expect(breakingChanges(treeOf(['name']), treeOf([]))).toEqual(['GET /tree: answer 200/name may be missing']);
});

describe('a change', () => {
  const ticket = {
    type: 'object',
    properties: {
      id: { type: 'string', maxLength: 9 },
      size: { enum: ['S', 'L'], type: 'string' },
      note: { type: 'string' },
    },
    required: ['id', 'size'],
    additionalProperties: false,
  };
  const shown = { ...ticket, additionalProperties: undefined };
  const operation = {
    operationId: 'openTicket',
    security: [{ token: ['agent'] }, { token: ['visitor'] }],
    parameters: [
      { name: 'limit', in: 'query', schema: { type: 'string', pattern: '^\\d+$' } },
      { name: 'Key', in: 'header', schema: { type: 'string' } },
    ],
    requestBody: { required: false, content: { 'application/json': { schema: ticket } } },
    responses: {
      201: {
        headers: { Location: {} },
        content: { 'application/json': { schema: { anyOf: [shown, { type: 'string' }] } } },
      },
      404: {},
    },
  };
  type Changes = Readonly<Record<string, unknown>>;
  const documentOf = (changed: Changes | undefined, schemas: Changes = {}) =>
    ({
      info: { version: '1.0.0' },
      paths: changed ? { '/tickets': { post: { ...operation, ...changed } } } : {},
      components: { schemas },
    }) as unknown as ComparedDocument;
  const changes = (changed: Changes | undefined, before: Changes = {}) =>
    breakingChanges(documentOf(before), documentOf(changed));
  const taking = (schema: object, required = false) => ({
    requestBody: { required, content: { 'application/json': { schema } } },
  });
  const answering = (...alternatives: object[]) => ({
    responses: {
      201: { headers: { Location: {} }, content: { 'application/json': { schema: { anyOf: alternatives } } } },
    },
  });
  const string = { type: 'string' };
  const { properties } = ticket;

  test.each<[string, Changes]>([
    ['nothing', {}],
    ['words', { summary: 'Open it' }],
    [
      'an optional parameter more',
      { parameters: [...operation.parameters, { name: 'at', in: 'query', schema: string }] },
    ],
    [
      'a parameter that takes more',
      { parameters: [{ ...operation.parameters[0], schema: string }, operation.parameters[1]] },
    ],
    ['an optional member of a body more', taking({ ...ticket, properties: { ...properties, more: string } })],
    [
      'a longer text in a body',
      taking({ ...ticket, properties: { ...properties, id: { type: 'string', maxLength: 10 } } }),
    ],
    [
      'another value in a body',
      taking({ ...ticket, properties: { ...properties, size: { type: 'string', enum: ['S', 'L', 'M'] } } }),
    ],
    ['a member of an answer more', answering({ ...shown, properties: { ...properties, more: string } }, string)],
    [
      'another value in an answer',
      answering({ ...shown, properties: { ...properties, size: { type: 'string', enum: ['S', 'L', 'M'] } } }, string),
    ],
    [
      'a member of an answer that is always there now',
      answering({ ...shown, required: ['id', 'size', 'note'] }, string),
    ],
    ['an alternative less in an answer', answering(shown)],
    [
      'an answer that only a conditional request gets',
      { responses: { ...operation.responses, 304: { headers: { ETag: {} } } } },
    ],
    ['another problem', { responses: { ...operation.responses, 409: {} } }],
    ['no token', { security: [] }],
  ])('a change of %s breaks nothing', (_, changed) => expect(changes(changed)).toEqual([]));

  test.each<[string, Changes | undefined, string]>([
    ['no route any more', undefined, 'is gone'],
    ['another id', { operationId: 'open' }, 'operationId'],
    ['a role less', { security: [{ token: ['agent'] }] }, 'visitor'],
    ['a parameter less', { parameters: [operation.parameters[0]] }, 'parameter Key is gone'],
    [
      'a parameter that is required',
      { parameters: [operation.parameters[0], { ...operation.parameters[1], required: true }] },
      'Key is required',
    ],
    [
      'a parameter that takes less',
      {
        parameters: [operation.parameters[0], { name: 'Key', in: 'header', schema: { type: 'string', maxLength: 5 } }],
      },
      'maxLength',
    ],
    ['a body that is required', taking(ticket, true), 'a body is required'],
    [
      'another media type',
      { requestBody: { content: { 'text/plain': { schema: ticket } } } },
      'application/json is refused',
    ],
    [
      'a required member of a body',
      taking({ ...ticket, required: ['id', 'size', 'note'] }),
      'body/note may be missing',
    ],
    [
      'a member of a body less',
      taking({ ...ticket, properties: { id: properties.id, size: properties.size } }),
      'body/note is unknown',
    ],
    [
      'a shorter text in a body',
      taking({ ...ticket, properties: { ...properties, id: { type: 'string', maxLength: 8 } } }),
      'body/id: maxLength',
    ],
    [
      'a value less in a body',
      taking({ ...ticket, properties: { ...properties, size: { type: 'string', enum: ['S'] } } }),
      '"L"',
    ],
    [
      'another type in a body',
      taking({ ...ticket, properties: { ...properties, note: { type: 'integer' } } }),
      'body/note: integer and string',
    ],
    [
      'a member of an answer less',
      answering({ ...shown, properties: { id: properties.id, size: properties.size } }, string),
      'a new alternative',
    ],
    ['an optional member of an answer', answering({ ...shown, required: ['id'] }, string), 'a new alternative'],
    ['an alternative more in an answer', answering(shown, string, { type: 'integer' }), 'a new alternative'],
    ['another status', { responses: { ...operation.responses, 202: {} } }, 'answers 202, too'],
    ['a status less', { responses: { 404: {} } }, 'does not answer 201'],
    ['a header less', { responses: { 201: { content: operation.responses[201].content } } }, 'header Location is gone'],
  ])('a change to %s is found', (_, changed, words) => expect(changes(changed).join('\n')).toContain(words));

  test('a parameter that is documented as the number that its text was breaks nothing, and another number does', () => {
    const withLimit = (schema: object) => ({ parameters: [{ name: 'limit', in: 'query', schema }] });
    const text = withLimit({ type: 'string', pattern: '^([1-9]\\d?|100)$' });
    const to = (maximum: number) => changes(withLimit({ type: 'integer', minimum: 1, maximum }), text);
    expect(to(100)).toEqual([]);
    expect(to(50)).toEqual(['POST /tickets: parameter limit: integer and string']);
    expect(changes(text, withLimit({ type: 'integer', minimum: 1, maximum: 100 }))).not.toEqual([]);
  });

  test('a change of a keyword that is not compared is an error', () => {
    const unique = taking({ ...ticket, properties: { ...properties, tags: { type: 'array', uniqueItems: true } } });
    expect(() => changes(unique, unique)).toThrow('uniqueItems');
  });

  test('a change behind a reference is found', () => {
    const referring = taking({ $ref: '#/components/schemas/Ticket' });
    const before = documentOf(referring, { Ticket: ticket });
    const now = documentOf(referring, { Ticket: { ...ticket, required: ['id', 'size', 'note'] } });
    expect(breakingChanges(before, now)).toEqual(['POST /tickets: body/note may be missing']);
    expect(breakingChanges(before, before)).toEqual([]);
  });
});
