import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { committed } from '../../tools/docs/files.js';

/** Runs `npm run house`. @returns its figures, by the beginnings of their names */
function figures(): ReadonlyMap<string, number> {
  const { stdout, stderr } = spawnSync(process.execPath, ['tools/house.mjs'], { encoding: 'utf8' });
  const lines = [...stdout.matchAll(/^(\S+ of [\w.]+).*? ([\d,]+)$/gm)];
  expect(lines.length, stdout + stderr).toBeGreaterThan(0);
  return new Map(lines.map(([, name = '', figure = '']) => [name, Number(figure.replaceAll(',', ''))]));
}

test('all that is generated and committed is counted as such', () => {
  const text = readFileSync('tools/house.mjs', 'utf8');
  expect(committed.filter(({ path }) => !text.includes(`'${path}'`))).toEqual([]);
});

test('the house is counted', () => {
  const now = figures();
  expect(now.size).toBe(6);
  expect([...now.values()].filter((figure) => figure === 0)).toEqual([]);
  expect(now.get('lines of README.md')).toBe(readFileSync('README.md', 'utf8').trimEnd().split('\n').length);
});
