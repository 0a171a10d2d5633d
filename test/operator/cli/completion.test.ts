import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { operatorCommand } from '../../../packages/operator/cli/command.js';
import { readCommandLine } from '../../../packages/operator/cli/command-line.js';
import { Exit } from '../../../packages/operator/cli/errors.js';
import { kitCommands } from '../../../packages/operator/commands/kit-commands.js';

const seat = operatorCommand({
  name: 'seat',
  usage: 'seat <seat id>',
  positionals: ['seat id'],
  options: { row: { type: 'string' } },
  example: ['seat', '14A'],
  about: "who holds a seat: it's in the \\hall",
  details: '',
  parse: () => ({}),
  run: async () => ({ exitCode: Exit.OK, text: '', json: {} }),
});
const commands = [seat, ...kitCommands()];

function script(shell: string, program = 'npm run -s my-cinema --'): string {
  const line = readCommandLine(['completion', shell], { program, commands });
  return line.help ?? expect.fail('nothing is printed');
}

/** Output of a shell. */
function said(shell: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(shell, args, { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}
const isInstalled = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0;

const failures = ['list', 'causes', 'annotate', 'groups', 'show', 'redrive', 'discard'];
/** Typed words, the last one unfinished, and the words that the shell offers. */
const TYPED: readonly (readonly [line: string, offers: readonly string[]])[] = [
  ['my-cinema se', ['seat']],
  ['my-cinema --environment prod sta', ['status']],
  ['my-cinema failures ', failures],
  ['my-cinema failures re', ['redrive']],
  ['my-cinema failures redrive bookings 4711 --d', ['--dry-run']],
  ['my-cinema failures list --consumer bookings --l', ['--limit']],
  ['my-cinema seat --ro', ['--row']],
  ['my-cinema failures list --consumer ', []],
  // The tool knows the names that follow, where there is an environment.
  ['my-cinema consumers pause boo', []],
  ['my-cinema seat 14A --limi', []],
];

const wordsIn = (text: string): readonly string[] => text.split('\n').filter((word) => word !== '');

describe('bash', () => {
  test.each(TYPED)('%s', (line, offers) => {
    const words = line.split(' ').map((word) => `'${word}'`);
    const asked = `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _my_cinema`;
    const printed = said(
      'bash',
      '-c',
      `set -u\n${script('bash')}\n${asked}\nprintf '%s\\n' \${COMPREPLY[@]+"\${COMPREPLY[@]}"}`,
    );
    expect(wordsIn(printed)).toEqual(offers);
  });

  test('offers every command, and completes the name of the tool', () => {
    const printed = said(
      'bash',
      '-c',
      `${script('bash')}\nCOMP_WORDS=(my-cinema ''); COMP_CWORD=1; _my_cinema; echo "\${COMPREPLY[@]}"; complete -p`,
    );
    for (const { name } of commands) expect(printed).toMatch(new RegExp(`(^| )${name.split(' ')[0]}( |\n)`));
    expect(printed).toMatch(/^complete -F _my_cinema my-cinema$/m);
    expect(script('bash', 'node /opt/orderly.mjs')).toContain('complete -F _orderly orderly');
  });
});

describe.skipIf(!isInstalled('zsh'))('zsh (skipped where it is not installed)', () => {
  // `_describe` belongs to zsh's completion system, which runs only where somebody types.
  const stubs = `compdef() { : }; _describe() { local one; for one in "\${(@P)2}"; do print -r -- "\${one%%:*}"; done }`;

  test.each(TYPED)('%s', (line, offers) => {
    const typed = line.split(' ');
    const asked = `words=(${typed.map((word) => `'${word}'`).join(' ')}); CURRENT=${typed.length}; _my_cinema || true`;
    const printed = said('zsh', '-fc', `${stubs}\n${script('zsh')}\n${asked}`);
    const last = typed.at(-1) ?? '';
    expect(wordsIn(printed).filter((word) => word.startsWith(last))).toEqual(offers);
  });
});

describe.skipIf(!isInstalled('fish'))('fish (skipped where it is not installed)', () => {
  test.each(TYPED.filter(([, offers]) => offers.length > 0))('%s', (line, offers) => {
    const printed = said('fish', '--no-config', '-c', `${script('fish')}\ncomplete -C '${line}'`);
    const words = wordsIn(printed).map((word) => word.split('\t')[0]);
    expect(words.toSorted()).toEqual(offers.toSorted());
  });
});

describe('names that only the environment knows', () => {
  /** What the tool is asked for, and what the shell offers of its answer. */
  const ASKED: readonly (readonly [line: string, asked: string, offers: readonly string[]])[] = [
    ['my-cinema consumers pause boo', 'complete --line consumers pause', ['bookings', 'books']],
    ['my-cinema failures annotate b', 'complete --line failures annotate', ['bookings', 'books']],
    [
      'my-cinema consumers --environment prod pause boo',
      'complete --line consumers pause --environment prod',
      ['bookings', 'books'],
    ],
    [
      'my-cinema --region eu-west-1 failures redrive --cause boo',
      'complete --line failures redrive --option=--cause --region eu-west-1',
      ['bookings', 'books'],
    ],
  ];
  const tool = `my-cinema() { echo "$*" >&3; printf 'seats\\nbookings\\nbooks\\n'; }`;

  test.each(ASKED)('bash: %s', (line, asked, offers) => {
    const words = line.split(' ').map((word) => `'${word}'`);
    const call = `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _my_cinema`;
    const printed = said(
      'bash',
      '-c',
      `set -u\n${tool}\n${script('bash')}\n{ ${call}; } 3>&1\nprintf '%s\\n' "\${COMPREPLY[@]}"`,
    );
    expect(wordsIn(printed)).toEqual([asked, ...offers]);
  });

  test.skipIf(!isInstalled('zsh')).each(ASKED)('zsh: %s', (line, asked, offers) => {
    const typed = line.split(' ');
    const call = `words=(${typed.map((word) => `'${word}'`).join(' ')}); CURRENT=${typed.length}; _my_cinema || true`;
    const describe = `compdef() { : }; _describe() { print -rl -- "\${(@P)2}"; }`;
    const printed = wordsIn(said('zsh', '-fc', `${describe}\n${tool}\n${script('zsh')}\n{ ${call} } 3>&1`));
    expect(printed[0]).toBe(asked);
    expect(printed).toEqual(expect.arrayContaining([...offers]));
  });

  test.skipIf(!isInstalled('fish')).each(ASKED)('fish: %s', (line, asked, offers) => {
    const asking = join(mkdtempSync(join(tmpdir(), 'completion-')), 'asked');
    const fishTool = `function my-cinema; echo "$argv" > ${asking}; printf 'seats\\nbookings\\nbooks\\n'; end`;
    const printed = said('fish', '--no-config', '-c', `${fishTool}\n${script('fish')}\ncomplete -C '${line}'`);
    const offered = wordsIn(printed).map((word) => word.split('\t')[0]);
    expect(offered).toEqual(expect.arrayContaining([...offers]));
    expect(readFileSync(asking, 'utf8').trim()).toBe(asked);
    rmSync(dirname(asking), { recursive: true });
  });

  const names = (...args: readonly string[]) => {
    const line = readCommandLine(['complete', ...args], { program: 'shop', commands });
    if (line.help !== undefined) throw new Error(line.help);
    const services = [{ name: 'trips', consumers: [{ name: 'seats' }, { name: 'meals' }] }];
    return line.run({ services } as never);
  };

  test('the tool names consumers, and offers nothing behind the last word, or for what it does not know', async () => {
    expect((await names('--line', 'consumers pause')).text).toBe('seats\nmeals');
    expect((await names('--line', 'failures list', '--option=--consumer')).json).toEqual({
      names: ['seats', 'meals', 'relay'],
    });
    for (const line of ['consumers pause seats', 'consumers list', 'nothing', ''])
      expect((await names('--line', line)).text).toBe('');
  });
});

test.each(['', 'nu'])('a script for %j is refused', (shell) =>
  expect(() => readCommandLine(['completion', shell], { program: 'shop', commands })).toThrow(
    `'${shell}' is no shell that it knows: expected bash, zsh, fish.`,
  ),
);
