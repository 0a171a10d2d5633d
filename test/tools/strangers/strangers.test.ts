import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Finding } from '../../../packages/simulator/index.js';
import { renderStrangers } from '../../../tools/strangers/page.js';
import { locateStranger } from '../../../tools/strangers/prepare.js';
import { readStrangers, type StrangersApp, StrangersUnreadable } from '../../../tools/strangers/stranger.js';

const APP = { name: 'shop', source: 'https://example.org/shop', commit: '0123456789', licence: 'MIT-0', does: 'sells' };

const write = (files: Readonly<Record<string, string>>): string => {
  const folder = mkdtempSync(join(tmpdir(), 'strangers-'));
  mkdirSync(join(folder, 'shop', 'cdk.out'), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'shop', name), text);
  return folder;
};

test('an app has where it comes from, an assembly and requests', () => {
  const folder = write({ 'app.json': JSON.stringify(APP), 'requests.http': 'GET /', 'cdk.out/manifest.json': '{}' });
  const [shop] = readStrangers(folder);
  expect(shop).toEqual({ folder: join(folder, 'shop'), app: APP, requests: join(folder, 'shop', 'requests.http') });
});

test.each([
  [{}, 'has no folder with an app.json'],
  [{ 'app.json': '{"name":"shop"}' }, 'app.json lacks source, commit, licence, does'],
  [{ 'app.json': JSON.stringify(APP) }, 'has no cdk.out: npm run strangers -- prepare'],
])('what is missing is named: %j', (files, message) => {
  expect(() => readStrangers(write(files))).toThrow(StrangersUnreadable);
  expect(() => readStrangers(write(files))).toThrow(message);
});

test('the page says what starts, what was found, and the shortest history of each app', () => {
  const finding: Finding = {
    promise: 'the tables end as without faults',
    kind: 'duplicate',
    construct: 'Queue',
    count: 2,
    shortest: {
      scenario: 'recorded requests',
      seed: 'singles',
      bySeed: false,
      faults: [],
      violations: [],
      cause: 'At Queue message 1 the message came a second time.',
      lines: ['a line'],
    },
  };
  const page = renderStrangers(
    [
      { app: { ...APP, verdicts: { duplicate: 'true' } }, obstacles: [], histories: 9, findings: [finding] },
      {
        app: { ...APP, name: 'stop' },
        obstacles: ['AWS::Pipes::Pipe: no model of this type'],
        histories: 0,
        findings: [],
      },
    ],
    new Date('2026-11-30T00:00:00Z'),
    2,
  );
  expect(page).toContain('2 public CDK apps were played on 2026-11-30: 1 start unmodified, and in 1 of them');
  expect(page).toContain("Of 1 findings with faults, 1 (100 %) are confirmed by the app's code");
  expect(page).toContain('| the tables end as without faults | duplicate | Queue | 2 |');
  expect(page).toContain('- `duplicate`: true (Amazon SQS');
  expect(page).toContain('At Queue message 1 the message came a second time.\n\n    a line');
  expect(page).toContain('| AWS::Pipes::Pipe: no model of this type |');
});

test('verdicts are counted: of a construct before those of a kind, and none of a repetition without faults', () => {
  const found = (kind: Finding['kind'], construct: string): Finding => ({
    promise: 'no message is lost silently',
    kind,
    construct,
    count: 1,
    shortest: {
      scenario: 'recorded requests',
      seed: 'singles',
      bySeed: false,
      faults: [],
      violations: [],
      cause: '',
      lines: [],
    },
  });
  const verdicts = { refused: 'true: it is lost', 'refused at Other': 'false: it comes again', none: 'true' };
  const findings = [found('refused', 'Place'), found('refused', 'Other'), found('late', 'Place'), found('none', '')];
  const page = renderStrangers([{ app: { ...APP, verdicts }, obstacles: [], histories: 9, findings }], new Date(0), 2);
  expect(page).toContain('Of 3 findings with faults, 1 (33 %) are confirmed');
  expect(page).toContain('1 are not confirmed, and 1 are not judged');
  expect(page).toContain('- `refused` at Other: false: it comes again');
  expect(page).toContain('- `late`: not judged');
});

test('the shortest history is one with lines, which a repetition without faults has not', () => {
  const shortest = {
    scenario: 'recorded requests',
    seed: 'singles',
    bySeed: false,
    faults: [],
    violations: [],
    cause: 'It came twice.',
    lines: ['a line'],
  };
  const twice: Finding = { promise: 'p', kind: 'duplicate', construct: 'Queue', count: 1, shortest };
  const none: Finding = { ...twice, kind: 'none', shortest: { ...shortest, cause: 'It asks again.', lines: [] } };
  const render = (findings: readonly Finding[]) =>
    renderStrangers([{ app: APP, obstacles: [], histories: 9, findings }], new Date(0), 2);
  expect(render([none, twice])).toContain('The shortest history: It came twice.\n\n    a line');
  expect(render([none])).toContain('The shortest history: It asks again.');
});

test('apps that don’t start have a line of why, and those beside the sample are not counted in it', () => {
  const stopped = {
    app: { ...APP, why: 'AppSync has no model' },
    obstacles: ['a: b', 'c: d'],
    histories: 0,
    findings: [],
  };
  const silent = { app: { ...APP, name: 'silent' }, obstacles: [], histories: 0, findings: [], refusal: 'no answer' };
  const beside = { app: { ...APP, sample: false as const }, obstacles: [], histories: 1, findings: [] };
  const page = renderStrangers([stopped, silent, beside], new Date(0), 2);
  expect(page).toContain("0 start unmodified, and [2 don't](#apps-that-dont-start)");
  expect(page).toContain('| sells | AppSync has no model (a: b, and 1 more) |');
  expect(page).toContain('| sells | no answer |');
});

test('an address has the repository, and the folder in it', () => {
  const at = (source: string) => locateStranger({ ...APP, source });
  expect(at('https://github.com/a/b/tree/main/c/d')).toEqual({ repository: 'a/b', path: 'c/d' });
  expect(at('https://github.com/a/b')).toEqual({ repository: 'a/b', path: '' });
  expect(() => at('https://example.org/a')).toThrow(StrangersUnreadable);
});

test('every kept app has where it comes from, and requests or why it doesn’t start', () => {
  const kept = fileURLToPath(new URL('../../../tools/strangers/apps/', import.meta.url));
  const apps = readdirSync(kept).map((name) => {
    const app = JSON.parse(readFileSync(join(kept, name, 'app.json'), 'utf8')) as StrangersApp;
    expect(app.commit, name).toMatch(/^[0-9a-f]{40}$/);
    expect(() => locateStranger(app), name).not.toThrow();
    expect(
      ['json', 'http'].some((end) => existsSync(join(kept, name, `requests.${end}`))) || app.why !== undefined,
      name,
    ).toBe(true);
    return app;
  });
  expect(apps.filter(({ sample }) => sample !== false)).toHaveLength(45);
});
