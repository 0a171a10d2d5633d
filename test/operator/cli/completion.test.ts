import { spawnSync } from 'node:child_process';
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

const failures = ['list', 'groups', 'show', 'redrive', 'discard'];
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

test.each(['', 'nu'])('a script for %j is refused', (shell) =>
  expect(() => readCommandLine(['completion', shell], { program: 'shop', commands })).toThrow(
    `'${shell}' is no shell that it knows: expected bash, zsh, fish.`,
  ),
);
