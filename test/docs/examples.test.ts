import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const textOf = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** Files of `test/kit/<pattern>/` whose text behind the mark is an example of the pattern's README, in its order. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  decider: ['example.ts'],
  outbox: ['example.ts', 'example.construct.ts'],
  'idempotent-consumer': ['example.ts', 'example.construct.ts'],
  inbox: [
    'example.ts',
    'example.construct.ts',
    'example.batch.ts',
    'example.collecting.ts',
    'example.collector.ts',
    'example.collected.ts',
    'example.collected.construct.ts',
    'example.failure.ts',
  ],
  service: ['example.construct.ts'],
  'state-store': ['example.ts'],
  testing: ['example.test.ts', 'example.rivals.ts'],
  'idempotent-receiver': ['example.ts'],
  operator: ['example.ts'],
  'event-store': ['example.ts'],
  timers: ['example.ts'],
  projection: ['example.ts'],
  'personal-data': ['example.ts'],
  failures: ['example.ts'],
  saga: ['example.ts', 'example.trip.ts', 'example.handler.ts', 'example.lambda.ts', 'example.construct.ts'],
  messages: ['example.ts'],
  http: ['example.ts'],
  lane: ['example.ts', 'example.loading.ts'],
  webhooks: ['example.ts'],
};
/** Folders that are no patterns: the base of functions and constructs, drains, which know inboxes and lanes, and traces of all. */
const NO_PATTERNS = ['aws', 'base', 'drains', 'traces'];
/** A package of its own, whose page is like that of a pattern. */
const OPERATOR = 'operator';
const pageOf = (pattern: string): string =>
  pattern === OPERATOR ? 'packages/operator/README.md' : `packages/kit/${pattern}/README.md`;
const testsOf = (pattern: string): string => (pattern === OPERATOR ? 'test/operator' : `test/kit/${pattern}`);
const MARK = 'word for word from here on.\n';

describe('the README of a pattern', () => {
  const patterns = readdirSync(new URL('../../packages/kit/', import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !NO_PATTERNS.includes(entry.name))
    .map(({ name }) => name);

  test.each([...patterns, OPERATOR])(
    '%s begins with the problem and an example, and ends with its sources',
    (pattern) => {
      const text = textOf(pageOf(pattern));
      const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
      expect(headings[0]).toBe('The problem');
      expect(headings.at(-1)).toBe('Sources');
      expect(headings).toEqual(expect.arrayContaining(['The promise', 'How it fails']));
      expect(text.split('\n## The promise\n')[0]).toContain('```ts\n');
      expect(Object.keys(EXAMPLES)).toContain(pattern);
    },
  );
});

/** Files that a package's README shows as a whole, in its order. */
const WHOLE_FILES: Readonly<Record<string, readonly string[]>> = {
  client: ['test/client/example.ts'],
  kit: ['contract.ts', 'lambdas/count-opened.lambda.ts', 'app.ts'].map((file) => `test/packages/statistics/${file}`),
  simulator: ['examples/tickets/promises.ts'],
};

const shownIn = (page: string) => [...textOf(page).matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code);

describe("a README's examples are code that compiles", () => {
  test.each(Object.entries(EXAMPLES))('%s', (pattern, files) => {
    const compiled = files.map((file) =>
      textOf(`${testsOf(pattern)}/${file}`)
        .split(MARK)[1]
        ?.trimStart(),
    );
    expect(shownIn(pageOf(pattern))).toEqual(compiled);
  });

  test.each(Object.entries(WHOLE_FILES))('package %s', (name, files) => {
    expect(shownIn(`packages/${name}/README.md`)).toEqual(files.map(textOf));
  });
});

describe("README.md's code is in examples/tickets", () => {
  const [code = ''] = shownIn('README.md');
  // Each excerpt begins with a comment that names its file.
  const excerpts = code
    .trimEnd()
    .split(/^\/\/ (?=\S+\.ts: )/m)
    .slice(1)
    .map((excerpt) => {
      const [comment = '', ...lines] = excerpt.trimEnd().split('\n');
      return [comment.slice(0, comment.indexOf(':')), lines.join('\n')] as const;
    });

  test('an endpoint, a consumer and the service are in the tickets app', () => expect(excerpts).toHaveLength(3));
  test.each(excerpts)('%s', (file, lines) => expect(textOf(`examples/tickets/${file}`)).toContain(`${lines}\n`));
});
