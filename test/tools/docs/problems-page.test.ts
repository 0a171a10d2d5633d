import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { orderlyApi } from '../../../tools/docs/openapi/api.js';
import { listCodes } from '../../../tools/docs/openapi/problems.js';
import { generateProblemsPage } from '../../../tools/docs/openapi/problems-page.js';

/** Tests of the page of problems. That it is the committed one is held with the other generated files. */

const PAGE = readFileSync(new URL('../../../docs/problems.md', import.meta.url), 'utf8');
const api = await orderlyApi();

test('each code that a route may answer with has its section, and no section is of another code', () => {
  const sections = [...PAGE.matchAll(/^## (.*)$/gm)].map(([, code]) => code);
  const answered = new Set(api.routes.flatMap(listCodes));
  expect([...answered].filter((code) => !sections.includes(code))).toEqual([]);
  expect(sections).toEqual([...api.problems.keys()].toSorted());
});

test('a code without an explanation is refused, and names the file', () => {
  const problems = new Map([...api.problems, ['too-heavy', { code: 'too-heavy', status: 409, title: 'Too heavy' }]]);
  expect(() => generateProblemsPage({ ...api, problems })).toThrow(
    'tools/docs/problem-advice.ts has no explanation of too-heavy',
  );
});

test('an explanation of a code that is gone is refused', () => {
  const problems = new Map([...api.problems].filter(([code]) => code !== 'basket-full'));
  expect(() => generateProblemsPage({ ...api, problems })).toThrow('problem-advice.ts explains basket-full');
});

test('the document of the API links to the page', () => {
  const document = JSON.parse(readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8'));
  expect(document.externalDocs.url).toBe('problems.md');
});
