import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Finding } from '../../../packages/simulator/index.js';
import { renderStrangers } from '../../../tools/strangers/page.js';
import { readStrangers, StrangersUnreadable } from '../../../tools/strangers/stranger.js';

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
  expect(page).toContain('| the tables end as without faults | duplicate | Queue | 2 |');
  expect(page).toContain('- `duplicate`: true (Amazon SQS');
  expect(page).toContain('At Queue message 1 the message came a second time.\n\n    a line');
  expect(page).toContain('no: AWS::Pipes::Pipe: no model of this type');
});
