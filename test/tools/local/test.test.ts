import { spawnSync } from 'node:child_process';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { chooseProjects, main, vitestArguments } from '../../../tools/local/test.js';

/** Arguments that are no reporter. */
const chosen = (projects: readonly string[], files: readonly string[]) =>
  vitestArguments(projects, files).filter((argument) => !argument.startsWith('--reporter='));

describe('npm test -- <part>', () => {
  test('asks for the files of that part only, in every project', () => {
    expect(chosen(chooseProjects({ quick: false }), ['place-order'])).toEqual(['run', 'place-order']);
  });

  test('a test run with --quick leaves out what deploys', () => {
    expect(chosen(chooseProjects({ quick: true }), ['a', 'b'])).toEqual([
      ...['run', 'a', 'b'],
      ...['--project', '!integration', '--project', '!acceptance'],
    ]);
  });

  test('runs the files whose path contains the part, by vitest', () => {
    const args = ['node_modules/vitest/vitest.mjs', 'list', '--filesOnly', ...chosen([], ['local/terminal']).slice(1)];
    const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } });
    expect(stdout.trim().split('\n')).toEqual(['[unit] test/tools/local/terminal.test.ts']);
  });

  afterEach(() => vi.restoreAllMocks());

  test('a test run with an unknown option runs nothing, and says how it is used', async () => {
    const error = vi.spyOn(console, 'error').mockReturnValue();
    expect(await main(['--fast', 'place-order'])).toBe(2);
    expect(error).toHaveBeenCalledWith(expect.stringMatching(/^'--fast' is unknown: npm test/));
  });
});
