import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { PROBLEMS, withDescription } from '../../../packages/kit/routes.js';
import { type Api, orderlyApi } from '../../../tools/docs/openapi/api.js';
import { generateHttpFile, generatePostmanCollection } from '../../../tools/docs/openapi/collections.js';
import { generateOpenApi } from '../../../tools/docs/openapi/document.js';
import { STORY, UNASKED } from '../../../tools/docs/openapi/examples.js';
import { lintOpenApi } from '../../../tools/docs/openapi/lint.js';
import { generateReferencePage } from '../../../tools/docs/openapi/page.js';
import { listCodes } from '../../../tools/docs/openapi/problems.js';
import { REDOC_PATH } from '../../../tools/docs/openapi/redoc.js';
import { convertSchemas } from '../../../tools/docs/openapi/schemas.js';
import { keptAnswers, resolveReferences } from '../../../tools/docs/openapi/story.js';
import { DocumentedApi } from '../../support/documented-api.js';
import { differences } from '../../support/story.js';

const api = await orderlyApi();
const document = generateOpenApi(api);
const ANSWERS = keptAnswers();
const withPaths = (paths: object) => ({ ...document, paths: { ...document.paths, ...paths } });
const order = document.paths['/orders']!;

describe('a generator of clients finds in the document', () => {
  const problems = Object.values(document.components.responses ?? {}) as unknown as readonly {
    readonly description: string;
    readonly content: Readonly<Record<string, { readonly schema: unknown }>>;
    readonly 'x-problem-codes': readonly string[];
  }[];

  test('one schema for every problem, and the codes of each answer in words and in a list', () => {
    expect(problems.length).toBeGreaterThan(20);
    for (const { description, content, 'x-problem-codes': codes } of problems) {
      for (const { schema } of Object.values(content)) expect(schema).toEqual({ $ref: '#/components/schemas/Problem' });
      expect(codes.length).toBeGreaterThan(0);
      for (const code of codes) expect(description).toContain(`\`${code}\``);
    }
  });

  test('numbers of a query as integers with their limits', () => {
    const queries = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ parameters }) => parameters.filter((one) => one.in === 'query')),
    );
    const of = (wanted: string) => queries.filter(({ name }) => name === wanted).map(({ schema }) => schema);
    expect(of('limit').length).toBeGreaterThan(3);
    for (const schema of of('limit')) expect(schema).toEqual({ type: 'integer', minimum: 1, maximum: 100 });
    for (const schema of of('version')) expect(schema).toMatchObject({ type: 'integer', minimum: 0 });
    expect(
      queries.filter(({ schema }) => /^\^[^a-z]*\\d[^a-z]*\$$/.test(String((schema as { pattern?: string }).pattern))),
    ).toEqual([]);
  });
});

describe('the document', () => {
  test('the document has no finding of the linter', async () => expect(await lintOpenApi(document)).toEqual([]));

  test.each([
    ['an unknown field', withPaths({ '/orders': { ...order, post: { ...order.post, verb: 'POST' } } }), 'struct'],
    [
      'a schema that does not exist',
      JSON.parse(JSON.stringify(document).replaceAll('schemas/OrderLine', 'schemas/Line')),
      'no-unresolved-refs',
    ],
    [
      'a path whose parameter is not declared',
      withPaths({ '/orders/{id}/dispatch': document.paths['/orders/{orderId}/dispatch'] }),
      'path-parameters-defined',
    ],
    [
      'an example with another answer',
      JSON.parse(JSON.stringify(document).replaceAll('"DISPATCHED","lines"', '"GONE","lines"')),
      'no-invalid-media-type-examples',
    ],
  ])('the linter refuses the document with %s', async (_, wrong, rule) => {
    expect((await lintOpenApi(wrong)).join('\n')).toContain(rule);
  });

  test('names each operation once', () => {
    const ids = api.routes.map(({ route }) => route.id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('the document has an example of each operation and of each problem', () => {
    const shown = new Set(STORY.filter(({ problem }) => !problem).map(({ operation }) => operation));
    expect(api.routes.map(({ route }) => route.id).filter((id) => !shown.has(id))).toEqual([]);
    const met = new Set([...STORY.flatMap(({ problem = [] }) => problem), ...Object.keys(UNASKED)]);
    expect([...new Set(api.routes.flatMap(listCodes))].filter((code) => !met.has(code))).toEqual([]);
  });

  test('the document has every declared problem of a service, besides the one that belongs to no route', () => {
    const documented = new Set(api.routes.flatMap(listCodes));
    expect([...api.problems.keys()].filter((code) => !documented.has(code))).toEqual(['method-not-allowed']);
  });

  test('the document has the answers of the story, each by the name of its call', () => {
    const names = STORY.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(Object.keys(ANSWERS).filter((name) => !names.includes(name))).toEqual([]);
    for (const call of STORY) expect(() => resolveReferences({ ...call }, ANSWERS)).not.toThrow();
  });
});

describe('a document of other routes', () => {
  const Ticket = z.object({ ticketId: z.string(), at: withDescription('Since when.', z.iso.datetime()) });
  const small = (route: object): Api => ({
    ...api,
    routes: [
      {
        service: 'orders',
        route: { method: 'GET', path: '/tickets', id: 'listTickets', summary: 'List', answers: {}, ...route },
      },
    ],
    problems: new Map(Object.entries(PROBLEMS)),
    schemas: new Map([['Ticket', Ticket]]),
  });

  test('refers to a schema by its name, and has only schemas that something refers to', () => {
    const { components, paths } = generateOpenApi(
      small({ answers: { 200: { description: 'Tickets', body: Ticket } } }),
    );
    expect(JSON.stringify(paths)).toContain('"$ref":"#/components/schemas/Ticket"');
    expect(components.schemas).toMatchObject({
      Ticket: { properties: { at: { type: 'string', format: 'date-time', description: 'Since when.' } } },
    });
    expect(Object.keys(generateOpenApi(small({})).components.schemas!)).toEqual(['Problem']);
  });

  test('a document with an undeclared problem, or an undescribed parameter, is refused', () => {
    expect(() => generateOpenApi(small({ problems: ['lost'] }))).toThrow('lost');
    expect(() => generateOpenApi(small({ path: '/tickets/{ticketId}' }))).toThrow('ticketId');
  });

  test('says of a deprecated route since when, and until when it works', () => {
    const { paths } = generateOpenApi(
      small({
        deprecated: { since: '2026-11-29T00:00:00Z', sunset: '2027-05-31T00:00:00Z' },
        answers: { 200: { description: 'Tickets', body: Ticket } },
      }),
    );
    const { deprecated, description, responses } = paths['/tickets']!.get!;
    expect(deprecated).toBe(true);
    expect(description).toContain('Deprecated since 2026-11-29T00:00:00Z; it may be gone after 2027-05-31T00:00:00Z.');
    const { headers } = responses[200] as { readonly headers: object };
    expect(Object.keys(headers)).toEqual(expect.arrayContaining(['Deprecation', 'Sunset']));
  });

  test('distinguishes two schemas without a name', () => {
    const [one, two] = [z.object({ one: z.string() }), z.object({ two: z.string() })];
    const schemas = convertSchemas(new Map(), [one, one, two]);
    expect([schemas.of(one), schemas.of(two)]).toMatchObject([{ required: ['one'] }, { required: ['two'] }]);
  });
});

describe('the collections', () => {
  const http = generateHttpFile(api);
  const postman = generatePostmanCollection(api) as {
    readonly variable: readonly { readonly key: string }[];
    readonly item: readonly { readonly request: object; readonly event?: readonly { script: { exec: string[] } }[] }[];
  };

  test('the collections have every operation', () => {
    const method = (text: string) => text.split(' ')[0];
    for (const { route } of api.routes) {
      const path = new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/?\\n]+')}$`);
      const sent = [...http.matchAll(/^(\w+) \{\{api\}\}([^?\n]*)/gm)].filter((one) => method(one[0]) === route.method);
      expect(
        sent.some(([, , of = '']) => path.test(of)),
        `${route.method} ${route.path}`,
      ).toBe(true);
    }
    expect(postman.item).toHaveLength(http.match(/^### /gm)!.length);
  });

  test('refer to what is above', () => {
    const known = new Set(http.match(/^@\w+/gm)!.map((name) => name.slice(1)));
    for (const block of http.split('### ').slice(1)) {
      for (const [, name = ''] of block.matchAll(/\{\{(\w+)/g)) expect(known).toContain(name);
      const [, name] = /^# @name (\w+)$/m.exec(block) ?? [];
      if (name) known.add(name);
    }
    const kept = new Set(postman.variable.map(({ key }) => key));
    for (const { request, event = [] } of postman.item) {
      for (const [, name = ''] of JSON.stringify(request).matchAll(/\{\{(\w+)/g)) expect(kept).toContain(name);
      for (const line of event.flatMap(({ script }) => script.exec)) kept.add(/set\('(\w+)'/.exec(line)![1]!);
    }
  });
});

describe('the page', () => {
  test('the page has the document, and a text in it can not end the script', () => {
    const evil = { ...document, info: { ...document.info, description: '</script><script>alert(1)</script>' } };
    const page = generateReferencePage(evil);
    const [, text = ''] = /<script id="document" type="application\/json">(.*?)<\/script>/.exec(page) ?? [];
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(evil)));
  });

  test('loads nothing but Redoc beside it', () => {
    const loaded = [...generateReferencePage(document).matchAll(/<(?:script|link|img)[^>]* (?:src|href)="([^"]*)"/g)];
    expect(loaded.map(([, address]) => address)).toEqual([REDOC_PATH]);
  });
});

describe('an answer', () => {
  const judge = new DocumentedApi(document);
  const asked = { method: 'GET', path: '/orders/7?version=1' } as const;
  const shown = ANSWERS.approved as { readonly lines: readonly object[] };
  const answer = (body: unknown, { status = 200, type = 'application/json', headers = {} } = {}) =>
    judge.findFaults(asked, { status, headers: { 'content-type': type, ...headers }, text: JSON.stringify(body) });
  const problem = { status: 404, type: 'application/problem+json' };

  test('an answer is documented', () => {
    expect(answer(shown, { headers: { 'x-correlation-id': 'c' } })).toEqual([]);
    expect(answer(ANSWERS['no-order'], problem)).toEqual([]);
  });

  test.each([
    ['another member', () => answer({ ...shown, extra: 1 }), 'extra'],
    ['another member of a member', () => answer({ ...shown, lines: [{ ...shown.lines[0], extra: 1 }] }), '/lines/0'],
    ['another value', () => answer({ ...shown, status: 'GONE' }), '/status'],
    ['a member less', () => answer({ ...shown, total: undefined }), 'total'],
    ['another header', () => answer(shown, { headers: { 'x-powered-by': 'us' } }), 'x-powered-by'],
    ['another media type', () => answer(shown, { type: 'text/html' }), 'text/html'],
    ['another status', () => answer(shown, { status: 202 }), '202'],
    [
      'a problem of another route',
      () => answer({ ...(ANSWERS['no-order'] as object), type: 'urn:orderly:problem:too-late' }, problem),
      "the problem 'too-late'",
    ],
    [
      'a problem with another status than its answer',
      () => answer({ ...(ANSWERS['no-order'] as object), status: 403 }, problem),
      'status 403 in the body',
    ],
    [
      'a path that does not exist',
      () => judge.findFaults({ method: 'GET', path: '/parcels' }, { status: 200, headers: {}, text: '' }),
      'no such route',
    ],
  ])('an answer with %s is not documented', (_, faults, place) => {
    expect(faults()).toEqual([expect.stringContaining(place)]);
  });
});

describe('a played answer', () => {
  const [one, other] = ['019b8b74-21b0-7d6d-a1d7-dcf7188a6c8e', '019b8b74-3333-7d6d-a1d7-dcf7188a6c8e'];

  test('a played answer may have other ids, each for the same one', () => {
    expect(differences({ id: one, of: `urn:x:${one}` }, { id: other, of: `urn:x:${other}` }, new Map())).toEqual([]);
    expect(differences([one, one], [other, one], new Map())).toHaveLength(1);
  });

  test('a played answer has the same texts, numbers and members', () => {
    for (const [documented, seen] of [
      [{ status: 'PENDING' }, { status: 'GONE' }],
      [{ version: 1 }, { version: 2 }],
      [{}, { more: 1 }],
      [{ less: 1 }, {}],
      [{ id: one }, { id: 'one' }],
    ])
      expect(differences(documented, seen, new Map())).toHaveLength(1);
  });
});
