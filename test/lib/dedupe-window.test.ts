import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { Duration } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { OrderlyEnvironment } from '../../lib/environment.js';
import { settingsFor } from '../../lib/settings.js';
import { Env } from '../../packages/kit/aws/environment.js';
import { checkDeployedWindow, toWindowSeconds, windowVariable } from '../../packages/kit/base/dedupe-window.js';
import type { DedupeWindowSetting } from '../../packages/kit/base/settings.js';
import { type Json, newApp, noCode, stackOf, synthesized } from '../support/environments.js';

/** Calls back while `lib/deployed-windows.json` has other content. */
function withDeployed(content: object, run: () => void): void {
  const { readFileSync } = fs;
  const spy = vi
    .spyOn(fs, 'readFileSync')
    .mockImplementation((path, options) =>
      String(path).endsWith('/deployed-windows.json') ? JSON.stringify(content) : readFileSync(path, options as 'utf8'),
    );
  // Modules import the function by its name.
  syncBuiltinESMExports();
  try {
    run();
  } finally {
    spy.mockRestore();
    syncBuiltinESMExports();
  }
}

const DAY = 86_400;
const window = (...entries: readonly (readonly [from: string, days: number])[]): DedupeWindowSetting =>
  entries.map(([from, days]) => ({ from, window: Duration.days(days) }));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime('2026-11-23T12:00:00Z');
});
afterEach(() => void vi.useRealTimers());

test('a window that never changed is a duration', () => {
  expect(windowVariable(Duration.days(35))).toBe('3024000');
});

test('a window that was changed is a list of dates or times in UTC', () => {
  expect(toWindowSeconds(window(['2026-01-01', 35], ['2026-12-01T08:00Z', 60]))).toEqual([
    { from: '2026-01-01T00:00:00.000Z', seconds: 35 * DAY },
    { from: '2026-12-01T08:00:00.000Z', seconds: 60 * DAY },
  ]);
});

test.each([
  ['without an entry', window(), 'dedupeWindow: expected at least one entry'],
  ['in another order', window(['2026-12-01', 35], ['2026-01-01', 60]), /the entry from 2026-01-01 follows/],
  ['with a time twice', window(['2026-01-01', 35], ['2026-01-01T00:00Z', 60]), /expected a later time/],
  ['with a time of no zone', window(['2026-01-01T00:00', 35]), /expected dates or times in UTC.*'2026-01-01T00:00'$/],
  ['with a day that does not exist', window(['2026-13-01', 35]), /'2026-13-01'$/],
  ['that is shorter some day', window(['2026-01-01', 60], ['2026-12-01', 35]), /shortens the window in the future/],
])('a list %s is refused', (_, setting, message) => {
  expect(() => toWindowSeconds(setting)).toThrow(message);
});

const DEPLOYED = [
  { from: '1970-01-01', days: 35 },
  { from: '2026-06-01', days: 60 },
];

test.each([
  ['as it is', window(['2026-01-01', 35], ['2026-06-01', 60])],
  [
    'with a longer one that begins after the deployment',
    window(['2026-01-01', 35], ['2026-06-01', 60], ['2026-12-01', 90]),
  ],
  ['with a shorter one that has begun', window(['2026-01-01', 35], ['2026-06-01', 60], ['2026-11-23', 35])],
])('a deployed window is accepted %s', (_, setting) => {
  checkDeployedWindow(setting, DEPLOYED);
});

test.each([
  [
    'the plain window was changed',
    Duration.days(60),
    [{ from: '1970-01-01', days: 35 }],
    /entry of 35 days .* is deployed/,
  ],
  [
    'an entry was changed',
    window(['2026-01-01', 35], ['2026-06-01', 61]),
    DEPLOYED,
    /entry of 60 days from 2026-06-01 is deployed/,
  ],
  [
    'the first entry was changed',
    window(['2026-01-01', 36], ['2026-06-01', 60]),
    DEPLOYED,
    /expected it unchanged as entry 1/,
  ],
  [
    'an entry begins earlier',
    window(['2026-01-01', 35], ['2026-05-01', 60]),
    DEPLOYED,
    /expected it unchanged as entry 2/,
  ],
  ['an entry was removed', Duration.days(35), DEPLOYED, /from 2026-06-01 is deployed/],
  [
    'a longer window has begun before its deployment',
    window(['2026-01-01', 35], ['2026-06-01', 60], ['2026-11-23T12:30Z', 90]),
    DEPLOYED,
    'the longer window from 2026-11-23T12:30Z is not among those that are deployed: expected a time at least an hour from now, after its deployment. If it is deployed, keep it: { "from": "2026-11-23T12:30Z", "days": 90 }',
  ],
])('a change of the deployed windows is refused: %s', (_, setting, deployed, message) => {
  expect(() => checkDeployedWindow(setting, deployed)).toThrow(message);
});

test.each(['dev', 'prod'])('the window of %s is checked against the file of those that are deployed', (environment) => {
  expect(JSON.parse(fs.readFileSync('lib/deployed-windows.json', 'utf8'))).toHaveProperty(environment);
  const overrides = { issuer: 'https://login.example.com', alarmEmail: 'a@example.com' };
  settingsFor(environment, overrides);
  withDeployed({ [environment]: [{ from: '1970-01-01', days: 36 }] }, () =>
    expect(() => settingsFor(environment, overrides)).toThrow('the entry of 36 days from 1970-01-01 is deployed'),
  );
});

test('every function that knows the window, and the output for operators, has all windows of a list', () => {
  const dedupeWindow = window(['2026-01-01', 35], ['2026-12-01', 60]);
  const settings = { ...settingsFor('dev'), dedupeWindow };
  const stage = new OrderlyEnvironment(newApp(), 'dev', { settings, bundles: noCode });
  const variables = (resources: Json): readonly (readonly [string, string])[] =>
    Object.entries<Json>(resources).flatMap(([id, { Properties }]) => {
      const value = Properties?.Environment?.Variables?.[Env.DEDUPE_WINDOW_SECONDS];
      return value === undefined ? [] : [[id, value] as const];
    });
  for (const service of ['Orders', 'Reports'] as const) {
    const { Resources, Outputs } = Template.fromStack(stackOf(stage, service)).toJSON();
    const knowing = variables(Resources);
    expect(knowing.map(([id]) => id)).toEqual(
      variables(synthesized('dev').template(service).Resources).map(([id]) => id),
    );
    expect(knowing.length).toBeGreaterThan(3);
    const value = windowVariable(dedupeWindow);
    expect([...new Set(knowing.map(([, found]) => found))]).toEqual([value]);
    expect(JSON.stringify(Outputs.Consumers.Value)).toContain(
      JSON.stringify(`"dedupeWindowSeconds":${value}`).slice(1, -1),
    );
  }
});
