import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const textOf = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** Files of `test/kit/<pattern>/` whose text behind the mark is an example of the pattern's README, in its order. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  decider: ['example.ts'],
  outbox: ['example.ts', 'example.construct.ts'],
  'idempotent-consumer': ['example.ts', 'example.construct.ts'],
  service: ['example.construct.ts'],
  'state-store': ['example.ts'],
  testing: ['example.test.ts'],
  'idempotent-receiver': ['example.ts'],
  operator: ['example.ts'],
  'event-store': ['example.ts'],
  timers: ['example.ts'],
  projection: ['example.ts'],
  'personal-data': ['example.ts'],
  failures: ['example.ts'],
  saga: ['example.ts'],
  messages: ['example.ts'],
  http: ['example.ts'],
};
const MARK = 'word for word from here on.\n';

describe("a README's examples are code that compiles", () => {
  test.each(Object.entries(EXAMPLES))('%s', (pattern, files) => {
    const shown = [...textOf(`packages/kit/${pattern}/README.md`).matchAll(/```ts\n(.*?)```/gs)].map(
      ([, code]) => code,
    );
    const compiled = files.map((file) => textOf(`test/kit/${pattern}/${file}`).split(MARK)[1]?.trimStart());
    expect(shown).toEqual(compiled);
  });
});
